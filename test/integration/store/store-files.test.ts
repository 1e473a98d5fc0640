// The files of the store: their permissions, their replacement and the checkpoints that keep the journals small.
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { openBodies } from '../../../daemon/store/bodies.ts';
import { openLogs } from '../../../daemon/store/logs/logs.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { FolderRefused } from '../../../daemon/store/store-errors.ts';
import { replaceFile, sweepTemporary } from '../../../src/local/atomic-file.ts';
import { actorRecord, executionRecord, tokenRecord } from '../../support/service/records.ts';
import { handClock, rememberingLogger, temporaryFolder, until } from '../../support/store/store-fixtures.ts';

const clock = handClock();
const open = (folder: string, checkpointFloor = 1_000_000_000) =>
  openStore({ folder, clock, logger: rememberingLogger(), checkpointFloor });

describe('the files of the store', () => {
  // A worker thread cannot set the umask, and mutation testing runs in one.
  it.skipIf(!isMainThread)(
    'R140 folders have mode 0700 and files mode 0600 during every write, whatever the umask',
    async () => {
      for (const mask of [0o000, 0o022]) {
        const before = process.umask(mask);
        try {
          const folder = path.join(temporaryFolder(), 'deep', 'data');
          const store = await open(folder, 2000);
          const bodies = await openBodies({ folder });
          const logs = await openLogs({ folder, clock, logger: rememberingLogger() });
          await bodies.put(Buffer.from('body'));
          const log = logs.open('e1');
          log.write('stdout', Buffer.from('hello'));
          const modes = new Set<string>();
          const note = () => {
            for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
              // A file that is being replaced may disappear between the listing and this call.
              const facts = statSync(path.join(folder, name), { throwIfNoEntry: false });
              if (facts !== undefined) {
                modes.add(`${facts.isDirectory() ? 'folder' : 'file'} ${(facts.mode & 0o777).toString(8)}`);
              }
            }
          };
          for (let n = 0; n < 60; n += 1) {
            await store.transact((tx) => tx.put('executions', executionRecord(`e${n}`)));
            if (n % 10 === 0) note();
          }
          await log.close();
          await store.close();
          note();
          expect([...modes].sort()).toEqual(['file 600', 'folder 700']);
          expect(statSync(folder).mode & 0o777).toBe(0o700);
        } finally {
          process.umask(before);
        }
      }
    },
  );

  it('R141 a file is replaced as a whole by way of an unpredictable temporary name, and a failure leaves the old file unchanged', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'tokens.json');
    await replaceFile(file, (append) => append('old'));
    const names = new Set<string>();
    for (let n = 0; n < 2; n += 1) {
      const failing = replaceFile(file, async (append) => {
        await append('ne');
        const [temporary = ''] = readdirSync(folder).filter((name) => name !== 'tokens.json');
        names.add(temporary);
        expect(statSync(path.join(folder, temporary)).mode & 0o777).toBe(0o600);
        expect(readFileSync(file, 'utf8')).toBe('old');
        throw new Error('cut off');
      });
      await expect(failing).rejects.toThrow('cut off');
    }
    expect(names.size).toBe(2);
    expect(readdirSync(folder)).toEqual(['tokens.json']);
    expect(readFileSync(file, 'utf8')).toBe('old');
  });

  it('R141 the temporary files of a killed replacement are removed, and no other file', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'daemon.json');
    await replaceFile(file, (append) => append('old'));
    // Like a process that is killed at this moment.
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const replacements = [file, path.join(folder, 'other.json')].map((name) => replaceFile(name, () => held));
    await until(() => readdirSync(folder).length === 3);
    for (const name of ['daemon.json.tmp', 'daemon.json.old.tmp', 'notes.tmp'])
      writeFileSync(path.join(folder, name), '');
    await sweepTemporary(file);
    expect(readdirSync(folder).toSorted()).toEqual([
      'daemon.json',
      'daemon.json.old.tmp',
      'daemon.json.tmp',
      'notes.tmp',
      expect.stringMatching(/^other\.json\.[0-9a-f]{24}\.tmp$/),
    ]);
    // Node 26 ends with an error if nobody closes a file.
    letGo();
    await Promise.allSettled(replacements);
  });

  it('R142 a data folder that is a symbolic link or writable by other users is refused with advice', async () => {
    const base = temporaryFolder();
    const real = path.join(base, 'real');
    mkdirSync(real, { mode: 0o700 });
    const linked = path.join(base, 'link');
    symlinkSync(real, linked);
    await expect(open(linked)).rejects.toThrow(/symbolic link.*Use the folder/);
    for (const mode of [0o770, 0o707, 0o777]) {
      chmodSync(real, mode);
      await expect(open(real)).rejects.toThrow(`chmod 700 ${real}`);
    }
    chmodSync(real, 0o700);
    const file = path.join(base, 'file');
    writeFileSync(file, '');
    await expect(open(file)).rejects.toBeInstanceOf(FolderRefused);
    mkdirSync(path.join(real, 'logs'));
    chmodSync(path.join(real, 'logs'), 0o777);
    await expect(openLogs({ folder: real, clock, logger: rememberingLogger() })).rejects.toBeInstanceOf(FolderRefused);
    expect(readdirSync(real)).toEqual(['logs']);
  });

  it.runIf(process.getuid?.() === 0)('R142 a data folder that belongs to another user is refused', async () => {
    const folder = temporaryFolder();
    chownSync(folder, 12345, 12345);
    await expect(open(folder)).rejects.toThrow('belongs to user 12345');
  });

  it('R142 a journal, a snapshot or a log that is a symbolic link is not followed', async () => {
    const folder = temporaryFolder();
    await (await open(folder)).close();
    const outside = path.join(temporaryFolder(), 'outside');
    writeFileSync(outside, 'precious');
    symlinkSync(outside, path.join(folder, 'db', 'tokens.json'));
    await expect(open(folder)).rejects.toThrow('ELOOP');
    const logs = await openLogs({ folder, clock, logger: rememberingLogger() });
    symlinkSync(outside, path.join(folder, 'logs', 'e1.ndjson'));
    const log = logs.open('e1');
    log.write('stdout', Buffer.from('mine'));
    await expect(log.close()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(logs.resume('e1')).rejects.toThrow('ELOOP');
    const later = await openLogs({ folder, clock, logger: rememberingLogger() });
    await expect(later.read('e1')).rejects.toThrow('ELOOP');
    expect(readFileSync(outside, 'utf8')).toBe('precious');
  });

  it('R145 revocations and sequence numbers survive a restart without a close', async () => {
    const folder = temporaryFolder();
    const killed = await open(folder);
    await killed.transact((tx) => tx.put('tokens', tokenRecord('t1')));
    await killed.transact((tx) => tx.put('tokens', tokenRecord('t2')));
    await killed.transact((tx) => tx.delete('tokens', 't1'));
    expect(await killed.transact((tx) => tx.nextSequence())).toBe(1);
    clock.set(77_000);
    await killed.transact((tx) => tx.nextSequence());
    const store = await open(folder);
    expect([...store.all('tokens')].map(({ hash }) => hash)).toEqual(['t2']);
    expect(store.lastTime).toBe(77_000);
    expect(await store.transact((tx) => tx.nextSequence())).toBe(3);
    await store.close();
    await killed.close().catch(() => undefined); // Its journal is deleted, so closing fails. This call only releases the file handle.
  });

  it('checkpoints keep the journals small during continuous writes, and rewrite only the changed collections', async () => {
    const folder = temporaryFolder();
    const db = path.join(folder, 'db');
    const store = await open(folder, 20_000);
    await store.transact((tx) => tx.put('actors', actorRecord('a1')));
    for (let n = 0; n < 1000; n += 1) {
      await store.transact((tx) => tx.put('executions', executionRecord(`e${n % 50}`, { sequence: n })));
    }
    const journals = () => readdirSync(db).filter((name) => name.startsWith('journal-'));
    await until(() => journals().length <= 2 && !journals().includes('journal-1.ndjson'));
    const written = readdirSync(db);
    expect(written).toContain('executions.json');
    expect(written).not.toContain('tokens.json');
    await store.close();
    expect(journals()).toHaveLength(1);
    expect(statSync(path.join(db, journals()[0] ?? '')).size).toBe(0);

    const again = await open(folder);
    expect(again.get('executions', 'e49')?.sequence).toBe(999);
    expect(again.count('executions')).toBe(50);
    const before = statSync(path.join(db, 'actors.json')).ino;
    await again.transact((tx) => tx.put('executions', executionRecord('new')));
    await again.close();
    expect(statSync(path.join(db, 'actors.json')).ino).toBe(before);
  });

  it('a snapshot is a JSON array with one record per line', async () => {
    const folder = temporaryFolder();
    const store = await open(folder);
    await store.transact((tx) => {
      tx.put('executions', executionRecord('e1', { executor: 'Zoë\u2028\n"' }));
      tx.put('executions', executionRecord('e2'));
    });
    await store.close();
    const text = readFileSync(path.join(folder, 'db', 'executions.json'), 'utf8');
    const parsed: unknown[][] = JSON.parse(text);
    expect(parsed.map(([record]) => record)).toEqual([
      executionRecord('e1', { executor: 'Zoë\u2028\n"' }),
      executionRecord('e2'),
    ]);
    expect(text.split('\n')).toHaveLength(5);
  });
});

// The files of the store: whose they are, how they are replaced, when they are folded together, and older versions of them.
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openBodies } from '../../daemon/store/bodies.ts';
import { FolderRefused, StoreTooNew } from '../../daemon/store/errors.ts';
import { replaceFile } from '../../daemon/store/files.ts';
import { openLogs } from '../../daemon/store/logs.ts';
import { openStore } from '../../daemon/store/store.ts';
import { actorRecord, executionRecord, tokenRecord } from '../support/records.ts';
import { contents, handClock, rememberingLogger, temporaryFolder, until } from '../support/store-fixtures.ts';

const clock = handClock();
const open = (folder: string, checkpointFloor = 1_000_000_000) =>
  openStore({ folder, clock, logger: rememberingLogger(), checkpointFloor });

const seal = (begun: string): string => `${begun},"${crc32(begun).toString(16).padStart(8, '0')}"]`;

describe('the files of the store', () => {
  it('R140 folders are 0700 and files 0600 while they are written, whatever the umask', async () => {
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
            // One that is being replaced may be gone meanwhile.
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
  });

  it('R141 a file is replaced as a whole under a name nobody can foresee, and a failure leaves the old one alone', async () => {
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

  it('R142 a data folder that is a link, or that others can write, is refused with what to do', async () => {
    const base = temporaryFolder();
    const real = path.join(base, 'real');
    mkdirSync(real, { mode: 0o700 });
    const linked = path.join(base, 'link');
    symlinkSync(real, linked);
    await expect(open(linked)).rejects.toThrow(/symbolic link.*Name the folder/);
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

  it.runIf(process.getuid?.() === 0)('R142 a data folder of somebody else is refused', async () => {
    const folder = temporaryFolder();
    chownSync(folder, 12345, 12345);
    await expect(open(folder)).rejects.toThrow('belongs to user 12345');
  });

  it('R142 a journal, a snapshot or a log that is a link is not followed', async () => {
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
    await expect(logs.read('e1')).rejects.toThrow('ELOOP');
    expect(readFileSync(outside, 'utf8')).toBe('precious');
  });

  it('R145 revocations and numbers survive a restart without a close', async () => {
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
    await killed.close().catch(() => undefined); // its journal is gone: only its file handle matters here
  });

  it('checkpoints keep the journals small while writes go on, and write only what changed', async () => {
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

describe('schema versions', () => {
  const written = (folder: string, schemaVersion: number, journal: string): string => {
    const db = path.join(folder, 'db');
    mkdirSync(db, { mode: 0o700 });
    const manifest = { schemaVersion, firstJournal: 4, decision: 9, sequence: 5, time: 123 };
    const { startFailures: _, ...actor } = actorRecord('old');
    writeFileSync(path.join(db, 'manifest.json'), `${seal(`[${JSON.stringify(manifest)}`)}\n`);
    writeFileSync(path.join(db, 'actors.json'), `[\n${seal(`[${JSON.stringify(actor)}`)}\n]\n`);
    writeFileSync(path.join(db, 'journal-4.ndjson'), journal);
    return db;
  };

  it('data of version 1 are brought to this version, and stay as they were in a backup', async () => {
    const folder = temporaryFolder();
    const { startFailures: _, ...newer } = actorRecord('newer');
    const db = written(folder, 1, `${seal(`[10,456,[["p","actors",${JSON.stringify(newer)}],["s",6]]`)}\n[11,4`);
    const before = contents(db);
    const store = await open(folder);
    expect([...store.all('actors')]).toEqual([actorRecord('old'), actorRecord('newer')]);
    expect(store.lastTime).toBe(456);
    expect(store.status().schemaVersion).toBe(2);
    expect(await store.transact((tx) => tx.nextSequence())).toBe(7);
    await store.close();
    const backups = readdirSync(folder).filter((name) => name.startsWith('db.backup-v1-'));
    expect(backups).toHaveLength(1);
    expect(contents(path.join(folder, backups[0] ?? ''))).toEqual(before);
    const again = await open(folder);
    expect(again.count('actors')).toBe(2);
    await again.close();
    expect(readdirSync(folder).sort()).toEqual(['db', ...backups]);
  });

  it('damaged data of version 1 are refused and left alone', async () => {
    const folder = temporaryFolder();
    written(folder, 1, '[10,456,[],"00000000"]\n');
    const before = contents(folder);
    await expect(open(folder)).rejects.toThrow('journal-4.ndjson, line 1');
    expect(contents(folder)).toEqual(before);
  });

  it('a migration that was cut short begins again, or is finished', async () => {
    const folder = temporaryFolder();
    written(folder, 1, '');
    mkdirSync(path.join(folder, 'db.next'));
    writeFileSync(path.join(folder, 'db.next', 'actors.json'), 'half');
    const store = await open(folder);
    expect(store.get('actors', 'old')?.startFailures).toBe(0);
    await store.close();
    renameSync(path.join(folder, 'db'), path.join(folder, 'db.next'));
    const again = await open(folder);
    expect(again.get('actors', 'old')?.startFailures).toBe(0);
    await again.close();
  });

  it('data of a newer version are refused and left alone', async () => {
    const folder = temporaryFolder();
    written(folder, 3, 'something this version does not know\n');
    const before = contents(folder);
    const error = await open(folder).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreTooNew);
    expect(String(error)).toContain('schema version 3');
    expect(contents(folder)).toEqual(before);
  });
});

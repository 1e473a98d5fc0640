// An archive contains the data of one instant, while writes continue and never wait for it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../daemon/store/store.ts';
import { executionRecord, messageRecord, tokenRecord } from '../../support/service/records.ts';
import { allRecords, filesBelow, membersOf, openData } from '../../support/store/archives.ts';
import { handClock, rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';
import { anyText } from '../../support/values/any-text.ts';

/** Unpacks an archive with the tar of the system. */
const unpack = (file: string): string => {
  const folder = path.join(temporaryFolder(), 'unpacked');
  mkdirSync(folder, { mode: 0o700 });
  execFileSync('tar', ['-xzf', file, '-C', folder]);
  return folder;
};

const recordsOf = async (folder: string) => {
  const store = await openStore({ folder, clock: handClock(), logger: rememberingLogger() });
  const records = allRecords(store);
  await store.close();
  return records;
};

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__');
const change = fc.record({ key, remove: fc.boolean(), text: anyText() });
const changes = fc.array(change, { maxLength: 12 });

describe('an archive', () => {
  it('equals the records at its start, despite writes before, during and after it, even across checkpoints', async () => {
    await fc.assert(
      fc.asyncProperty(changes, changes, fc.boolean(), async (before, meanwhile, checkpoints) => {
        const folder = temporaryFolder();
        const data = await openData(path.join(folder, 'data'), checkpoints ? { checkpointFloor: 300 } : {});
        const apply = (list: typeof before) =>
          Promise.all(
            list.map(({ key: id, remove, text }) =>
              data.store.transact((tx) => {
                tx.nextSequence();
                if (remove) tx.delete('executions', id);
                else tx.put('executions', executionRecord(id, { executor: text }));
                if (!remove) tx.put('tokens', tokenRecord(`${id}${text.length}`));
              }),
            ),
          );
        await apply(before);
        const expected = allRecords(data.store);
        const file = path.join(folder, 'all.tar.gz');
        const writing = data.write(file);
        await apply(meanwhile);
        const { manifest } = await writing;
        expect(manifest.records['executions'] ?? 0).toBe(expected.executions?.length);
        await data.store.close();
        expect(await recordsOf(unpack(file))).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });

  it('is captured in one step that reads no record, so no write waits for it', async () => {
    const folder = temporaryFolder();
    const { store } = await openData(folder, { latestBytes: 1 });
    for (let slice = 0; slice < 10; slice += 1) {
      await store.transact((tx) => {
        for (let n = 0; n < 1_000; n += 1) tx.put('executions', executionRecord(`e${slice}-${n}`));
      });
    }
    const captured = store.capture();
    expect(captured.copies()).toBe(0);
    // Each change copies the places of 1024 neighbours at most, and only once.
    await store.transact((tx) => tx.put('executions', executionRecord('e0-1', { status: 'RUNNING' })));
    await store.transact((tx) => tx.put('executions', executionRecord('e0-2', { status: 'RUNNING' })));
    expect(captured.copies()).toBe(1);
    await store.transact((tx) => tx.delete('executions', 'e9-1'));
    expect(captured.copies()).toBe(2);
    captured.release();
    expect(captured.copies()).toBe(0);
    await store.close();
  });

  it('returns its records in slices of at most 256 KiB, and yields to the event loop between slices', async () => {
    const folder = temporaryFolder();
    const { store } = await openData(folder);
    await store.transact((tx) => {
      for (let n = 0; n < 3_000; n += 1) tx.put('executions', executionRecord(`e${n}`, { executor: 'x'.repeat(500) }));
    });
    const captured = store.capture();
    const [executions] = captured.collections.filter(({ name }) => name === 'executions');
    const lengths = [...(executions?.slices() ?? [])].map(({ length }) => length);
    expect(lengths.length).toBeGreaterThan(10);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(256 * 1024);
    expect(lengths.reduce((sum, each) => sum + each)).toBe((await executions?.measure())?.bytes);
    captured.release();
    await store.close();
  });

  it('contains the bodies and logs at its start: no later ones, deleted ones, and the lines so far of running executions', async () => {
    const folder = temporaryFolder();
    const data = await openData(path.join(folder, 'data'));
    const body = await data.bodies.put(Buffer.from('a body'));
    await data.store.transact((tx) => {
      tx.put('messages', messageRecord('waiting', { text: null, bodyFile: body } as never));
      tx.put('executions', executionRecord('ended', { status: 'COMPLETE' }));
      tx.put('executions', executionRecord('runs', { status: 'RUNNING' }));
    });
    const ended = data.logs.open('ended');
    ended.write('stdout', Buffer.from('the whole log'));
    await ended.close();
    const running = data.logs.open('runs');
    running.write('stdout', Buffer.from('so far\n'));
    await expect.poll(() => data.logs.read('runs')).toBe('so far\n');

    const file = path.join(folder, 'all.tar.gz');
    const writing = data.write(file);
    running.write('stdout', Buffer.from('later\n'));
    const later = data.logs.open('later');
    later.write('stdout', Buffer.from('later'));
    await Promise.all([
      data.bodies.delete(body),
      data.logs.delete(['ended']),
      data.bodies.put(Buffer.from('later')),
      later.close(),
    ]);
    await writing;

    const unpacked = unpack(file);
    expect(filesBelow(unpacked).filter((name) => !name.startsWith('db/'))).toEqual([
      'SHA256SUMS',
      `bodies/${body}`,
      'logs/ended.ndjson',
      'logs/runs.ndjson',
      'manifest.json',
    ]);
    expect(readFileSync(path.join(unpacked, 'bodies', body), 'utf8')).toBe('a body');
    expect(readFileSync(path.join(unpacked, 'logs/runs.ndjson'), 'utf8')).toBe('[1000,"o","so far\\n"]\n');
    expect(execFileSync('sha256sum', ['-c', '--quiet', 'SHA256SUMS'], { cwd: unpacked, encoding: 'utf8' })).toBe('');
    // What was deleted meanwhile is deleted once the archive is written.
    expect(
      filesBelow(path.join(folder, 'data')).filter((name) => name.includes('ended') || name.includes(body)),
    ).toEqual([]);
    await running.close();
    await data.store.close();
  });

  it('omits a log that was empty at its start, and contains the earlier log of a rerun without output', async () => {
    const folder = temporaryFolder();
    const data = await openData(path.join(folder, 'data'));
    const names = ['empty', 'closed', 'quiet'];
    await data.store.transact((tx) => {
      for (const id of names) tx.put('executions', executionRecord(id, { status: 'RUNNING' }));
    });
    for (const id of names) {
      const earlier = data.logs.open(id);
      earlier.write('stdout', Buffer.from('earlier\n'));
      await earlier.close();
    }
    // Their new writers have had no output when the archive begins.
    const [empty, closed] = [await data.logs.resume('empty'), await data.logs.resume('closed')];
    const file = path.join(folder, 'all.tar.gz');
    // The list of the files is made two turns later.
    const writing = data.write(file);
    empty.write('stdout', Buffer.from('later\n'));
    closed.write('stdout', Buffer.from('later\n'));
    await closed.close();
    await writing;
    const logs = Object.fromEntries(
      membersOf(file)
        .filter(({ name }) => name.startsWith('logs/'))
        .map(({ name, content }) => [name, content.toString()]),
    );
    expect(Object.values(logs).join('')).not.toContain('later');
    expect(logs['logs/quiet.ndjson']).toContain('earlier');
    await empty.close();
    await data.store.close();
  });

  it('contains the key of secret configs only on request', async () => {
    const folder = temporaryFolder();
    const data = await openData(path.join(folder, 'data'));
    writeFileSync(data.keyFile, 'the key');
    const [without, withKey] = [path.join(folder, '1.tar.gz'), path.join(folder, '2.tar.gz')];
    await data.write(without);
    await data.write(withKey, true);
    expect(membersOf(without).map(({ name }) => name)).not.toContain('config-key.json');
    expect(
      membersOf(withKey)
        .find(({ name }) => name === 'config-key.json')
        ?.content.toString(),
    ).toBe('the key');
    await data.store.close();
  });

  it('that must be new never replaces a file, even one created while the archive was written', async () => {
    const folder = temporaryFolder();
    const data = await openData(path.join(folder, 'data'));
    const file = path.join(folder, 'all.tar.gz');
    const write = (appears: boolean, isNew: boolean) =>
      data.archives.write(file, {
        withKeys: false,
        isNew,
        onProgress: () => appears && writeFileSync(file, 'of another program'),
        signal: new AbortController().signal,
      });
    const outside = () => filesBelow(folder).filter((name) => !name.startsWith('data/'));
    await expect(write(true, true)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    expect([readFileSync(file, 'utf8'), outside()]).toEqual(['of another program', ['all.tar.gz']]);
    await write(true, false);
    rmSync(file);
    await write(false, true);
    expect([membersOf(file).length > 0, outside()]).toEqual([true, ['all.tar.gz']]);
    await data.store.close();
  });

  it('that cannot be written leaves no file and does not change the data', async () => {
    const folder = temporaryFolder();
    const data = await openData(path.join(folder, 'data'));
    await data.store.transact((tx) => tx.put('executions', executionRecord('e')));
    const interrupted = new AbortController();
    const writing = data.archives.write(path.join(folder, 'all.tar.gz'), {
      withKeys: false,
      onProgress: () => interrupted.abort(new Error('enough')),
      signal: interrupted.signal,
    });
    await expect(writing).rejects.toThrow();
    expect(filesBelow(folder).filter((name) => !name.startsWith('data/'))).toEqual([]);
    await expect(data.write(path.join(folder, 'nosuch', 'all.tar.gz'))).rejects.toThrow('ENOENT');
    expect(data.store.get('executions', 'e')?.id).toBe('e');
    await data.store.close();
  });
});

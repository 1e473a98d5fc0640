// What the store holds in memory, what it reads from disk, and what happens when the disk returns other bytes.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadStore } from '../../../daemon/store/load-store.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { StoreDamaged } from '../../../daemon/store/store-errors.ts';
import { executionRecord, tokenRecord } from '../../support/service/records.ts';
import { handClock, rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';

const COUNT = 500;
const open = (
  folder: string,
  options: { checkpointFloor?: number; latestBytes?: number; logger?: ReturnType<typeof rememberingLogger> } = {},
) => openStore({ folder, clock: handClock(), logger: rememberingLogger(), latestBytes: 4_000, ...options });

/** A folder with executions and tokens in snapshots. */
const filled = async (): Promise<string> => {
  const folder = temporaryFolder();
  const store = await open(folder);
  for (let n = 0; n < COUNT; n += 1) {
    await store.transact((tx) => {
      tx.put('executions', executionRecord(`e${n}`, { executor: `Zoë ${n}` }));
      tx.put('tokens', tokenRecord(`t${n}`));
    });
  }
  await store.close();
  return folder;
};

describe('the memory of the store', () => {
  it('holds the latest records of growing collections and all records of others, and reads each line once to load', async () => {
    const folder = await filled();
    const { snapshotFiles, files, journal } = await loadStore({
      folder,
      clock: handClock(),
      logger: rememberingLogger(),
      latestBytes: 4_000,
    });
    const { executions, tokens } = snapshotFiles;
    const bytes = executions.data.places.get(1)?.length ?? 0;
    expect([executions.data.held(), executions.data.places.get(1)?.length]).toEqual([0, bytes]);
    expect(tokens.data.held()).toBe(COUNT);
    expect(files.reads()).toBe(0);
    expect(executions.data.get('e3')?.record).toEqual(executionRecord('e3', { executor: 'Zoë 3' }));
    expect(tokens.data.get('t3')?.record).toEqual(tokenRecord('t3'));
    expect(files.reads()).toBe(1);

    // A snapshot copies the texts of all records, and afterwards the records are read from it.
    const held = executions.data.held();
    await executions.write();
    expect(files.reads()).toBe(1 + COUNT);
    expect(executions.data.held()).toBe(held);
    expect(executions.data.get('e4')?.record).toEqual(executionRecord('e4', { executor: 'Zoë 4' }));
    files.closeAll();
    await journal.close();
  });

  it('holds an index: a page reads one record per row, and a count reads none', async () => {
    const folder = await filled();
    const { snapshotFiles, files, journal } = await loadStore({
      folder,
      clock: handClock(),
      logger: rememberingLogger(),
      latestBytes: 0,
    });
    const orders = snapshotFiles.executions.data.orders('actor', 'actor1');
    expect(orders.count()).toBe(COUNT);
    expect(files.reads()).toBe(0);
    expect(snapshotFiles.executions.data.record(orders.nth(400, false) ?? 0)?.id).toBe('e400');
    expect(files.reads()).toBe(1);
    files.closeAll();
    await journal.close();
  });
});

describe('records on disk', () => {
  it('can be read, changed and deleted while checkpoints move them', async () => {
    const folder = await filled();
    let store = await open(folder, { checkpointFloor: 1, latestBytes: 0 });
    const expected = new Map<string, string>();
    for (let n = 0; n < COUNT; n += 1) expected.set(`e${n}`, `Zoë ${n}`);
    for (let n = 0; n < 300; n += 1) {
      const [changed, deleted] = [`e${(n * 7) % COUNT}`, `e${(n * 11) % COUNT}`];
      expected.set(changed, `again ${n}`);
      await store.transact((tx) => tx.put('executions', executionRecord(changed, { executor: `again ${n}` })));
      expected.delete(deleted);
      await store.transact((tx) => tx.delete('executions', deleted));
      const asked = `e${(n * 13) % COUNT}`;
      expect(store.get('executions', asked)?.executor).toBe(expected.get(asked));
    }
    const stored = () => Object.fromEntries([...store.all('executions')].map(({ id, executor }) => [id, executor]));
    expect(stored()).toEqual(Object.fromEntries(expected));
    await store.close();
    store = await open(folder);
    expect(stored()).toEqual(Object.fromEntries(expected));
    await store.close();
  });

  const damage = (folder: string): string => {
    const file = path.join(folder, 'db', 'executions.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Zoë 7"', 'Zoë 8"'));
    return file;
  };

  it('R139 with another content are refused with file and line, and nothing is changed', async () => {
    const folder = await filled();
    const store = await open(folder, { latestBytes: 0 });
    const file = damage(folder);
    expect(store.get('executions', 'e6')?.executor).toBe('Zoë 6');
    for (const act of [
      () => store.get('executions', 'e7'),
      () => store.by('executions', 'actor', 'actor1'),
      () => [...store.all('executions')],
    ]) {
      expect(act).toThrow(StoreDamaged);
      expect(act).toThrow(`${file}, line 9`);
    }
    const change = store.transact((tx) => {
      tx.put('tokens', tokenRecord('new'));
      tx.put('executions', executionRecord('e7'));
    });
    await expect(change).rejects.toBeInstanceOf(StoreDamaged);
    expect(store.get('tokens', 'new')).toBeUndefined();
    expect(store.countBy('executions', 'actor', 'actor1')).toBe(COUNT);
    await store.transact((tx) => tx.put('executions', executionRecord('e8')));
    expect(store.get('executions', 'e8')).toEqual(executionRecord('e8'));
    await store.close();
  });

  it('R139 with another content stop a checkpoint, which keeps the journals', async () => {
    const folder = await filled();
    const logger = rememberingLogger();
    const store = await open(folder, { latestBytes: 0, logger });
    damage(folder);
    await store.transact((tx) => tx.put('executions', executionRecord('later')));
    await store.close();
    expect(logger.lines.map(({ message }) => message)).toEqual(['cannot write a checkpoint; the journals are kept']);
    const journals = [1, 2, 3, 4].flatMap((n) => {
      try {
        return readFileSync(path.join(folder, 'db', `journal-${n}.ndjson`), 'utf8');
      } catch {
        return [];
      }
    });
    expect(journals.join('')).toContain('"later"');
  });
});

// Opening a data folder: the result for an empty, a damaged and an interrupted folder, and what the start removes.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readManifest, writeManifest } from '../../../daemon/store/journal/manifest.ts';
import { seal } from '../../../daemon/store/journal/sealed-line.ts';
import { loadStore } from '../../../daemon/store/load-store.ts';
import { SCHEMA_VERSION } from '../../../daemon/store/migrations.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { executionRecord, tokenRecord } from '../../support/service/records.ts';
import { isOpen, onFileHandles, systemError } from '../../support/store/file-handles.ts';
import { handClock, rememberingLogger, temporaryFolder, until } from '../../support/store/store-fixtures.ts';

const make = () => {
  const folder = temporaryFolder();
  const db = path.join(folder, 'db');
  const logger = rememberingLogger();
  return {
    folder,
    db,
    logger,
    open: (options = {}) => openStore({ folder, clock: handClock(50), logger, ...options }),
    file: (name: string) => path.join(db, name),
    names: () => readdirSync(db).toSorted(),
    begin: () => mkdirSync(db, { mode: 0o700 }),
    write: (name: string, text: string) => writeFileSync(path.join(db, name), text),
  };
};
const lineOf = (decision: number, operations: unknown[]): string =>
  `${seal(`[${decision},${decision * 10},${JSON.stringify(operations)}`)}\n`;
const manifest = { schemaVersion: SCHEMA_VERSION, firstJournal: 1, decision: 0, sequence: 0, time: 0, snapshots: [] };
const token = (hash: string) => ['p', 'tokens', tokenRecord(hash)];

describe('an empty folder', () => {
  it('gets a journal and a manifest, which is written last', async () => {
    const { db, open, names } = make();
    const store = await open();
    expect(names()).toEqual(['journal-1.ndjson', 'manifest.json']);
    expect(await readManifest(db)).toEqual(manifest);
    expect([store.lastTime, store.status()]).toEqual([0, { writable: true, schemaVersion: SCHEMA_VERSION }]);
    await store.close();
  });

  it('may contain files of an interrupted start, but no data', async () => {
    const interrupted = make();
    interrupted.begin();
    interrupted.write('journal-1.ndjson', '');
    interrupted.write('manifest.json.abc.tmp', 'half');
    await (await interrupted.open()).close();
    expect(interrupted.names()).toEqual(['journal-1.ndjson', 'manifest.json']);
    for (const [name, text, why] of [
      ['tokens.json', '[\n]\n', 'the file is missing although tokens.json exists'],
      ['journal-2.ndjson', '', 'the file is missing although journal-2.ndjson exists'],
      ['journal-1.ndjson', lineOf(1, []), 'the file is missing although a journal has content'],
      ['journal-1.ndjson', '[1', 'the file is missing although a journal has content'],
    ] as const) {
      const { begin, write, open, file, names } = make();
      begin();
      write(name, text);
      await expect(open()).rejects.toThrow(`The data is damaged: ${file('manifest.json')}: ${why}.`);
      expect(names()).toEqual([name]);
    }
  });
});

describe('a folder with data', () => {
  it('is read from its snapshots and journals, and the start removes what is left over', async () => {
    const { db, begin, write, open, file, names, logger } = make();
    begin();
    await writeManifest(db, { ...manifest, firstJournal: 2, decision: 1, sequence: 4, time: 45 });
    write('tokens.json', `[\n${seal(`[${JSON.stringify(tokenRecord('t0'))}`)}\n]\n`);
    write('journal-1.ndjson', 'replaced by the snapshot');
    write('journal-2.ndjson', lineOf(2, [token('t1'), token('t2'), ['s', 7]]));
    write('journal-3.ndjson', lineOf(3, [['d', 'tokens', 't1'], token('t0')]));
    write('x.json.1.tmp', '');
    const store = await open();
    expect([...store.all('tokens')].map(({ hash }) => hash)).toEqual(['t0', 't2']);
    expect([store.lastTime, await store.transact((tx) => tx.nextSequence())]).toEqual([45, 8]);
    expect(names()).toEqual(['journal-2.ndjson', 'journal-3.ndjson', 'manifest.json', 'tokens.json']);
    await store.close();
    expect(logger.lines).toEqual([]);
    const written = await readManifest(db);
    expect(written).toEqual({
      ...manifest,
      firstJournal: 4,
      decision: 4,
      sequence: 8,
      time: 50,
      snapshots: ['tokens'],
    });
    expect(names()).toEqual(['journal-4.ndjson', 'manifest.json', 'tokens.json']);
    expect(['journal-4.ndjson', 'tokens.json'].map((name) => isOpen(file(name)))).toEqual([false, false]);
  });

  it('has its incomplete end dropped, even from a journal before an empty one', async () => {
    for (const later of [undefined, 'journal-2.ndjson']) {
      const { db, begin, write, open, file, logger } = make();
      begin();
      await writeManifest(db, manifest);
      const line = lineOf(1, [token('t1')]);
      write('journal-1.ndjson', `${line}[2`);
      if (later !== undefined) write(later, '');
      const store = await open();
      expect(logger.lines).toEqual([
        {
          level: 'warn',
          fields: { file: file('journal-1.ndjson'), bytes: 2 },
          message: 'dropped a write that was interrupted by a crash; it had never been confirmed',
        },
      ]);
      expect(readFileSync(file('journal-1.ndjson'), 'utf8')).toBe(line);
      await store.transact((tx) => tx.put('tokens', tokenRecord('t2')));
      expect(readFileSync(file(later ?? 'journal-1.ndjson'), 'utf8')).toContain('"t2"');
      await store.close();
    }
  });

  it('of an unknown collection is refused, and its files are closed', async () => {
    const { db, begin, write, open, file } = make();
    begin();
    await writeManifest(db, manifest);
    write('journal-1.ndjson', lineOf(1, [token('t1'), ['d', 'nothing', 'x']]));
    await expect(open()).rejects.toThrow(`${file('journal-1.ndjson')}, line 1: there is no collection "nothing"`);
    expect(isOpen(file('journal-1.ndjson'))).toBe(false);
  });

  it('counts the bytes of older journals, and what is out of date', async () => {
    const { db, begin, write, folder } = make();
    begin();
    await writeManifest(db, manifest);
    const [first, second] = [
      lineOf(1, [token('t1')]),
      lineOf(2, [
        ['s', 3],
        ['d', 'tokens', 't1'],
      ]),
    ];
    write('journal-1.ndjson', first);
    write('journal-2.ndjson', second);
    const loaded = await loadStore({ folder, clock: handClock(), logger: rememberingLogger() });
    expect(loaded).toMatchObject({ firstJournal: 1, olderBytes: first.length, decision: 2, sequence: 3, time: 20 });
    expect([loaded.journal.number, loaded.journal.size(), [...loaded.dirty]]).toEqual([2, second.length, ['tokens']]);
    loaded.files.closeAll();
    await loaded.journal.close();
  });
});

describe('a folder of an older version', () => {
  const older = { ...manifest, schemaVersion: SCHEMA_VERSION - 1 };

  it('is migrated with its deletions, and its backup is named in the log', async () => {
    const { db, begin, write, folder, open, logger } = make();
    begin();
    await writeManifest(db, older);
    write('journal-1.ndjson', lineOf(1, [token('t1'), token('t2'), ['d', 'tokens', 't1']]));
    const store = await open();
    expect([...store.all('tokens')].map(({ hash }) => hash)).toEqual(['t2']);
    await store.close();
    expect(logger.lines).toEqual([
      {
        level: 'info',
        fields: {
          from: SCHEMA_VERSION - 1,
          to: SCHEMA_VERSION,
          backup: path.join(folder, `db.backup-v${SCHEMA_VERSION - 1}-50`),
        },
        message: 'the data folder was migrated to a new schema version',
      },
    ]);
  });

  it('is refused with a collection that is unknown or missing', async () => {
    const unknown = make();
    unknown.begin();
    await writeManifest(unknown.db, older);
    unknown.write('journal-1.ndjson', lineOf(1, [['d', 'nothing', 'x']]));
    await expect(unknown.open()).rejects.toThrow('line 1: there is no collection "nothing"');
    const missing = make();
    missing.begin();
    await writeManifest(missing.db, { ...older, snapshots: ['tokens'] });
    missing.write('journal-1.ndjson', '');
    await expect(missing.open()).rejects.toThrow(`${missing.file('tokens.json')}: the file is missing`);
  });
});

describe('a checkpoint', () => {
  const put = (store: Awaited<ReturnType<ReturnType<typeof make>['open']>>, id: string) =>
    store.transact((tx) => tx.put('executions', executionRecord(id)));

  it('starts when the journal exceeds both the minimum size and the snapshots', async () => {
    const { open, names, file } = make();
    const first = await open({ checkpointFloor: 1_000_000 });
    for (let n = 0; n < 20; n += 1) await put(first, `e${n}`);
    expect(names()).not.toContain('executions.json');
    await first.close();
    const bytes = readFileSync(file('executions.json')).length;
    const store = await open({ checkpointFloor: 1 });
    const started = names().find((name) => name.startsWith('journal')) ?? '';
    let count = 0;
    while (existsSync(file(started))) {
      expect(readFileSync(file(started)).length).toBeLessThan(bytes + 1_000);
      await put(store, `later${count++}`);
    }
    expect(count).toBeGreaterThan(5);
    await store.close();
  });

  it('that the disk refuses is logged, and the next one contains everything', async () => {
    const { open, names, logger } = make();
    const store = await open({ checkpointFloor: 1 });
    const end = await onFileHandles('writeFile', () => Promise.reject(systemError('ENOSPC')));
    await put(store, 'e1');
    await until(() => logger.lines.length > 0);
    end();
    expect(logger.lines).toEqual([
      {
        level: 'warn',
        fields: { err: systemError('ENOSPC') },
        message: 'cannot write a checkpoint; the journals are kept',
      },
    ]);
    expect(names().filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(names()).toContain('journal-1.ndjson');
    await store.close();
    expect(names()).not.toContain('journal-1.ndjson');
    const again = await open();
    expect([...again.all('executions')].map(({ id }) => id)).toEqual(['e1']);
    await again.close();
  });

  it('is not written at the close of a store without changes', async () => {
    const { open, names } = make();
    await (await open()).close();
    const store = await open();
    await store.transact((tx) => tx.count('tokens'));
    await store.close();
    expect(names()).toEqual(['journal-1.ndjson', 'manifest.json']);
  });
});

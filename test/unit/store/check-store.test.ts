// The check of a data folder, which changes nothing: what it counts, what it refuses, and how it meets a checkpoint.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkStore } from '../../../daemon/store/check-store.ts';
import { type Manifest, writeManifest } from '../../../daemon/store/journal/manifest.ts';
import { seal } from '../../../daemon/store/journal/sealed-line.ts';
import { SCHEMA_VERSION } from '../../../daemon/store/migrations.ts';
import { executionRecord, tokenRecord } from '../../support/service/records.ts';
import { isOpen, onFileHandles } from '../../support/store/file-handles.ts';
import { contents, temporaryFolder } from '../../support/store/store-fixtures.ts';

const empty: Manifest = { schemaVersion: SCHEMA_VERSION, firstJournal: 1, decision: 0, sequence: 0, time: 0 };
const lineOf = (decision: number, operations: unknown[]): string =>
  `${seal(`[${decision},${decision * 10},${JSON.stringify(operations)}`)}\n`;

const make = async (manifest: Manifest = empty, journal = '') => {
  const data = temporaryFolder();
  const db = path.join(data, 'db');
  mkdirSync(db);
  await writeManifest(db, manifest);
  const file = path.join(db, 'journal-1.ndjson');
  writeFileSync(file, journal);
  return { data, db, file };
};
const puts = (...ids: string[]) => ids.map((id) => ['p', 'executions', executionRecord(id)]);

describe('a check of a data folder', () => {
  it('finds nothing without records', async () => {
    const data = temporaryFolder();
    expect(await checkStore(data)).toBeUndefined();
    mkdirSync(path.join(data, 'db'));
    expect(await checkStore(data)).toBeUndefined();
    expect(await checkStore(path.join(data, 'missing'))).toBeUndefined();
  });

  it('counts the records of all collections and the bytes that were never confirmed, and changes nothing', async () => {
    const journal = `${lineOf(1, [...puts('a', 'b'), ['p', 'tokens', tokenRecord('t')]])}${lineOf(2, [['d', 'executions', 'a']])}[3,`;
    const { data, file } = await make({ ...empty, time: 15 }, journal);
    const before = contents(data);
    expect(await checkStore(data)).toEqual({
      records: 2,
      schemaVersion: SCHEMA_VERSION,
      tornBytes: 3,
      time: 20,
      virtual: false,
    });
    expect([contents(data), isOpen(file)]).toEqual([before, false]);
    const later = await make({ ...empty, time: 99 }, lineOf(1, []));
    expect(await checkStore(later.data)).toMatchObject({ records: 0, tornBytes: 0, time: 99 });
  });

  it('reports whether the clock is virtual', async () => {
    const meta = { key: 'instance', instanceId: 'i', createdAt: 1 };
    const virtualOf = async (record: object) =>
      (await checkStore((await make(empty, lineOf(1, [['p', 'meta', record]]))).data))?.virtual;
    expect(await virtualOf({ ...meta, clock: { base: 1, at: 2, paused: true } })).toBe(true);
    expect(await virtualOf(meta)).toBe(false);
  });

  it('refuses damaged records and those of a newer version', async () => {
    const { data, file } = await make(empty, `${lineOf(1, puts('a'))}damaged\n`);
    await expect(checkStore(data)).rejects.toThrow(`${file}, line 2: the checksum does not match`);
    expect(isOpen(file)).toBe(false);
    const newer = await make({ ...empty, schemaVersion: SCHEMA_VERSION + 1 });
    await expect(checkStore(newer.data)).rejects.toThrow(`has schema version ${SCHEMA_VERSION + 1}`);
    const current = await make({ ...empty, schemaVersion: SCHEMA_VERSION });
    expect(await checkStore(current.data)).toMatchObject({ schemaVersion: SCHEMA_VERSION });
  });

  it('reads the files again that a checkpoint replaced meanwhile', async () => {
    const { data, db, file } = await make();
    rmSync(file);
    let reads = 0;
    await onFileHandles('read', async (real) => {
      const result = await real();
      reads += 1;
      if (reads === 1) {
        writeFileSync(path.join(db, 'journal-2.ndjson'), lineOf(1, puts('a', 'b', 'c')));
        await writeManifest(db, { ...empty, firstJournal: 2 });
      }
      return result;
    });
    expect((await checkStore(data))?.records).toBe(3);
  });

  it('fails when every attempt is interrupted by a checkpoint', async () => {
    const { data, db, file } = await make();
    rmSync(file);
    let manifests = 0;
    await onFileHandles('read', async (real) => {
      const result = (await real()) as { readonly bytesRead: number };
      if (result.bytesRead > 0) {
        manifests += 1;
        await writeManifest(db, { ...empty, firstJournal: manifests + 1 });
      }
      return result;
    });
    await expect(checkStore(data)).rejects.toThrow('the file is missing');
    // Five attempts, each of which reads the manifest before and after.
    expect(manifests).toBe(10);
    expect(readFileSync(path.join(db, 'manifest.json'), 'utf8')).toContain('"firstJournal":11');
  });
});

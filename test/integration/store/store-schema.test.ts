// Schema versions of the stored data: older data is migrated after a backup, newer or damaged data is refused and left
// unchanged.
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SCHEMA_VERSION } from '../../../daemon/store/migrations.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { StoreTooNew } from '../../../daemon/store/store-errors.ts';
import { actorRecord } from '../../support/service/records.ts';
import { contents, handClock, rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';

const open = (folder: string) =>
  openStore({ folder, clock: handClock(), logger: rememberingLogger(), checkpointFloor: 1_000_000_000 });

const seal = (begun: string): string => `${begun},"${crc32(begun).toString(16).padStart(8, '0')}"]`;

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

  it('data of version 1 is migrated to the current version, and a backup keeps the original', async () => {
    const folder = temporaryFolder();
    const { startFailures: _, ...newer } = actorRecord('newer');
    const db = written(folder, 1, `${seal(`[10,456,[["p","actors",${JSON.stringify(newer)}],["s",6]]`)}\n[11,4`);
    const before = contents(db);
    const store = await open(folder);
    expect([...store.all('actors')]).toEqual([actorRecord('old'), actorRecord('newer')]);
    expect(store.lastTime).toBe(456);
    expect(store.status().schemaVersion).toBe(SCHEMA_VERSION);
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

  it('damaged data of version 1 is refused and left unchanged', async () => {
    const folder = temporaryFolder();
    written(folder, 1, '[10,456,[],"00000000"]\n');
    const before = contents(folder);
    await expect(open(folder)).rejects.toThrow('journal-4.ndjson, line 1');
    expect(contents(folder)).toEqual(before);
  });

  it('an interrupted migration starts again, or is completed', async () => {
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

  it('data of a newer version is refused and left unchanged', async () => {
    const folder = temporaryFolder();
    written(folder, SCHEMA_VERSION + 1, 'something this version does not know\n');
    const before = contents(folder);
    const error = await open(folder).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreTooNew);
    expect(String(error)).toContain(`schema version ${SCHEMA_VERSION + 1}`);
    expect(contents(folder)).toEqual(before);
  });
});

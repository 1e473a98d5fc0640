// Unpacks archives into the folder of prepared data: what is written, what is refused, and what is on disk at the end.
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import fsp from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { unpackArchive } from '../../../daemon/store/archive/unpack-archive.ts';
import { SCHEMA_VERSION } from '../../../daemon/store/migrations.ts';
import { StoreUnwritable } from '../../../daemon/store/store-errors.ts';
import { filesBelow, packed, testManifest, withDigests } from '../../support/store/archives.ts';
import { isOpen, onFileHandles, systemError } from '../../support/store/file-handles.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

const STORE = { 'db/manifest.json': 'store' };
const bodies = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`bodies/${n.toString(16).padStart(32, '0')}`, `b${n}`]));

/** An archive of these files, and the folder into which it is unpacked. */
const make = (files: Readonly<Record<string, string>>, changes: Readonly<Record<string, unknown>> = {}) => {
  const members = Object.entries(files).map(([name, text]) => ({ name, content: Buffer.from(text) }));
  const manifest = testManifest({
    schema: SCHEMA_VERSION,
    files: members.length,
    bytes: members.reduce((sum, { content }) => sum + content.length, 0),
    ...changes,
  });
  const archive = path.join(temporaryFolder(), 'x.tar.gz');
  const head = { name: 'manifest.json', content: Buffer.from(JSON.stringify(manifest)) };
  writeFileSync(archive, packed(withDigests([head, ...members])));
  const folder = temporaryFolder();
  for (const part of ['db', 'bodies', 'logs']) mkdirSync(path.join(folder, part));
  const parts: number[] = [];
  return { manifest, folder, parts, unpack: () => unpackArchive(archive, folder, (part) => parts.push(part)) };
};

/** Plays a disk with this many free blocks. */
const withFree = (bavail: number, bsize: number): void => {
  const { statfs } = fsp;
  Object.assign(fsp, { statfs: async () => ({ bavail, bsize }) });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fsp, { statfs });
    syncBuiltinESMExports();
  });
};

/** The file of a descriptor; empty if it was closed meanwhile. */
const targetOf = (fd: string): string => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
};

describe('an unpacked archive', () => {
  it('contains every file with its content and private mode, and reports its progress', async () => {
    const long = 'x'.repeat(300_000);
    const { unpack, folder, manifest, parts } = make({ ...STORE, 'logs/a.ndjson': long, 'db/actors.json': '' });
    expect(await unpack()).toEqual(manifest);
    expect(filesBelow(folder)).toEqual(['db/actors.json', 'db/manifest.json', 'logs/a.ndjson']);
    expect(readFileSync(path.join(folder, 'logs', 'a.ndjson'), 'utf8')).toBe(long);
    expect(statSync(path.join(folder, 'db', 'manifest.json')).mode & 0o777).toBe(0o600);
    expect(parts.at(-1)).toBe(1);
  });

  it.runIf(process.platform === 'linux')('is on disk, and all of its many files are closed', async () => {
    const { unpack, folder } = make({ ...STORE, ...bodies(70) });
    // Of this archive only: other files of this worker have descriptors, too.
    const held = () => readdirSync('/proc/self/fd').filter((fd) => targetOf(fd).startsWith(folder)).length;
    let [syncs, open] = [0, 0];
    await onFileHandles('sync', (real) => {
      syncs += 1;
      open = Math.max(open, held());
      return real();
    });
    await unpack();
    expect(syncs).toBe(71);
    expect([open, held()]).toEqual([32, 0]);
    for (const name of filesBelow(folder)) expect(isOpen(path.join(folder, name))).toBe(false);
  });

  it('whose files cannot be made durable is refused, and its files are closed', async () => {
    const { unpack, folder } = make({ ...STORE, ...bodies(2) });
    let syncs = 0;
    await onFileHandles('sync', async () => {
      syncs += 1;
      // The others end long after the first has failed and is closed.
      if (syncs > 1) for (let turn = 0; turn < 1000; turn += 1) await setImmediate();
      throw systemError('EIO');
    });
    await expect(unpack()).rejects.toThrow('EIO');
    for (const name of filesBelow(folder)) expect(isOpen(path.join(folder, name))).toBe(false);
  });

  it('whose files cannot be written is refused, and its files are closed', async () => {
    const { unpack, folder } = make({ ...STORE, ...bodies(2) });
    await onFileHandles('write', (real, _handle, [data]) =>
      String(data).startsWith('b1') ? Promise.reject(systemError('ENOSPC')) : real(),
    );
    await expect(unpack()).rejects.toThrow('ENOSPC');
    expect(filesBelow(folder)).toHaveLength(3);
    for (const name of filesBelow(folder)) expect(isOpen(path.join(folder, name))).toBe(false);
  });

  it('needs free disk space beyond its announced size before anything is written', async () => {
    for (const [blocks, fits] of [
      [4, false],
      [5, false],
      [6, true],
    ] as const) {
      const { unpack, folder } = make({ 'db/manifest.json': 'x'.repeat(50) });
      withFree(blocks, 10);
      const done = unpack();
      if (fits) await done;
      else {
        await expect(done).rejects.toThrow(StoreUnwritable);
        await expect(done).rejects.toThrow(`the archive needs 50 bytes, and ${blocks * 10} are free`);
      }
      expect(filesBelow(folder)).toEqual(fits ? ['db/manifest.json'] : []);
    }
  });

  it('with an unknown collection is refused, unless an older version knew it', async () => {
    const files = { ...STORE, 'db/journal-1.ndjson': '', 'db/others.json': '', 'logs/db.ndjson': '' };
    await expect(make(files).unpack()).rejects.toThrow(
      'it holds "db/others.json", which this version of actorctl does not know',
    );
    const older = make(files, { schema: SCHEMA_VERSION - 1 });
    await older.unpack();
    expect(filesBelow(older.folder)).toContain('db/others.json');
    const property = { ...STORE, 'db/constructor.json': '' };
    await expect(make(property).unpack()).rejects.toThrow('it holds "db/constructor.json"');
  });

  it('without a store, or of a newer version, is refused', async () => {
    await expect(make(bodies(1)).unpack()).rejects.toThrow('it holds no "db/manifest.json"');
    await expect(make({}).unpack()).rejects.toThrow('it holds no "db/manifest.json"');
    await expect(make({ ...STORE, ...bodies(1) }).unpack()).resolves.toMatchObject({ files: 2 });
    await expect(make(STORE, { schema: SCHEMA_VERSION + 1 }).unpack()).rejects.toThrow(
      `this actorctl reads version ${SCHEMA_VERSION}`,
    );
  });
});

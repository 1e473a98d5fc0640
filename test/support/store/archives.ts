// Archives for tests: a data folder with everything open, and handmade archives.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { CollectionName } from '../../../daemon/domain/records/collections.ts';
import type { ReadView } from '../../../daemon/ports/store.ts';
import { createArchives } from '../../../daemon/store/archive/data-archive.ts';
import { openBodies } from '../../../daemon/store/bodies.ts';
import { openLogs } from '../../../daemon/store/logs/logs.ts';
import { collectionNames } from '../../../daemon/store/record-table.ts';
import { openStore, type StoreOptions } from '../../../daemon/store/store.ts';
import type { ArchiveManifest } from '../../../src/local/archive/archive-manifest.ts';
import { paddingOf, readTarHeader } from '../../../src/local/archive/tar-header.ts';
import { handClock, rememberingLogger } from './store-fixtures.ts';

/** A manifest of an archive with one empty file, and these changes, which need not be valid. */
export const testManifest = (changes: Readonly<Record<string, unknown>> = {}): ArchiveManifest => ({
  format: 'actorctl-data',
  version: 1,
  product: '9.9.9',
  schema: 3,
  instance: 'test',
  instance_id: 'id',
  created_at: '2026-01-31T12:00:00.000Z',
  keys: false,
  records: {},
  running: 0,
  files: 1,
  bytes: 0,
  ...changes,
});

/** Opens a data folder with store, bodies, logs and archives. */
export const openData = async (folder: string, options: Partial<StoreOptions> = {}) => {
  const [clock, logger] = [handClock(), rememberingLogger()];
  const store = await openStore({ folder, clock, logger, ...options });
  const bodies = await openBodies({ folder });
  const logs = await openLogs({ folder, clock, logger });
  const keyFile = path.join(folder, 'config-key.json');
  const archives = createArchives({ store, bodies, logs, keyFile, instance: 'test', version: '9.9.9', clock });
  const write = (file: string, withKeys = false) =>
    archives.write(file, { withKeys, onProgress: () => undefined, signal: new AbortController().signal });
  return { store, bodies, logs, archives, write, clock, logger, keyFile };
};

/** All records of a store as text, by collection and in their order. */
export const allRecords = (view: ReadView): Readonly<Partial<Record<CollectionName, readonly string[]>>> =>
  Object.fromEntries(
    collectionNames.map((name) => [name, [...view.all(name)].map((record) => JSON.stringify(record))]),
  );

/** A file of an archive. */
export interface Member {
  readonly name: string;
  readonly content: Buffer;
}

/** The files of an archive. */
export const membersOf = (file: string): Member[] => {
  const bytes = gunzipSync(readFileSync(file));
  const members: Member[] = [];
  for (let at = 0; ; ) {
    const entry = readTarHeader(bytes.subarray(at, at + 512));
    if (entry.is !== 'file') return members;
    const start = at + 512;
    members.push({ name: entry.name, content: Buffer.from(bytes.subarray(start, start + entry.size)) });
    at = start + entry.size + paddingOf(entry.size);
  }
};

/** The header of a regular file, which may announce any size. */
export const tarHeader = (name: string, size: number): Buffer => {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  if (size < 8 ** 11) block.write(size.toString(8).padStart(11, '0'), 124, 'latin1');
  else block.writeUInt8(0x80, 124) && block.writeBigUInt64BE(BigInt(size), 128);
  block.write('0', 156, 'latin1');
  return withChecksum(block);
};

/** The header with the checksum of its bytes. */
export const withChecksum = (block: Buffer): Buffer => {
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
};

/** The bytes of an archive with these files, as they are. @param rest bytes before the end */
export const packed = (members: readonly Member[], rest: readonly Uint8Array[] = []): Buffer =>
  gzipSync(
    Buffer.concat([
      ...members.flatMap(({ name, content }) => [
        tarHeader(name, content.length),
        content,
        Buffer.alloc(paddingOf(content.length)),
      ]),
      ...rest,
      Buffer.alloc(1024),
    ]),
  );

/** The files with a list of digests that matches them. */
export const withDigests = (members: readonly Member[]): Member[] => {
  const rest = members.filter(({ name }) => name !== 'SHA256SUMS');
  const lines = rest.map(({ name, content }) => `${createHash('sha256').update(content).digest('hex')}  ${name}\n`);
  return [...rest, { name: 'SHA256SUMS', content: Buffer.from(lines.join('')) }];
};

/** The files of a folder, by path. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

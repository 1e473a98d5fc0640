// Archives for tests: a data folder with everything open, and archives that somebody made by hand.
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
import { END_BLOCKS, paddingOf, readTarHeader, tarHeader } from '../../../src/local/archive/tar-header.ts';
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

/** The bytes of an archive with these files, as they are. @param rest bytes before the end */
export const packed = (members: readonly Member[], rest: readonly Uint8Array[] = []): Buffer =>
  gzipSync(
    Buffer.concat([
      ...members.flatMap(({ name, content }) => [
        tarHeader(name, content.length, 0),
        content,
        Buffer.alloc(paddingOf(content.length)),
      ]),
      ...rest,
      END_BLOCKS,
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

// Archives of all data of an instance at one instant: records, bodies, logs, and the key if requested.
import { readFileSync } from 'node:fs';
import { ARCHIVE_VERSION, type ArchiveManifest, KEY_FILE } from '../../../src/local/archive/archive-manifest.ts';
import { Failure } from '../../domain/failure.ts';
import type { ArchiveOptions, Archives } from '../../ports/archives.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StoredBodies } from '../bodies.ts';
import { openToRead } from '../durable-files.ts';
import { manifestText } from '../journal/manifest.ts';
import type { StoredLogs } from '../logs/logs.ts';
import { SCHEMA_VERSION } from '../migrations.ts';
import type { StoredData } from '../store.ts';
import { errnoOf, unavailable } from '../store-errors.ts';
import { type ArchiveFile, writeArchive } from './archive-writer.ts';
import type { CapturedRecords } from './captured-records.ts';
import type { HeldFolder } from './held-folder.ts';

const piecesOf = async function* (path: string, size: number): AsyncGenerator<Uint8Array> {
  if (size === 0) return;
  yield* (await openToRead(path)).createReadStream({ end: size - 1 });
};

const filesOf = async (folder: HeldFolder, prefix: string): Promise<ArchiveFile[]> =>
  (await folder.files()).map(({ name, size, content }) => ({
    name: `${prefix}/${name}`,
    size,
    pieces: () => (content === undefined ? piecesOf(folder.path(name), size) : [content]),
  }));

const whole = (name: string, content: string | Buffer): ArchiveFile => {
  const bytes = Buffer.from(content);
  return { name, size: bytes.length, pieces: () => [bytes] };
};

/** The files of the store in the state that a clean stop leaves: snapshots and an empty journal. */
const recordFiles = async (captured: CapturedRecords) => {
  const files: ArchiveFile[] = [];
  const records: Record<string, number> = {};
  for (const { name, measure, slices } of captured.collections) {
    const measured = await measure();
    if (measured.records === 0) continue;
    records[name] = measured.records;
    files.push({ name: `db/${name}.json`, size: measured.bytes, pieces: slices });
  }
  const { decision, sequence, time } = captured;
  const snapshots = Object.keys(records);
  const manifest = { schemaVersion: SCHEMA_VERSION, firstJournal: 1, decision, sequence, time, snapshots };
  files.push(whole('db/journal-1.ndjson', ''), whole('db/manifest.json', manifestText(manifest)));
  return { files, records };
};

export interface ArchivesOptions {
  readonly store: Pick<StoredData, 'capture' | 'each' | 'get'>;
  readonly bodies: Pick<StoredBodies, 'hold'>;
  readonly logs: Pick<StoredLogs, 'hold'>;
  readonly keyFile: string;
  readonly instance: string;
  readonly version: string;
  readonly clock: Clock;
}

/** Creates the archives of an open data folder. @see docs/adr/0021-backup-archives-hold-one-instant.md */
export const createArchives = (options: ArchivesOptions): Archives => {
  const { store, bodies, logs, keyFile, instance, version, clock } = options;

  /** Captures everything in one synchronous step, so that nothing can change in between. */
  const hold = () => {
    const running = new Set<string>();
    for (const { id } of store.each('executions', 'running', 'yes')) running.add(id);
    return {
      at: clock.now(),
      running,
      instanceId: store.get('meta', 'instance')?.instanceId ?? '',
      captured: store.capture(),
      bodies: bodies.hold(),
      logs: logs.hold(running),
    };
  };

  const write = async (
    file: string,
    { withKeys, ...options }: ArchiveOptions,
    held: ReturnType<typeof hold>,
    keys: Buffer | undefined,
  ): Promise<{ readonly manifest: ArchiveManifest; readonly size: number }> => {
    // Logs are written first, because those of running executions continue to grow.
    const logFiles = await filesOf(held.logs, 'logs');
    const { files: dbFiles, records } = await recordFiles(held.captured);
    const files = [
      ...dbFiles,
      ...(await filesOf(held.bodies, 'bodies')),
      ...logFiles,
      ...(keys === undefined ? [] : [whole(KEY_FILE, keys)]),
    ];
    const manifest: ArchiveManifest = {
      format: 'actorctl-data',
      version: ARCHIVE_VERSION,
      product: version,
      schema: SCHEMA_VERSION,
      instance,
      instance_id: held.instanceId,
      created_at: new Date(held.at).toISOString(),
      keys: withKeys,
      records,
      running: held.running.size,
      files: files.length,
      bytes: files.reduce((sum, { size }) => sum + size, 0),
    };
    return { manifest, size: await writeArchive(file, manifest, files, options) };
  };

  return {
    async write(file, given) {
      try {
        // The key is captured in one step with the records, because a key rotation deletes the old key once the last
        // config has the new one.
        const keys = given.withKeys ? readFileSync(keyFile) : undefined;
        const held = hold();
        try {
          return await write(file, given, held, keys);
        } finally {
          held.captured.release();
          await held.bodies.release();
          await held.logs.release();
        }
      } catch (error) {
        if (given.signal.aborted) throw given.signal.reason;
        if (given.isNew && errnoOf(error) === 'EEXIST') throw new Failure('ALREADY_EXISTS', `${file} already exists`);
        throw errnoOf(error) === undefined ? error : unavailable(error);
      }
    },
  };
};

// The manifest of the store: its schema version, and the first journal to replay over the snapshots.
import path from 'node:path';
import { replaceFile } from '../../../src/local/atomic-file.ts';
import { readLines } from '../durable-files.ts';
import { errnoOf, StoreDamaged } from '../store-errors.ts';
import { seal, unseal } from './sealed-line.ts';

export interface Manifest {
  readonly schemaVersion: number;
  readonly firstJournal: number;
  /** Number of the last transaction before that journal. */
  readonly decision: number;
  /** Last number of the sequence from which records are numbered. */
  readonly sequence: number;
  /** Latest known time (ms). */
  readonly time: number;
  /** Collections whose snapshot must exist; absent in older manifests. */
  readonly snapshots?: readonly string[];
}

const manifestPath = (folder: string): string => path.join(folder, 'manifest.json');

const isManifest = (value: unknown): value is Manifest => {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const snapshots = fields.get('snapshots') ?? [];
  return (
    ['schemaVersion', 'firstJournal', 'decision', 'sequence', 'time'].every((name) =>
      Number.isSafeInteger(fields.get(name)),
    ) &&
    Array.isArray(snapshots) &&
    snapshots.every((name) => typeof name === 'string')
  );
};

/** Undefined when the file does not exist. @throws StoreDamaged */
export const readManifest = async (folder: string): Promise<Manifest | undefined> => {
  const file = manifestPath(folder);
  const found: unknown[] = [];
  try {
    const { end, size } = await readLines(file, (line) => found.push(unseal(line)?.[0]));
    const [manifest] = found;
    if (found.length === 1 && end === size && isManifest(manifest)) return manifest;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  throw new StoreDamaged(file, 1, 'the checksum does not match');
};

export const manifestText = (manifest: Manifest): string => `${seal(`[${JSON.stringify(manifest)}`)}\n`;

export const writeManifest = async (folder: string, manifest: Manifest): Promise<void> => {
  await replaceFile(manifestPath(folder), (append) => append(manifestText(manifest)));
};

// The snapshots of a data folder: named archives in a separate folder.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { CliFailure, fileFailure, messageOf, systemCode, usage } from '../../failure.ts';
import { sweepTemporary } from '../atomic-file.ts';
import { type ArchiveManifest, ArchiveRefused } from './archive-manifest.ts';
import { readArchiveManifest } from './archive-reader.ts';

const ENDING = '.tar.gz';

export const snapshotsFolder = (dataDir: string): string => path.join(dataDir, 'snapshots');

/**
 * True if a snapshot may have this name. An ending such as `.tar.gz` is refused, because the file name adds its own.
 */
export const isSnapshotName = (name: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name) && !/\.(?:tar\.gz|tgz)$/i.test(name);

export const snapshotFile = (dataDir: string, name: string): string => {
  if (isSnapshotName(name)) return path.join(snapshotsFolder(dataDir), `${name}${ENDING}`);
  throw usage(
    `"${name}" cannot be the name of a snapshot`,
    'use at most 64 letters, digits, ".", "-" and "_", beginning with a letter or digit and not ending with .tar.gz',
  );
};

/** A name for a snapshot that is taken before data are replaced: `before-restore-20261122T165328123Z`. */
export const safetyName = (before: 'restore' | 'reset', now: number): string =>
  `before-${before}-${new Date(now).toISOString().replace(/[-:.]/g, '')}`;

export interface Snapshot {
  readonly name: string;
  readonly file: string;
  /** Bytes. */
  readonly size: number;
  /** Absent if the snapshot cannot be read; `problem` then says why. */
  readonly manifest?: ArchiveManifest;
  readonly problem?: string;
}

export const describeArchive = async (file: string): Promise<ArchiveManifest> => {
  try {
    return await readArchiveManifest(file);
  } catch (error) {
    throw archiveFailure(file, error);
  }
};

export const archiveFailure = (file: string, error: unknown): unknown => {
  if (error instanceof ArchiveRefused)
    return new CliFailure('VALIDATION', `cannot use ${file}: ${error.message}`, { cause: error });
  if (systemCode(error) === 'ENOENT')
    return new CliFailure('NOT_FOUND', `there is no file ${file}`, { hint: 'actorctl snapshot list', cause: error });
  if (systemCode(error) !== undefined) return fileFailure('cannot read', file, error);
  return error;
};

const namesIn = async (folder: string): Promise<readonly string[]> => {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return [];
    throw fileFailure('cannot read', folder, error);
  }
};

export const snapshotNames = async (dataDir: string): Promise<readonly string[]> =>
  (await namesIn(snapshotsFolder(dataDir)))
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length))
    .filter(isSnapshotName)
    .sort();

/** The snapshots of a data folder, oldest first. */
export const listSnapshots = async (dataDir: string): Promise<readonly Snapshot[]> => {
  const found: Snapshot[] = [];
  for (const name of await snapshotNames(dataDir)) {
    const file = snapshotFile(dataDir, name);
    try {
      const { size } = await stat(file);
      const manifest = await describeArchive(file).catch((error: unknown) => messageOf(error));
      found.push({ name, file, size, ...(typeof manifest === 'string' ? { problem: manifest } : { manifest }) });
    } catch (error) {
      // The snapshot was deleted since the folder was read.
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }
  const time = ({ manifest }: Snapshot): string => manifest?.created_at ?? '';
  return found.sort((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0));
};

/** Removes incomplete snapshots of killed daemons. Call it only while no daemon can be writing a snapshot. */
export const sweepSnapshots = async (dataDir: string): Promise<void> => {
  const left = /^(.+\.tar\.gz)\.[0-9a-f]+\.tmp$/;
  const files = new Set((await namesIn(snapshotsFolder(dataDir))).flatMap((name) => left.exec(name)?.[1] ?? []));
  for (const file of files) await sweepTemporary(path.join(snapshotsFolder(dataDir), file));
};

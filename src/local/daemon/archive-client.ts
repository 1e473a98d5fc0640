// Client of the daemon's management socket for archives: writes all data of the instance into one file.
import * as z from 'zod/mini';
import type { ArchiveManifest } from '../archive/archive-manifest.ts';
import { streamAsker } from './management-stream.ts';

const written = z.object({
  file: z.string(),
  /** Bytes. */
  size: z.number(),
  // The daemon has just written it with the schema of this program.
  manifest: z.custom<ArchiveManifest>((value) => typeof value === 'object' && value !== null),
});

/** A file with all data. */
export type WrittenArchive = z.output<typeof written>;

/** Where an archive is written: a snapshot of the instance, or a new file at an absolute path. */
export type ArchiveTarget = { readonly snapshot: string } | { readonly file: string };

/**
 * Writes all data of the instance as they are at one instant.
 * @param onProgress called with the part that is written, from 0 to 1
 * @throws CliFailure ALREADY_EXISTS, STORE_UNAVAILABLE, DAEMON_NOT_RUNNING, CANCELLED
 */
export const writeArchive = (
  socket: string,
  target: ArchiveTarget & { readonly keys: boolean },
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<WrittenArchive> =>
  streamAsker(socket, signal)('/manage/archive', written, target, undefined, (text) => onProgress(Number(text)));

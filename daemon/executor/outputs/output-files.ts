// The files in which a run returns a result and its next state. They are made before the run and read after it, as
// untrusted: the run can have replaced them by links, devices or anything of any size.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, type FileHandle, lstat, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunSpec } from '../../ports/executor.ts';
import type { Output, OutputLimits, RunOutputs } from '../../ports/runs/outputs.ts';
import { errorCode } from '../read-field.ts';

/** Absolute paths of the files on this machine. */
export interface OutputFiles {
  readonly result: string;
  /** Absent for a stateless actor. */
  readonly state?: string;
}

const RESULT = 'result';
const STATE = 'state';
/** Digest of the state that the run began with. Kept as a file, because a later daemon reads the outputs. */
const GIVEN = 'given-state';

/** White space around a JSON text has no meaning, and `echo` adds a line end. @see RFC 8259 2 */
const trimmed = (bytes: Uint8Array): Uint8Array => {
  const isSpace = (at: number): boolean => [0x20, 0x09, 0x0a, 0x0d].includes(bytes[at] ?? 0);
  let start = 0;
  let end = bytes.length;
  while (start < end && isSpace(start)) start += 1;
  while (end > start && isSpace(end - 1)) end -= 1;
  return bytes.subarray(start, end);
};

const digestOf = (state: Uint8Array): string => createHash('sha256').update(trimmed(state)).digest('hex');

/**
 * Makes the files in a new folder of mode 0700.
 * @param mode of the two files: 0o666 if runs have other users than the daemon, as containers do
 */
export const makeOutputFiles = async (
  folder: string,
  { state }: NonNullable<RunSpec['outputs']>,
  mode: number,
): Promise<OutputFiles> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const make = async (name: string, content: string): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, content, { flag: 'wx', mode });
    // The umask of the daemon took bits away.
    await chmod(file, mode);
    return file;
  };
  const result = await make(RESULT, '');
  if (state === undefined) return { result };
  await writeFile(path.join(folder, GIVEN), digestOf(Buffer.from(state)), { flag: 'wx', mode: 0o600 });
  return { result, state: await make(STATE, state) };
};

/** Errors of the daemon's own process or of the disk, which another attempt may not have. */
const PASSING = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR', 'EIO']);

const FAULTS: Readonly<Record<string, string>> = {
  ELOOP: 'the file was replaced by a symbolic link',
  ENXIO: 'the file was replaced by something that is not a regular file',
  ENOENT: 'the file was deleted',
  EACCES: 'the permissions of the file were changed, so that it cannot be read',
};

/** Reads from the start to the end, at most one byte more than `limit`. The file may grow meanwhile. */
const readUpTo = async (handle: FileHandle, limit: number): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  for (let read = 0; read <= limit; ) {
    const piece = Buffer.allocUnsafe(Math.min(limit + 1 - read, 256 * 1024));
    const { bytesRead } = await handle.read(piece, 0, piece.length, read);
    if (bytesRead === 0) break;
    pieces.push(piece.subarray(0, bytesRead));
    read += bytesRead;
  }
  return Buffer.concat(pieces);
};

const readOutput = async (file: string, limit: number): Promise<Output> => {
  let handle: FileHandle;
  try {
    // Without O_NONBLOCK, opening a FIFO waits for a writer.
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = String(errorCode(error));
    if (PASSING.has(code)) throw error;
    return { fault: FAULTS[code] ?? `the file cannot be read (${code})` };
  }
  try {
    const found = await handle.stat();
    if (!found.isFile()) return { fault: FAULTS['ENXIO'] ?? '' };
    if (found.nlink > 1) return { fault: 'the file has a second name (a hard link)' };
    const bytes = await readUpTo(handle, limit);
    return bytes.length > limit ? { fault: `the file has more than ${limit} bytes` } : { bytes };
  } finally {
    await handle.close();
  }
};

const isFolder = async (folder: string): Promise<boolean> => {
  try {
    return (await lstat(folder)).isDirectory();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
};

const givenDigest = async (folder: string): Promise<string | undefined> => {
  try {
    return await readFile(path.join(folder, GIVEN), 'latin1');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** The outputs of a run that has ended. Empty if the folder does not exist, because the run had no such files. */
export const readOutputFiles = async (folder: string, limits: OutputLimits): Promise<RunOutputs> => {
  if (!(await isFolder(folder))) return {};
  const result = await readOutput(path.join(folder, RESULT), limits.resultBytes);
  const given = await givenDigest(folder);
  const state = given === undefined ? undefined : await readOutput(path.join(folder, STATE), limits.stateBytes);
  const isChanged = state !== undefined && !('bytes' in state && digestOf(state.bytes) === given);
  return {
    ...(!('bytes' in result && result.bytes.length === 0) && { result }),
    ...(isChanged && { state: 'bytes' in state ? { bytes: trimmed(state.bytes) } : state }),
  };
};

/** Bytes that the files take up on the disk. 0 for a run without such files. */
export const outputBytes = async (folder: string): Promise<number> => {
  let sum = 0;
  for (const name of [RESULT, STATE]) {
    // `blocks` counts 512 bytes each, and leaves out the holes of a sparse file.
    sum += await lstat(path.join(folder, name)).then(
      ({ blocks }) => blocks * 512,
      () => 0,
    );
  }
  return sum;
};

// Reads and writes files that a user names in a command, and reads stdin.
import { constants, createReadStream, openSync } from 'node:fs';
import { chmod, chown, type FileHandle, open, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CliFailure, fileFailure, reasonOf, systemCode, usage } from '../failure.ts';
import { behindLinks, replaceFile } from './atomic-file.ts';
import { makeFolders } from './folders/make-folders.ts';

/** Folder for relative names, the stream for `-`, and the signal that ends a wait for a stream. */
export interface Sources {
  readonly cwd: string;
  readonly openStdin: () => AsyncIterable<Buffer>;
  readonly signal: AbortSignal;
}

/** The pieces of a stream. @throws CliFailure CANCELLED when `signal` fires, even while waiting for a piece */
async function* interruptible(input: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  const iterator = input[Symbol.asyncIterator]();
  let interrupt = (): void => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = () => reject(new CliFailure('CANCELLED', 'interrupted'));
  });
  interrupted.catch(() => undefined);
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  try {
    for (;;) {
      const { done, value } = await Promise.race([iterator.next(), interrupted]);
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', interrupt);
    void iterator.return?.();
  }
}

/**
 * The first lines of stdin, without their line ends. Does not wait for the end of stdin.
 * @returns fewer lines if stdin has fewer
 * @throws CliFailure USAGE if they have more than `limit` bytes together
 */
export const readStdinLines = async (count: number, limit: number, sources: Sources): Promise<readonly string[]> => {
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of interruptible(sources.openStdin(), sources.signal)) {
    text += decoder.decode(piece, { stream: true });
    if (Buffer.byteLength(text) > limit) throw usage(`stdin has more than ${limit} bytes`, 'give one secret per line');
    if (text.split('\n').length > count) break;
  }
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines.slice(0, count);
};

const readAll = async (
  input: AsyncIterable<Buffer>,
  source: string,
  limit: number,
  signal: AbortSignal,
): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of interruptible(input, signal)) {
    size += piece.byteLength;
    if (size > limit) throw usage(`${source} has more than ${limit} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};

/**
 * Reads a FIFO, for example one of a shell's `<(...)`. A plain read would block a thread, and with it the end of
 * the process.
 */
const readFifo = async (file: string, source: string, limit: number, signal: AbortSignal): Promise<Buffer> => {
  const { Socket } = process.getBuiltinModule('node:net');
  const fifo = new Socket({ fd: openSync(file, constants.O_RDONLY | constants.O_NONBLOCK), writable: false });
  try {
    return await readAll(fifo, source, limit, signal);
  } finally {
    fifo.destroy();
  }
};

/** Reads a file, or stdin to its end for `-`. @param limit largest size in bytes */
export const readSource = async (source: string, limit: number, sources: Sources): Promise<Buffer> => {
  const { signal } = sources;
  if (source === '-') return readAll(sources.openStdin(), 'stdin', limit, signal);
  const file = path.resolve(sources.cwd, source);
  try {
    const found = await stat(file);
    if (found.isFIFO()) return await readFifo(file, source, limit, signal);
    if (found.size > limit) throw usage(`${source} has more than ${limit} bytes`);
    // The reported size of a device or system file is meaningless.
    return await readAll(createReadStream(file), source, limit, signal);
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    const reason = systemCode(error) === 'ENOENT' ? 'there is no such file' : reasonOf(error);
    throw new CliFailure('USAGE', `cannot read ${source}: ${reason}`, { cause: error, blocked: file });
  }
};

/** Reads a file again on every call, but stdin (`-`) and a pipe only once, because they are empty afterwards. */
export const rereading = (source: string, limit: number, sources: Sources): (() => Promise<Buffer>) => {
  let once: Promise<Buffer> | undefined;
  return async () => {
    const found = source === '-' ? undefined : await stat(path.resolve(sources.cwd, source)).catch(() => undefined);
    if (found?.isFile()) return readSource(source, limit, sources);
    once ??= readSource(source, limit, sources);
    return once;
  };
};

export const makeFolder = async (target: string, cwd: string): Promise<void> => {
  try {
    await makeFolders(path.resolve(cwd, target), 0o777);
  } catch (error) {
    throw fileFailure('cannot create the folder', path.resolve(cwd, target), error);
  }
};

const cannotWrite = (target: string, cwd: string, error: unknown, hint?: string): CliFailure => {
  const reason = systemCode(error) === 'ENOENT' ? 'its folder does not exist' : reasonOf(error);
  const blocked = path.resolve(cwd, target);
  return new CliFailure('USAGE', `cannot write ${target}: ${reason}`, { ...(hint && { hint }), cause: error, blocked });
};

export const writeTarget = async (target: string, bytes: Uint8Array, cwd: string): Promise<void> => {
  try {
    await writeFile(path.resolve(cwd, target), bytes);
  } catch (error) {
    throw cannotWrite(target, cwd, error);
  }
};

/**
 * Replaces a file. Follows a link, and keeps the mode and, if permitted, the owner. The old file stays if the disk is
 * full.
 */
export const replaceTarget = async (file: string, content: string | Uint8Array): Promise<void> => {
  const target = await behindLinks(file);
  const old = await stat(target).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  await replaceFile(target, (append) => append(content), { mode: old === undefined ? 0o666 : old.mode & 0o7777 });
  if (old === undefined) return;
  // Only root may change the owner of a file. With sudo or in a container, the new file keeps the owner of the old
  // file.
  await chown(target, old.uid, old.gid).catch(() => undefined);
  // The umask and the change of owner may have removed mode bits from the new file.
  await chmod(target, old.mode & 0o7777);
};

/** Opens a file for writing without truncating it. `isNew`: the file did not exist. */
const openTarget = async (file: string): Promise<{ readonly handle: FileHandle; readonly isNew: boolean }> => {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  try {
    return { handle: await open(file, O_WRONLY | O_CREAT | O_EXCL, 0o666), isNew: true };
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    return { handle: await open(file, O_WRONLY | O_CREAT, 0o666), isNew: false };
  }
};

/**
 * Creates or overwrites a file piece by piece. The file is opened before `produce` runs, so that bytes that can be read
 * only once are not lost because the file cannot be written. If `produce` throws, the file has the pieces written so
 * far; without any piece, the file is unchanged. The function uses no temporary file, because the target may be a
 * link or a device such as /dev/null.
 */
export const fillTarget = async <T>(
  target: string,
  cwd: string,
  produce: (append: (bytes: Uint8Array) => Promise<void>) => Promise<T>,
): Promise<T> => {
  const file = path.resolve(cwd, target);
  const { handle, isNew } = await openTarget(file).catch((error: unknown) => {
    throw cannotWrite(target, cwd, error);
  });
  let isEmptied = false;
  const append = async (bytes: Uint8Array): Promise<void> => {
    try {
      // Only a regular file has old content.
      if (!isEmptied && (await handle.stat()).isFile()) await handle.truncate();
      isEmptied = true;
      await handle.writeFile(bytes);
    } catch (error) {
      throw cannotWrite(target, cwd, error);
    }
  };
  try {
    const value = await produce(append);
    await append(Buffer.alloc(0));
    return value;
  } catch (error) {
    if (isNew && !isEmptied) await unlink(file);
    throw error;
  } finally {
    await handle.close();
  }
};

/**
 * Creates a file with secrets that only its owner can read, and returns the value of `produce`. The file is created
 * before `produce` runs, so that a secret that can be produced only once is not lost because the file cannot be
 * created. If anything throws, the file is removed.
 * @throws CliFailure ALREADY_EXISTS if the name is taken; USAGE if the file cannot be written; and every error of
 * `produce`
 * @see docs/conformance/security.md R140
 */
export const createSecretFile = async <T>(
  target: string,
  cwd: string,
  produce: () => Promise<{ readonly text: string; readonly value: T }>,
  hint?: string,
): Promise<T> => {
  const file = path.resolve(cwd, target);
  const handle = await open(file, 'wx', 0o600).catch((error: unknown) => {
    if (systemCode(error) === 'EEXIST') {
      throw new CliFailure('ALREADY_EXISTS', `the file ${target} already exists`, {
        hint: 'move it away or name another file',
        cause: error,
      });
    }
    throw cannotWrite(target, cwd, error);
  });
  try {
    const { text, value } = await produce();
    try {
      await handle.writeFile(text);
      await handle.sync();
      return value;
    } catch (error) {
      throw cannotWrite(target, cwd, error, hint);
    }
  } catch (error) {
    await unlink(file);
    throw error;
  } finally {
    await handle.close();
  }
};

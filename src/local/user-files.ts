// Files and stdin that a command was told to read or write.
import { mkdir, open, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CliFailure, messageOf, systemCode, usage } from '../failure.ts';

/** Where relative names start, and what `-` stands for. */
export interface Sources {
  readonly cwd: string;
  readonly stdin: AsyncIterable<Buffer>;
}

const readAll = async (input: AsyncIterable<Buffer>, limit: number): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of input) {
    size += piece.byteLength;
    if (size > limit) throw usage(`stdin holds more than ${limit} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};

/**
 * Reads a file, or stdin to its end for `-`.
 * @param limit largest size in bytes
 * @throws CliFailure USAGE when it cannot be read or is larger
 */
export const readSource = async (source: string, limit: number, sources: Sources): Promise<Buffer> => {
  if (source === '-') return readAll(sources.stdin, limit);
  const file = path.resolve(sources.cwd, source);
  try {
    const { size } = await stat(file);
    if (size > limit) throw usage(`${source} holds more than ${limit} bytes`);
    return await readFile(file);
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    const reason = systemCode(error) === 'ENOENT' ? 'there is no such file' : messageOf(error);
    throw new CliFailure('USAGE', `${source} cannot be read: ${reason}`, { cause: error });
  }
};

/** Makes a folder, with its parents, where there is none. @throws CliFailure USAGE when it cannot */
export const makeFolder = async (target: string, cwd: string): Promise<void> => {
  try {
    await mkdir(path.resolve(cwd, target), { recursive: true });
  } catch (error) {
    throw new CliFailure('USAGE', `${target} cannot be made a folder: ${messageOf(error)}`, { cause: error });
  }
};

/** Writes a file, made anew or overwritten. @throws CliFailure USAGE when it cannot */
export const writeTarget = async (target: string, bytes: Uint8Array, cwd: string): Promise<void> => {
  try {
    await writeFile(path.resolve(cwd, target), bytes);
  } catch (error) {
    throw new CliFailure('USAGE', `${target} cannot be written: ${messageOf(error)}`, { cause: error });
  }
};

/**
 * Makes a file with secrets, for its owner alone. The name is taken before `produce` runs, so that what can be produced
 * only once is not lost to a name that cannot be written; nothing stays behind when it throws. Answers the value produced.
 * @param hint what to do when what was produced could not be written down
 * @throws CliFailure ALREADY_EXISTS when there is such a file or link; USAGE when it cannot be written; whatever `produce` throws
 * @see auth.md R140
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
      throw new CliFailure('ALREADY_EXISTS', `there is a file ${target} already`, {
        hint: 'move it away or name another one',
        cause: error,
      });
    }
    throw new CliFailure('USAGE', `${target} cannot be written: ${messageOf(error)}`, { cause: error });
  });
  try {
    const { text, value } = await produce();
    try {
      await handle.writeFile(text);
      await handle.sync();
      return value;
    } catch (error) {
      throw new CliFailure('USAGE', `${target} cannot be written: ${messageOf(error)}`, {
        ...(hint !== undefined && { hint }),
        cause: error,
      });
    }
  } catch (error) {
    await unlink(file);
    throw error;
  } finally {
    await handle.close();
  }
};

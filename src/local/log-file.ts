// Reads the end of a text file, and the lines that are added to it.
import { open, stat } from 'node:fs/promises';
import { systemCode } from '../failure.ts';

/** Largest number of bytes to read at once. */
const WINDOW = 4 * 1024 * 1024;

export interface Piece {
  readonly text: string;
  /** Offset after the piece, in bytes. */
  readonly end: number;
}

/**
 * The complete lines of a file from `offset` on. A negative offset counts from the end. Without a file the text is
 * empty. A file that is shorter than `offset` is read from its beginning.
 */
export const readFrom = async (file: string, offset: number): Promise<Piece> => {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return { text: '', end: 0 };
    throw error;
  }
  try {
    const { size } = await handle.stat();
    const start = offset < 0 ? Math.max(0, size + offset) : offset > size ? 0 : offset;
    const buffer = Buffer.alloc(Math.min(size - start, WINDOW));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
    const lastLineEnd = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
    return { text: buffer.toString('utf8', 0, lastLineEnd), end: start + lastLineEnd };
  } finally {
    await handle.close();
  }
};

export const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

/** Size of a file in bytes. 0 if there is none. */
export const sizeOf = async (file: string): Promise<number> => (await stat(file).catch(() => undefined))?.size ?? 0;

/**
 * The last `count` lines of a file, from at most its last 4 MiB. Empty if there is no file.
 * @param since offset of the first line that counts; the whole file if it is shorter
 */
export const tail = async (file: string, count: number, since = 0): Promise<readonly string[]> => {
  const size = await sizeOf(file);
  const start = since > size ? 0 : since;
  return count === 0 ? [] : linesOf((await readFrom(file, Math.max(start, size - WINDOW))).text).slice(-count);
};

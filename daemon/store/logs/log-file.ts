// The log file of an execution: one JSON array per line, read in pieces of at most one chunk.
import { stat } from 'node:fs/promises';
import type { LogLine } from '../../../src/contract/actors/executions.ts';
import { TAIL_BYTES } from '../../domain/executions/output-tail.ts';
import { openToRead } from '../durable-files.ts';
import { errnoOf } from '../store-errors.ts';

const marks = { stdout: 'o', stderr: 'e', notice: 'n' } as const;
type Stream = keyof typeof marks;
const streams: ReadonlyMap<unknown, Stream> = new Map([
  ['o', 'stdout'],
  ['e', 'stderr'],
  ['n', 'notice'],
]);

/** Maximum characters of text on one line: even if JSON needs six bytes for each, the line fits into a chunk. */
export const MAX_TEXT = 16 * 1024;
const CHUNK = 128 * 1024;
const NEWLINE = 10;

export const logLine = (time: number, stream: Stream, text: string): string =>
  `${JSON.stringify([time, marks[stream], text])}\n`;

/** The first characters of a text, at most `length`; never splits a surrogate pair. */
export const head = (text: string, length: number): string => {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
};

export const LIMIT_NOTICE = `[log size limit reached: of the output that follows, only the last ${TAIL_BYTES / 1024} KiB are kept and shown at the end]`;
export const UNKNOWN_NOTICE = '[the rest of the output is not known]';
export const leftOutNotice = (bytes: number, isLeast: boolean): string =>
  bytes === 0 ? '[nothing is left out]' : `[${isLeast ? 'at least ' : ''}${bytes} bytes left out]`;

/** The mark of the last line of a log that reached its limit. Readers skip this line. */
const END = 'z';
/** Maximum length of that line in bytes. */
const END_LENGTH = 64;
export const endLine = (time: number, leftOut: number | null): string => `${JSON.stringify([time, END, leftOut])}\n`;

const parse = (line: string, cursor: number): LogLine | undefined => {
  try {
    const elements: unknown = JSON.parse(line);
    if (!Array.isArray(elements)) return undefined;
    const [time, mark, text]: unknown[] = elements;
    const stream = streams.get(mark);
    if (typeof time !== 'number' || stream === undefined || typeof text !== 'string') return undefined;
    return { cursor: String(cursor), time: new Date(time).toISOString(), stream, text };
  } catch {
    return undefined; // A damaged line is skipped, so that the rest of the log stays readable.
  }
};

const readChunk = async (file: string, from: number, length: number): Promise<Buffer> => {
  try {
    const handle = await openToRead(file);
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, from);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
};

/** Bytes of a log; 0 without a file. */
export const fileSize = async (file: string): Promise<number> => {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0;
    throw error;
  }
};

export interface LogPiece {
  readonly lines: readonly LogLine[];
  readonly position: number;
  /** False if the piece has all complete lines that the file had up to the limit. */
  readonly more: boolean;
}

/**
 * The complete lines after `position`, at most one chunk, none that ends after `limit`. A position inside a line counts
 * as the start of the next line; this happens when the file was written anew in the meantime.
 */
export const readPiece = async (file: string, position: number, limit: number): Promise<LogPiece> => {
  if (limit <= position) return { lines: [], position, more: false };
  // Reads one byte before `position`, to know whether a line begins there.
  const from = Math.max(0, position - 1);
  const length = Math.min(CHUNK, limit - from);
  const chunk = await readChunk(file, from, length);
  let start = position === 0 ? 0 : chunk.indexOf(NEWLINE) + 1;
  if (position > 0 && start === 0) return { lines: [], position, more: false };
  const lines: LogLine[] = [];
  for (;;) {
    const end = chunk.indexOf(NEWLINE, start);
    if (end < 0) break;
    const line = parse(chunk.toString('utf8', start, end), from + end + 1);
    if (line !== undefined) lines.push(line);
    start = end + 1;
  }
  const reached = from + start;
  // A chunk without the end of a line is damage: nothing after it is read.
  const more = chunk.length === length && from + length < limit && reached > position;
  return { lines, position: reached, more };
};

/** What `endLine` says. Undefined if the last line is another one, or incomplete. */
export const readEnd = async (file: string): Promise<{ readonly leftOut: number | null } | undefined> => {
  const size = await fileSize(file);
  const from = Math.max(0, size - END_LENGTH);
  const lines = (await readChunk(file, from, size - from)).toString('utf8').split('\n');
  if (lines.pop() !== '') return undefined;
  try {
    const [, mark, leftOut]: unknown[] = JSON.parse(lines.pop() ?? '');
    return mark === END ? { leftOut: typeof leftOut === 'number' ? leftOut : null } : undefined;
  } catch {
    return undefined; // a longer line
  }
};

/**
 * What a writer finds:
 * - `new`: the run starts now, and an existing file does not belong to it
 * - `replaced`: the new output replaces the file
 * - `continued`: the file had reached its limit at `size`, with `stored` characters of each stream before
 * - `complete`: the file has its end already
 */
export type Beginning =
  | { readonly kind: 'new' | 'replaced' | 'complete' }
  | {
      readonly kind: 'continued';
      readonly size: number;
      readonly stored: Readonly<Record<'stdout' | 'stderr', number>>;
    };

export const readBeginning = async (file: string): Promise<Beginning> => {
  if ((await readEnd(file)) !== undefined) return { kind: 'complete' };
  const stored = { stdout: 0, stderr: 0 };
  for (let position = 0; ; ) {
    const piece = await readPiece(file, position, Number.MAX_SAFE_INTEGER);
    for (const { stream, text, cursor } of piece.lines) {
      if (stream !== 'notice') stored[stream] += text.length;
      else if (text === LIMIT_NOTICE) return { kind: 'continued', size: Number(cursor), stored };
    }
    if (!piece.more) return { kind: 'replaced' };
    position = piece.position;
  }
};

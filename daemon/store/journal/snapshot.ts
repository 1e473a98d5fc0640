// Snapshots: one collection as a JSON array, one record with a checksum per line, read and written in pieces.
import path from 'node:path';
import { replaceFile } from '../../../src/local/atomic-file.ts';
import { readLines } from '../durable-files.ts';
import { errnoOf, StoreDamaged } from '../store-errors.ts';
import { type Span, sealOf, unsealRecord } from './sealed-line.ts';

/**
 * Bytes collected between two turns of the event loop, which takes one to two milliseconds. They are collected in one
 * buffer: while V8 marks a large heap, each new buffer costs a step of 5 to 10 ms.
 */
const SLICE = 128 * 1024;

export const snapshotPath = (folder: string, collection: string): string => path.join(folder, `${collection}.json`);

const text = (line: Buffer): string => (line.length > 2 ? '' : line.toString('latin1'));

/** A missing file has no records. Returns the size in bytes. @throws StoreDamaged, also if missing and `mustExist` */
export const readSnapshot = async (
  file: string,
  mustExist: boolean,
  onRecord: (record: unknown, place: Span) => void,
): Promise<number> => {
  const damaged = (line: number | undefined, what: string) => new StoreDamaged(file, line, what);
  let state = 'begin' as 'begin' | 'first' | 'more' | 'last' | 'closed';
  const onLine = (line: Buffer, number: number, offset: number): void => {
    if (state === 'closed') throw damaged(number, 'data follows after the end');
    if (state === 'begin') {
      if (text(line) !== '[') throw damaged(number, 'it does not begin like a snapshot');
      state = 'first';
    } else if (text(line) === ']') {
      if (state === 'more') throw damaged(number, 'a record is missing');
      state = 'closed';
    } else {
      if (state === 'last') throw damaged(number, 'the preceding line has no comma');
      const comma = line[line.length - 1] === 44;
      const found = unsealRecord(line, comma ? line.length - 1 : line.length);
      if (found === undefined) throw damaged(number, 'the checksum does not fit');
      const { offset: begin, length, checksum } = found.span;
      onRecord(found.record, { offset: offset + begin, length, checksum });
      state = comma ? 'more' : 'last';
    }
  };
  try {
    const { end, size } = await readLines(file, onLine);
    if (state !== 'closed' || end !== size) throw damaged(undefined, 'its end is missing');
    return size;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    if (mustExist) throw damaged(undefined, 'the file is missing');
    return 0;
  }
};

export interface Text {
  /** The bytes of the text, valid until the next text is requested. */
  readonly bytes: Uint8Array;
  readonly checksum: number;
}

const EMPTY = '[\n]\n';
/** Bytes reserved in every slice for the end of the file. */
const END = EMPTY.length;

/** Bytes of a line besides its text: bracket, checksum, and the line end or comma before it. */
const LINE_EXTRA = '\n['.length + sealOf(0).length;

export const snapshotSize = (lengths: Iterable<number>): number => {
  let size = 0;
  for (const length of lengths) size += LINE_EXTRA + length + (size === 0 ? '[' : ',').length;
  return size + (size === 0 ? EMPTY : '\n]\n').length;
};

/**
 * The content of a snapshot in slices, each short enough for one turn of the event loop.
 * @param onWritten receives the offset of each text
 */
export const snapshotSlices = function* <T extends Text>(
  texts: Iterable<T>,
  onWritten: (text: T, offset: number) => void = () => undefined,
): Generator<Buffer> {
  let slice = Buffer.allocUnsafeSlow(SLICE + END);
  let [used, offset] = [0, 0];
  const add = (bytes: string): void => {
    used += slice.write(bytes, used, 'latin1');
  };
  let before = '[\n[';
  for (const text of texts) {
    const seal = sealOf(text.checksum);
    const length = before.length + text.bytes.length + seal.length;
    const full = used + length + END > slice.length ? slice.subarray(0, used) : undefined;
    if (full !== undefined) [slice, used] = [Buffer.allocUnsafeSlow(Math.max(SLICE, length) + END), 0];
    add(before);
    onWritten(text, offset + before.length);
    slice.set(text.bytes, used);
    used += text.bytes.length;
    add(seal);
    offset += length;
    before = ',\n[';
    // The full slice is yielded only after the text is copied, because the bytes of the text change when another record
    // is read.
    if (full !== undefined && full.length > 0) yield full;
  }
  add(offset === 0 ? EMPTY : '\n]\n');
  yield slice.subarray(0, used);
};

/** Writes records as a snapshot, without blocking the event loop for long. Returns the size in bytes. */
export const writeSnapshot = <T extends Text>(
  file: string,
  texts: Iterable<T>,
  onWritten?: (text: T, offset: number) => void,
): Promise<number> =>
  replaceFile(file, async (append) => {
    for (const slice of snapshotSlices(texts, onWritten)) await append(slice);
  });

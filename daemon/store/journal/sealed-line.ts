// The line format of all store files: a JSON array whose last element is the checksum of the preceding bytes.
import { crc32 } from 'node:zlib';

/** Length of `,"0123abcd"]`, the end of a line that the checksum does not cover. */
const SEAL_LENGTH = 12;

/** The end of a line whose preceding bytes have this checksum. */
export const sealOf = (checksum: number): string => `,"${checksum.toString(16).padStart(8, '0')}"]`;

/** Completes an unfinished array (`[1,2` becomes `[1,2,"…"]`) with the checksum of its bytes. */
export const seal = (begun: string): string => `${begun}${sealOf(crc32(begun))}`;

/** The checksum of a line; undefined when any byte differs from what was written. */
const checksumOf = (line: Buffer): number | undefined => {
  const length = line.length - SEAL_LENGTH;
  if (length < 1) return undefined;
  const checksum = crc32(line.subarray(0, length));
  return line.toString('latin1', length) === sealOf(checksum) ? checksum : undefined;
};

/** Parses the bytes of a line between `start` and its seal; undefined when the line is not what was written. */
const parsed = (line: Buffer, start: number, end: string): unknown => {
  try {
    return JSON.parse(line.toString('utf8', start, line.length - SEAL_LENGTH) + end);
  } catch {
    return undefined; // the checksum matches by chance, or was forged
  }
};

/** The elements of a line without the checksum; undefined when any byte differs from what was written. */
export const unseal = (line: Buffer): readonly unknown[] | undefined => {
  if (checksumOf(line) === undefined) return undefined;
  const elements = parsed(line, 0, ']');
  return Array.isArray(elements) ? elements : undefined;
};

/** Checksum of the bracket before a record. With it, the checksum of a record is the one of its line in a snapshot. */
const RECORD_START = crc32('[');

/** The checksum of the JSON text of a record. */
export const recordChecksum = (text: string | Uint8Array): number => crc32(text, RECORD_START);

/** The JSON text of a record in a line. */
export interface Span {
  /** Bytes before the text. */
  readonly offset: number;
  /** Bytes. */
  readonly length: number;
  readonly checksum: number;
}

/** The only element of a line, and its place in the line; undefined when any byte differs from what was written. */
export const unsealRecord = (line: Buffer): { readonly record: object; readonly span: Span } | undefined => {
  const checksum = checksumOf(line);
  if (checksum === undefined) return undefined;
  const record = parsed(line, 1, '');
  if (typeof record !== 'object' || record === null) return undefined;
  return { record, span: { offset: 1, length: line.length - SEAL_LENGTH - 1, checksum } };
};

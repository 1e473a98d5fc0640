// The line format of all store files: a JSON array whose last element is the checksum of the preceding bytes.
import { crc32 } from 'node:zlib';

/** Length of `,"0123abcd"]`, the end of a line that the checksum does not cover. */
const SEAL_LENGTH = 12;
const [COMMA, QUOTE, BRACKET] = [0x2c, 0x22, 0x5d];

export const sealOf = (checksum: number): string => `,"${checksum.toString(16).padStart(8, '0')}"]`;

/** Completes an unfinished array (`[1,2` becomes `[1,2,"…"]`) with the checksum of its bytes. */
export const seal = (begun: string): string => `${begun}${sealOf(crc32(begun))}`;

const HEX = Buffer.from('0123456789abcdef');

/**
 * True if the seal at `start` contains this checksum. Compares bytes, because a start reads a seal for every record.
 */
const isSealed = (line: Buffer, start: number, checksum: number): boolean => {
  for (let digit = 0; digit < 8; digit += 1) {
    if (line[start + 2 + digit] !== HEX[(checksum >>> (28 - 4 * digit)) & 15]) return false;
  }
  return (
    line[start] === COMMA && line[start + 1] === QUOTE && line[start + 10] === QUOTE && line[start + 11] === BRACKET
  );
};

/** The checksum of the line in the first `length` bytes; undefined when any byte was changed. */
const checksumOf = (line: Buffer, length: number): number | undefined => {
  const covered = length - SEAL_LENGTH;
  if (covered < 1) return undefined;
  const checksum = crc32(line.subarray(0, covered));
  return isSealed(line, covered, checksum) ? checksum : undefined;
};

const parsed = (line: Buffer, start: number, length: number, end: string): unknown => {
  try {
    return JSON.parse(line.toString('utf8', start, start + length) + end);
  } catch {
    return undefined; // The checksum matches by chance, or was forged.
  }
};

/** The elements of a line without the checksum; undefined when any byte differs from what was written. */
export const unseal = (line: Buffer): readonly unknown[] | undefined => {
  if (checksumOf(line, line.length) === undefined) return undefined;
  const elements = parsed(line, 0, line.length - SEAL_LENGTH, ']');
  return Array.isArray(elements) ? elements : undefined;
};

/**
 * Checksum of the bracket before a record. It makes the checksum of a record equal to that of its line in a snapshot.
 */
const RECORD_START = crc32('[');

export const recordChecksum = (text: string | Uint8Array): number => crc32(text, RECORD_START);

export interface Span {
  /** Bytes before the text. */
  readonly offset: number;
  /** Length of the text in bytes. */
  readonly length: number;
  readonly checksum: number;
}

/** The only element of the line in the first `end` bytes, and its place; undefined when any byte was changed. */
export const unsealRecord = (
  line: Buffer,
  end = line.length,
): { readonly record: object; readonly span: Span } | undefined => {
  const checksum = checksumOf(line, end);
  if (checksum === undefined) return undefined;
  const length = end - SEAL_LENGTH - 1;
  const record = parsed(line, 1, length, '');
  if (typeof record !== 'object' || record === null) return undefined;
  return { record, span: { offset: 1, length, checksum } };
};

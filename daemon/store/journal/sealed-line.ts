// The line format of all store files: a JSON array whose last element is the checksum of the preceding bytes.
import { crc32 } from 'node:zlib';

/** Length of `,"0123abcd"]`, the end of a line that the checksum does not cover. */
const SEAL_LENGTH = 12;

/** Completes an unfinished array (`[1,2` becomes `[1,2,"…"]`) with the checksum of its bytes. */
export const seal = (begun: string): string => `${begun},"${crc32(begun).toString(16).padStart(8, '0')}"]`;

/** The elements of a line without the checksum; undefined when any byte differs from what was written. */
export const unseal = (line: Buffer): readonly unknown[] | undefined => {
  const length = line.length - SEAL_LENGTH;
  if (length < 1) return undefined;
  const expected = `,"${crc32(line.subarray(0, length)).toString(16).padStart(8, '0')}"]`;
  if (line.toString('latin1', length) !== expected) return undefined;
  try {
    const elements: unknown = JSON.parse(`${line.toString('utf8', 0, length)}]`);
    return Array.isArray(elements) ? elements : undefined;
  } catch {
    return undefined; // the checksum matches by chance, or was forged
  }
};

// The form of everything the store writes: a JSON array on one line whose last element is the checksum of what is before it.
import { crc32 } from 'node:zlib';

/** `,"0123abcd"]`: this much of a line is not under the checksum. */
const SEAL_LENGTH = 12;

/** Closes an array that was begun (`[1,2` becomes `[1,2,"…"]`) with the checksum of its bytes so far. */
export const seal = (begun: string): string => `${begun},"${crc32(begun).toString(16).padStart(8, '0')}"]`;

/** The elements of a sealed line without the checksum, or `undefined` when a byte of it is not as it was written. */
export const unseal = (line: Buffer): readonly unknown[] | undefined => {
  const length = line.length - SEAL_LENGTH;
  if (length < 1) return undefined;
  const expected = `,"${crc32(line.subarray(0, length)).toString(16).padStart(8, '0')}"]`;
  if (line.toString('latin1', length) !== expected) return undefined;
  try {
    const elements: unknown = JSON.parse(`${line.toString('utf8', 0, length)}]`);
    return Array.isArray(elements) ? elements : undefined;
  } catch {
    return undefined; // the checksum fits by chance, or somebody made it fit
  }
};

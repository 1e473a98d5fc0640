// Reads the header blocks of a tar archive.

/** Bytes of a block. Headers and contents fill whole blocks. */
export const BLOCK = 512;

export const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

const NAME_BYTES = 100;
const SIZE = { at: 124, bytes: 12 };
const CHECKSUM = { at: 148, bytes: 8 };

/** The sum of all bytes, with spaces in place of the checksum. */
const checksumOf = (block: Buffer): number => {
  let sum = 0;
  for (let at = 0; at < BLOCK; at += 1) {
    const inside = at >= CHECKSUM.at && at < CHECKSUM.at + CHECKSUM.bytes;
    sum += inside ? 0x20 : (block[at] ?? 0);
  }
  return sum;
};

const textIn = (block: Buffer, at: number, bytes: number): string => {
  const end = block.indexOf(0, at);
  return block.toString('utf8', at, end >= at && end < at + bytes ? end : at + bytes);
};

/**
 * True if the checksum of a block is correct. Tar programs write a NUL and a space after its six digits, in either
 * order.
 */
const hasChecksum = (block: Buffer): boolean => {
  const field = block.toString('latin1', CHECKSUM.at, CHECKSUM.at + CHECKSUM.bytes);
  return /^[0-7]{6}(?:\0 | \0)$/.test(field) && Number.parseInt(field, 8) === checksumOf(block);
};

/** The size of a file in bytes. A size of 8 GiB or more is a binary number, marked by the first bit of the field. */
const sizeIn = (block: Buffer): number | undefined => {
  if (block[SIZE.at] === 0x80) {
    const size = block.readBigUInt64BE(SIZE.at + 4);
    return size <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(size) : undefined;
  }
  const text = textIn(block, SIZE.at, SIZE.bytes).trim();
  return /^[0-7]{1,12}$/.test(text) ? Number.parseInt(text, 8) : undefined;
};

export type TarEntry =
  | { readonly is: 'file'; readonly name: string; readonly size: number }
  | { readonly is: 'end' }
  /**
   * An entry that is not a regular file: a link, a device, a folder, or a format extension. `type` is its type
   * letter.
   */
  | { readonly is: 'other'; readonly name: string; readonly type: string }
  | { readonly is: 'damaged' };

export const readTarHeader = (block: Buffer): TarEntry => {
  if (block.every((byte) => byte === 0)) return { is: 'end' };
  const size = sizeIn(block);
  if (!hasChecksum(block) || size === undefined) return { is: 'damaged' };
  const prefix = textIn(block, 345, 155);
  const name = `${prefix === '' ? '' : `${prefix}/`}${textIn(block, 0, NAME_BYTES)}`;
  const type = block.toString('latin1', 156, 157);
  return type === '0' || type === '\0' ? { is: 'file', name, size } : { is: 'other', name, type };
};

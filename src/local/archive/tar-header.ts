// The header blocks of a tar archive: regular files only, with the names that actorctl gives them.

/** Bytes of a block. Headers and contents fill whole blocks. */
export const BLOCK = 512;

/** The block that ends an archive, twice. */
export const END_BLOCKS = Buffer.alloc(2 * BLOCK);

/** Bytes that fill the last block of a content. */
export const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

const NAME_BYTES = 100;
const SIZE = { at: 124, bytes: 12 };
const CHECKSUM = { at: 148, bytes: 8 };
/** Sizes from here on do not fit into 11 octal digits and are written as a binary number with the first bit set. */
const OCTAL_LIMIT = 8 ** 11;

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');

/** The sum of all bytes, with blanks in place of the checksum. */
const checksumOf = (block: Buffer): number => {
  let sum = 0;
  for (let at = 0; at < BLOCK; at += 1) {
    const inside = at >= CHECKSUM.at && at < CHECKSUM.at + CHECKSUM.bytes;
    sum += inside ? 0x20 : (block[at] ?? 0);
  }
  return sum;
};

/** The field of the checksum, as all tar programs write it. */
const checksumField = (block: Buffer): string => `${octal(checksumOf(block), 6)}\0 `;

/** The header of a regular file that its owner alone can read. @param seconds time of the file */
export const tarHeader = (name: string, size: number, seconds: number): Buffer => {
  if (Buffer.byteLength(name) > NAME_BYTES) throw new RangeError(`"${name}" is too long for a tar header`);
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  block.write(`${octal(0o600, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, 'latin1');
  if (size < OCTAL_LIMIT) block.write(`${octal(size, 11)}\0`, SIZE.at, 'latin1');
  else {
    block.writeUInt8(0x80, SIZE.at);
    block.writeBigUInt64BE(BigInt(size), SIZE.at + 4);
  }
  block.write(`${octal(seconds, 11)}\0`, 136, 'latin1');
  block.write('0', 156, 'latin1');
  block.write('ustar\u000000', 257, 'latin1');
  block.write(checksumField(block), CHECKSUM.at, 'latin1');
  return block;
};

const textIn = (block: Buffer, at: number, bytes: number): string => {
  const end = block.indexOf(0, at);
  return block.toString('utf8', at, end >= at && end < at + bytes ? end : at + bytes);
};

const sizeIn = (block: Buffer): number | undefined => {
  if (block[SIZE.at] === 0x80) {
    const size = block.readBigUInt64BE(SIZE.at + 4);
    return size <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(size) : undefined;
  }
  const text = textIn(block, SIZE.at, SIZE.bytes).trim();
  return /^[0-7]{1,12}$/.test(text) ? Number.parseInt(text, 8) : undefined;
};

/** What a header block says. */
export type TarEntry =
  | { readonly is: 'file'; readonly name: string; readonly size: number }
  | { readonly is: 'end' }
  /** A link, a device, a folder, or an extension of the format: `type` is its letter. */
  | { readonly is: 'other'; readonly name: string; readonly type: string }
  | { readonly is: 'damaged' };

/** Reads a header block. */
export const readTarHeader = (block: Buffer): TarEntry => {
  if (block.every((byte) => byte === 0)) return { is: 'end' };
  const said = block.toString('latin1', CHECKSUM.at, CHECKSUM.at + CHECKSUM.bytes);
  const size = sizeIn(block);
  if (said !== checksumField(block) || size === undefined) return { is: 'damaged' };
  const prefix = textIn(block, 345, 155);
  const name = `${prefix === '' ? '' : `${prefix}/`}${textIn(block, 0, NAME_BYTES)}`;
  const type = block.toString('latin1', 156, 157);
  return type === '0' || type === '\0' ? { is: 'file', name, size } : { is: 'other', name, type };
};

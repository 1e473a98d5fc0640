// Random ids without bias, and secrets of 256 bits, from the operating system.
import { randomBytes } from 'node:crypto';
import type { Ids } from '../ports/ids.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ALPHABET = `${LETTERS}0123456789`;
const LENGTH = 13;
const POOL_BYTES = 4_096;
const SECRET_BYTES = 32;

export const createIds = (): Ids => {
  let pool = Buffer.alloc(0);
  let used = 0;
  const byte = (): number => {
    if (used === pool.length) {
      pool = randomBytes(POOL_BYTES);
      used = 0;
    }
    const value = pool[used] ?? 0;
    used += 1;
    return value;
  };
  /** Bytes above the largest multiple are discarded, because the remainder would favour the first characters. */
  const pick = (characters: string): string => {
    const bound = 256 - (256 % characters.length);
    let value = byte();
    while (value >= bound) value = byte();
    return characters.charAt(value % characters.length);
  };
  return {
    id: () => {
      let id = pick(LETTERS);
      while (id.length < LENGTH) id += pick(ALPHABET);
      return id;
    },
    // Random bytes do not come from a pool, because a secret must not be in memory before it is requested.
    secret: () => randomBytes(SECRET_BYTES).toString('base64url'),
  };
};

// Hashes: scrypt for passwords, SHA-256 for random values; all comparisons take constant time.
import { createHmac, hash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { Vault } from '../ports/vault.ts';
import { createHashSlots } from './hash-slots.ts';

/** Cost of scrypt: N = 2^logN. */
export interface ScryptCost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** The cost that OWASP recommends: about half a second and 128 MB per hash. @see docs/conformance/security.md R75 */
export const PASSWORD_COST: ScryptCost = { logN: 17, r: 8, p: 1 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Memory limit for scrypt, which needs 128 * N * r bytes and refuses a limit of exactly that size. */
const memory = ({ logN, r, p }: ScryptCost): number => 128 * r * (2 ** logN + p) + 1024 * 1024;

const derive = (password: string, salt: Buffer, cost: ScryptCost, length: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const { logN, r, p } = cost;
    // Composed and decomposed spellings of a password are the same password. @see RFC 8265 4.2.2, docs/conformance/security.md R74
    scrypt(password.normalize('NFC'), salt, length, { N: 2 ** logN, r, p, maxmem: memory(cost) }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });

const format = ({ logN, r, p }: ScryptCost, salt: Buffer, key: Buffer): string =>
  ['scrypt', logN, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');

interface Stored {
  readonly cost: ScryptCost;
  readonly salt: Buffer;
  readonly key: Buffer;
}

const SHAPE = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]{8,64})\$([\w-]{22,128})$/;

const parse = (stored: string): Stored => {
  const [, logN, r, p, salt, key] = SHAPE.exec(stored) ?? [];
  if (salt === undefined || key === undefined) throw new Error('a stored password hash has an unknown format');
  return {
    cost: { logN: Number(logN), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  };
};

/** Stands in for an undefined digest, so that the comparison takes the same time in both cases. */
const NOTHING = '0'.repeat(64);

export interface VaultOptions {
  readonly cost?: ScryptCost;
  readonly isEqual?: typeof timingSafeEqual;
}

/**
 * @param options `cost`: cheaper hashes for tests; hashes with another cost can still be verified. `isEqual`: comparison
 * in constant time, replaced by tests that count
 */
export const createVault = (options: VaultOptions = {}): Vault => {
  const { cost = PASSWORD_COST, isEqual = timingSafeEqual } = options;
  const inSlot = createHashSlots();
  const decoy: Stored = { cost, salt: randomBytes(SALT_BYTES), key: randomBytes(HASH_BYTES) };
  const digest = (secret: string) => hash('sha256', secret, 'hex');
  return {
    hashPassword: (password) =>
      inSlot('new', async () => {
        const salt = randomBytes(SALT_BYTES);
        return format(cost, salt, await derive(password, salt, cost, HASH_BYTES));
      }),
    verifyPassword: (password, stored, lane, begin) =>
      inSlot(lane, async () => {
        begin?.();
        const parsed = stored === undefined ? decoy : parse(stored);
        const key = await derive(password, parsed.salt, parsed.cost, parsed.key.length);
        return isEqual(key, parsed.key) && stored !== undefined;
      }),
    digest,
    matches: (secret, expected) => {
      const equal = isEqual(Buffer.from(digest(secret)), Buffer.from((expected ?? NOTHING).padEnd(64).slice(0, 64)));
      return equal && expected !== undefined;
    },
    sign: (key, text) => createHmac('sha256', key).update(text).digest('hex'),
  };
};

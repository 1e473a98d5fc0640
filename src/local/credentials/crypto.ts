// Hashes and random names from node:crypto, which is loaded on first use, because loading takes 5 ms and most
// commands do not need it.

const crypto = (): typeof import('node:crypto') => process.getBuiltinModule('node:crypto');

/** The first `length` hexadecimal digits of the SHA-256 of a text. For names, not for secrets. */
export const shortDigest = (text: string, length: number): string =>
  crypto().createHash('sha256').update(text).digest('hex').slice(0, length);

/** A random name of two hexadecimal digits per byte. */
export const randomName = (bytes = 8): string => crypto().randomBytes(bytes).toString('hex');

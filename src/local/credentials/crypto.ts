// node:crypto, loaded with its first use: it costs 5 ms of start-up that most commands need not spend.

const crypto = (): typeof import('node:crypto') => process.getBuiltinModule('node:crypto');

/** The first `length` hexadecimal digits of the SHA-256 of a text. For names, not for secrets. */
export const shortDigest = (text: string, length: number): string =>
  crypto().createHash('sha256').update(text).digest('hex').slice(0, length);

/** A random name of 16 hexadecimal digits. */
export const randomName = (): string => crypto().randomBytes(8).toString('hex');

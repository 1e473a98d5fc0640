// The port of hashes: passwords slowly, tokens and secrets fast.

export interface Vault {
  /** scrypt with its own salt; parameters stand in the result. At most two run at a time. */
  hashPassword(password: string): Promise<string>;
  /** Constant time against the hash; with `undefined` for the hash it works as long and answers false. */
  verifyPassword(password: string, hash: string | undefined): Promise<boolean>;
  /** SHA-256, hex. For values of 128 random bits and more only. */
  digest(secret: string): string;
  /** Compares a secret with a digest in constant time; with `undefined` it works as long and answers false. */
  matches(secret: string, digest: string | undefined): boolean;
}

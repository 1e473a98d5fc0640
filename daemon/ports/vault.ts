// Port of hashes: slow ones for passwords, fast ones for tokens and secrets.

export interface Vault {
  /** scrypt hash with a random salt; the result contains the parameters. At most two run at a time. */
  hashPassword(password: string): Promise<string>;
  /** Verifies a password in constant time. With an undefined hash it takes the same time and returns false. */
  verifyPassword(password: string, hash: string | undefined): Promise<boolean>;
  /** SHA-256, hex. Only for values with at least 128 random bits. */
  digest(secret: string): string;
  /**
   * Compares a secret with a digest in constant time. With an undefined digest it takes the same time and returns
   * false.
   */
  matches(secret: string, digest: string | undefined): boolean;
}

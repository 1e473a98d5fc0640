// Port of hashes: slow ones for passwords, fast ones for tokens and secrets.

/** The way in which a password arrives: a login form, Basic, the token endpoint, or as the new password of a user. */
export type PasswordLane = 'form' | 'basic' | 'token' | 'new';

/**
 * Hashes of passwords are slow, so few run at a time. The others wait in the queue of their lane.
 * @see docs/conformance/security.md R75, R240
 */
export interface Vault {
  /**
   * Makes an scrypt hash with a random salt. The hash text contains the parameters.
   * @throws Failure THROTTLED if no slot is free in time
   */
  hashPassword(password: string): Promise<string>;
  /**
   * Verifies a password in constant time. With an undefined hash it takes the same time and returns false.
   * @param begin called when a slot is free; the check is refused with what it throws
   * @throws Failure THROTTLED if no slot is free in time
   */
  verifyPassword(password: string, hash: string | undefined, lane: PasswordLane, begin?: () => void): Promise<boolean>;
  /** SHA-256, hex. Only for values with at least 128 random bits. */
  digest(secret: string): string;
  /**
   * Compares a value with a digest in constant time. With an undefined digest, it takes the same time and returns
   * false.
   */
  matches(secret: string, digest: string | undefined): boolean;
  /** HMAC-SHA-256, hex. */
  sign(key: string, text: string): string;
}

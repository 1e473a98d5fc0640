// The port of password checks: one place that counts guesses, for the token endpoint, Basic and the login page together.
import type { UserRecord } from '../domain/records/account-records.ts';

export interface PasswordAttempt {
  readonly tenant: string;
  readonly username: string;
  readonly password: string;
  /** Network address of the one who tries. */
  readonly source: string;
  /** The client that was authenticated before, where there is one. */
  readonly clientId?: string;
}

/**
 * The user, or undefined when the name is unknown or the password wrong: same answer, same work.
 * @throws Failure THROTTLED with `detail.retryAfter` in seconds
 * @see auth.md R72, R76
 */
export type PasswordCheck = (attempt: PasswordAttempt) => Promise<UserRecord | undefined>;

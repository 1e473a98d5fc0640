// Port of password checks. The token endpoint, Basic authentication and the login page share it.
import type { UserRecord } from '../domain/records/account-records.ts';
import type { PasswordLane } from './vault.ts';

export interface PasswordAttempt {
  readonly tenant: string;
  readonly username: string;
  readonly password: string;
  readonly lane: Exclude<PasswordLane, 'new'>;
  readonly source: string;
  readonly clientId?: string;
}

/**
 * Returns the user, or undefined when the username is unknown or the password is wrong. Both cases take the same time.
 * @throws Failure THROTTLED with `detail.retryAfter` in seconds
 * @see docs/conformance/security.md R72, R76, R240
 */
export type PasswordCheck = (attempt: PasswordAttempt) => Promise<UserRecord | undefined>;

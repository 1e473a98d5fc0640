// Checks passwords and throttles guessing per account and per source. Memory is bounded and no account is ever locked.
// @see docs/conformance/security.md R72, R74, R76, R240
import {
  accountRule,
  createFailedGuesses,
  type FailedGuesses,
  sourceOf,
  sourceRule,
  throttled,
} from '../domain/oauth/throttle.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { PasswordCheck } from '../ports/password-check.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';

export interface PasswordCheckDependencies {
  readonly store: Store;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Maximum number of remembered accounts, and of remembered sources. 10 000 each by default. */
  readonly remember?: number;
}

/** Longer passwords are refused without hashing. @see docs/conformance/security.md R74 */
const LONGEST_PASSWORD = 1_024;
/** scrypt ignores NUL characters at the end of a password, so they are not allowed. */
const mayBePassword = (text: string): boolean => text.length <= LONGEST_PASSWORD && !text.includes('\0');

interface Failures {
  readonly accounts: FailedGuesses;
  readonly sources: FailedGuesses;
}

/** Creates the check. Its memory must be shared, so there must be one instance. */
export const createPasswordCheck = (dependencies: PasswordCheckDependencies): PasswordCheck => {
  const { store, vault, clock, logger, remember = 10_000 } = dependencies;
  const memory = (): Failures => ({
    accounts: createFailedGuesses(accountRule, remember),
    sources: createFailedGuesses(sourceRule, remember),
  });
  /**
   * Failed attempts that delay login forms. Only failures of forms count here, so a program that guesses passwords
   * without a form cannot delay a user at a form.
   */
  const ofForms = memory();
  /** Failed attempts that delay Basic authentication and the token endpoint. The failures of all ways count here. */
  const ofAll = memory();

  /**
   * True if the client holds a token that this user's password gave earlier. Its attempts are counted separately, so
   * that guessing from other clients cannot throttle the user there.
   * @see https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
   */
  const isKnown = (account: string, clientId: string): boolean =>
    store.by('tokens', 'user', account).some((token) => token.clientId === clientId && token.flow === 'password');

  return async ({ tenant, username, password, lane, source: address, clientId }) => {
    const account = joinKey(tenant, username);
    const logFields = { tenant, user: username, source: address };
    const isKnownClient = clientId !== undefined && isKnown(account, clientId);
    // A digest keeps the key short, because a username in a request can be very long.
    const accountKey = vault.digest(isKnownClient ? joinKey(account, clientId) : account);
    const source = sourceOf(address);
    const counted = lane === 'form' ? ofForms : ofAll;
    const demandNoWait = (): void => {
      const now = clock.now();
      const ofSource = isKnownClient ? 0 : counted.sources.wait(source, now);
      const wait = Math.max(counted.accounts.wait(accountKey, now), ofSource);
      if (wait === 0) return;
      logger.warn({ ...logFields, event: 'login-throttled', waitMs: wait }, 'login throttled');
      throw throttled(wait);
    };
    // Checked before queueing for a hash slot, so that a throttled attempt does not take a place in the queue.
    demandNoWait();
    const user = store.get('users', account);
    // Other attempts may have failed while this one waited. Checking again limits further guesses to those that run at
    // the same time.
    const right =
      mayBePassword(password) && (await vault.verifyPassword(password, user?.passwordHash, lane, demandNoWait));
    if (right && user !== undefined) {
      // The source's count is not reset: logging in to one's own account must not allow more guesses at other accounts.
      for (const { accounts } of [ofForms, ofAll]) accounts.forget(accountKey);
      logger.info({ ...logFields, event: 'login' }, 'login');
      return user;
    }
    const now = clock.now();
    for (const { accounts, sources } of lane === 'form' ? [ofForms, ofAll] : [ofAll]) {
      accounts.failed(accountKey, now);
      if (!isKnownClient) sources.failed(source, now);
    }
    logger.warn({ ...logFields, event: 'login-failed' }, 'login failed');
    return undefined;
  };
};

// Checks passwords and throttles guessing per account and per source. Memory is bounded and no account is ever locked.
// @see docs/security.md R72, R74, R76
import { createConcurrencyLimit } from '../domain/oauth/concurrency-limit.ts';
import { accountRule, createGuessMemory, sourceOf, sourceRule, throttled } from '../domain/oauth/throttle.ts';
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
  /** Number of accounts, and of sources, that are remembered. 10 000 each by default. */
  readonly remember?: number;
}

/** Longer passwords are refused without hashing. @see docs/security.md R74 */
const LONGEST_PASSWORD = 1_024;
/** scrypt ignores NUL characters at the end of a password, so they are not allowed. */
const mayBePassword = (text: string): boolean => text.length <= LONGEST_PASSWORD && !text.includes('\0');
/**
 * Concurrent checks. The vault hashes as many at once. The throttle is read when a check starts, so at most this many
 * guesses pass it at the same time.
 */
const AT_ONCE = 2;
const WAITING = 256;

/** Creates the check. Its memory must be shared, so there must be one instance. */
export const createPasswordCheck = (dependencies: PasswordCheckDependencies): PasswordCheck => {
  const { store, vault, clock, logger, remember = 10_000 } = dependencies;
  const accounts = createGuessMemory(accountRule, remember);
  const sources = createGuessMemory(sourceRule, remember);
  const gate = createConcurrencyLimit(AT_ONCE, WAITING, () => throttled(5_000));

  /**
   * True if the client holds a token that this user's password gave earlier. Its attempts are counted separately, so
   * that guessing from other clients cannot throttle the user there.
   * @see https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
   */
  const isKnown = (account: string, clientId: string): boolean =>
    store.by('tokens', 'user', account).some((token) => token.clientId === clientId && token.flow === 'password');

  return ({ tenant, username, password, source: address, clientId }) =>
    gate(async () => {
      const account = joinKey(tenant, username);
      const logFields = { tenant, user: username, source: address };
      const isKnownClient = clientId !== undefined && isKnown(account, clientId);
      // A digest keeps the key short, because a username in a request can be very long.
      const accountKey = vault.digest(isKnownClient ? joinKey(account, clientId) : account);
      const source = sourceOf(address);
      const wait = Math.max(
        accounts.wait(accountKey, clock.now()),
        isKnownClient ? 0 : sources.wait(source, clock.now()),
      );
      if (wait > 0) {
        logger.warn({ ...logFields, event: 'login-throttled', waitMs: wait }, 'login throttled');
        throw throttled(wait);
      }
      const user = store.get('users', account);
      const right = mayBePassword(password) && (await vault.verifyPassword(password, user?.passwordHash));
      if (right && user !== undefined) {
        // The count of the source stays: logging in to an own account must not allow more guesses at other accounts.
        accounts.forget(accountKey);
        logger.info({ ...logFields, event: 'login' }, 'login');
        return user;
      }
      const now = clock.now();
      accounts.failed(accountKey, now);
      if (!isKnownClient) sources.failed(source, now);
      logger.warn({ ...logFields, event: 'login-failed' }, 'login failed');
      return undefined;
    });
};

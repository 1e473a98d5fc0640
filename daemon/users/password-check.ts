// Checks passwords, and slows down whoever guesses: per account and per source, with bounded memory, and without locking anybody out. @see auth.md R72, R74, R76
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
  /** Accounts, and sources, that are remembered at most; 10 000 of each by default. */
  readonly remember?: number;
}

/** Longer passwords are wrong without being hashed. @see auth.md R74 */
const LONGEST_PASSWORD = 1_024;
/** scrypt cannot tell a password from the same one with NULs behind it, so none may have any. */
const mayBePassword = (text: string): boolean => text.length <= LONGEST_PASSWORD && !text.includes('\0');
/** As many as the vault hashes at a time: the throttle is asked when a check begins, so no more than these can slip by. */
const AT_ONCE = 2;
const WAITING = 256;

/** Makes the one check of the daemon. */
export const createPasswordCheck = (dependencies: PasswordCheckDependencies): PasswordCheck => {
  const { store, vault, clock, logger, remember = 10_000 } = dependencies;
  const accounts = createGuessMemory(accountRule, remember);
  const sources = createGuessMemory(sourceRule, remember);
  const gate = createConcurrencyLimit(AT_ONCE, WAITING, () => throttled(5_000));

  /**
   * Whether the password was right at this client before: it holds a token that the password gave. Its attempts are counted
   * apart, so that nobody who lacks that client's secret can keep the user out by guessing.
   * @see https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
   */
  const isKnown = (account: string, clientId: string): boolean =>
    store.by('tokens', 'user', account).some((token) => token.clientId === clientId && token.flow === 'password');

  return ({ tenant, username, password, source: address, clientId }) =>
    gate(async () => {
      const account = joinKey(tenant, username);
      const logFields = { tenant, user: username, source: address };
      const isKnownClient = clientId !== undefined && isKnown(account, clientId);
      // A digest, because a name that is tried may be as long as a body.
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
        // The source keeps its count: an account of one's own must not buy guesses at others.
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

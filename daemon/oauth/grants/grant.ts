// The types of a grant: how an authenticated request becomes the decision which tokens to issue.

import type { Grant as GrantName } from '../../../src/contract/oauth/grants.ts';
import type { Failure } from '../../domain/failure.ts';
import type { ClientRecord } from '../../domain/records/account-records.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { PasswordCheck } from '../../ports/password-check.ts';
import type { Store, Transaction } from '../../ports/store.ts';
import type { Vault } from '../../ports/vault.ts';
import type { Issue } from '../issue.ts';
import type { Parameters } from '../token-form.ts';

export interface GrantDependencies {
  readonly store: Store;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly checkPassword: PasswordCheck;
  readonly logger: Logger;
}

export interface GrantRequest {
  readonly client: ClientRecord;
  readonly parameters: Parameters;
  /** Network address of the client. */
  readonly source: string;
}

/**
 * Decides which tokens to issue, in the transaction that writes them. If it returns a Failure, its own writes are
 * committed. If it throws a Failure, they are rolled back.
 */
export type Decision = (tx: Transaction) => Issue | Failure;

/** Checks a request before the transaction and returns its decision. @throws Failure of `oauth/token-error.ts` */
export type GrantRule = (request: GrantRequest) => Promise<Decision> | Decision;

export interface GrantEntry {
  /** The grant for which the client must be registered. */
  readonly needs: GrantName;
  /** True if public clients may use the grant, because the grant's credential is proof enough. */
  readonly takesPublic: boolean;
  readonly rule: GrantRule;
}

// What a grant is: from an authenticated request to the decision what is to be issued.
import type { Failure } from '../../domain/failure.ts';
import type { ClientRecord, Grant as GrantName } from '../../domain/records/account-records.ts';
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

/** Deletes every token of a grant and returns how many there were. */
export const revokeGrant = (tx: Transaction, grantId: string): number => {
  const tokens = tx.by('tokens', 'grant', grantId);
  for (const { hash } of tokens) tx.delete('tokens', hash);
  return tokens.length;
};

/**
 * Made inside the transaction that writes the tokens: a grant that is used up (a code) is marked there, in the same step.
 * A failure that is returned is answered once what was written beside it is durable; one that is thrown writes nothing.
 */
export type Decision = (tx: Transaction) => Issue | Failure;

/**
 * Proves what has to be proven outside of the store, and returns the decision.
 * @throws Failure of `oauth/answer.ts`
 */
export type GrantRule = (request: GrantRequest) => Promise<Decision> | Decision;

/** A row of the grant table. */
export interface GrantEntry {
  /** What the client must be allowed to. */
  readonly needs: GrantName;
  /** Whether a client without a secret may use it: what it presents must prove enough. */
  readonly takesPublic: boolean;
  readonly rule: GrantRule;
}

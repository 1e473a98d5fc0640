// What a grant is: from an authenticated request to the decision what is to be issued.
import type { ClientRecord, Grant as GrantName } from '../../domain/records.ts';
import type { TimedFlow } from '../../domain/token-lifetime.ts';
import type { Logger } from '../../ports/logger.ts';
import type { PasswordCheck } from '../../ports/password-check.ts';
import type { Store, Transaction } from '../../ports/store.ts';
import type { Vault } from '../../ports/vault.ts';
import type { Parameters } from '../form.ts';

export interface GrantDependencies {
  readonly store: Store;
  readonly vault: Vault;
  readonly checkPassword: PasswordCheck;
  readonly logger: Logger;
}

export interface GrantRequest {
  readonly client: ClientRecord;
  readonly parameters: Parameters;
  /** Network address of the client. */
  readonly source: string;
}

/** What is to be issued. */
export interface Issue {
  readonly tenant: string;
  readonly username: string;
  readonly scope: string;
  /** Decides the lifetime of the access token. */
  readonly flow: TimedFlow;
  /** Ties the new tokens to earlier ones of the same grant; absent: a new grant. */
  readonly grantId?: string;
  /** `new`: one is made; a text: this one is answered again; absent: none. */
  readonly refreshToken?: { readonly kind: 'new' } | { readonly kind: 'same'; readonly value: string };
}

/**
 * Proves what has to be proven outside of the store, and returns the decision, which is made inside the transaction that
 * writes the tokens: a grant that is used up (a code) is marked there, in the same step.
 * @throws Failure of `oauth/answer.ts`
 */
export type GrantRule = (request: GrantRequest) => Promise<(tx: Transaction) => Issue> | ((tx: Transaction) => Issue);

/** A row of the grant table. */
export interface GrantEntry {
  /** What the client must be allowed to. */
  readonly needs: GrantName;
  readonly rule: GrantRule;
}

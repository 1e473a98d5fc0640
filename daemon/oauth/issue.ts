// Creates tokens. The store contains only their digests; the client gets the tokens. @see docs/oauth.md#flows

import type { TimedFlow } from '../../src/contract/oauth/grants.ts';
import { findClient } from '../domain/oauth/find-client.ts';
import { tokenLifetime } from '../domain/oauth/token-lifetime.ts';
import type { TokenRecord } from '../domain/records/account-records.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Transaction } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';

export interface Issue {
  readonly tenant: string;
  readonly username: string;
  readonly scope: string;
  /** The flow that determines the lifetime of the access token. */
  readonly flow: TimedFlow;
  /** True for an access token that lives as long as its instance. */
  readonly isLasting?: true;
  /** The grant to which the tokens belong. If absent, a new grant is created. */
  readonly grantId?: string;
  /** Start of the grant. Now if absent. */
  readonly begunAt?: number;
  /** The browser in which the user approved the grant. */
  readonly browser?: string;
  /**
   * Which refresh token to issue; `same` returns the given one. None if absent, or if the client is not registered for
   * the refresh grant.
   */
  readonly refreshToken?: { readonly kind: 'new' } | { readonly kind: 'same'; readonly value: string };
}

export interface Issued {
  readonly access_token: string;
  readonly token_type: string;
  /** Lifetime of the access token in seconds. Without a meaning for a lasting token. */
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
}

export interface IssuerDependencies {
  readonly vault: Vault;
  readonly ids: Ids;
  readonly clock: Clock;
}

/** Writes the records of new tokens and returns their values, which are not stored. */
export type Issuer = (tx: Transaction, clientId: string, issue: Issue) => Issued;

export const createIssuer =
  ({ vault, ids, clock }: IssuerDependencies): Issuer =>
  (tx, clientId, { refreshToken, isLasting, ...granted }) => {
    const { tenant, username, scope, flow, grantId = ids.id(), begunAt, browser } = granted;
    const now = clock.now();
    const seconds = tokenLifetime(tx.get('tenants', tenant)?.lifetimes ?? {}, flow);
    const common = {
      ...{ tenant, username, clientId, scope, grantId, flow, issuedAt: now },
      ...(begunAt !== undefined && { begunAt }),
      ...(browser !== undefined && { browser }),
    };
    const accessToken = ids.secret();
    const access: TokenRecord = {
      hash: vault.digest(accessToken),
      kind: 'access',
      ...(!isLasting && { expiresAt: now + seconds * 1_000 }),
      ...common,
    };
    tx.put('tokens', access);
    const issued = { access_token: accessToken, token_type: 'bearer', expires_in: seconds, scope };
    // A refresh token that the client cannot use now would become usable once the client's owner adds the grant.
    const isRefreshable = findClient(tx, clientId)?.grants.includes('refresh_token') === true;
    if (refreshToken === undefined || !isRefreshable) return issued;
    if (refreshToken.kind === 'same') return { ...issued, refresh_token: refreshToken.value };
    const value = ids.secret();
    tx.put('tokens', { hash: vault.digest(value), kind: 'refresh', ...common });
    return { ...issued, refresh_token: value };
  };

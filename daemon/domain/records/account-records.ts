// Stored records of accounts: tenants, users, clients, tokens, authorization codes and approvals.
import type { Role } from '../../../src/contract/people/users.ts';
import { joinKey } from './record-key.ts';

/** Times are integer milliseconds since the epoch. Records are never changed in place: a change puts a new one. */
export interface MetaRecord {
  readonly key: 'instance';
  /** Random id of this data folder; labels containers and networks. */
  readonly instanceId: string;
  readonly createdAt: number;
}

export interface TenantRecord {
  readonly id: string;
  readonly name: string;
  /** Seconds per flow; an absent one has its default. */
  readonly lifetimes: Partial<Record<'authorization_code' | 'implicit' | 'password' | 'client_credentials', number>>;
  readonly createdAt: number;
}

export interface UserRecord {
  readonly tenant: string;
  readonly username: string;
  /** scrypt, with its parameters and salt. */
  readonly passwordHash: string;
  readonly roles: readonly Role[];
  readonly uid: number;
  readonly profile: {
    readonly email: string;
    readonly firstName: string;
    readonly lastName: string;
    readonly phone: string;
    readonly mobilePhone: string;
  };
  readonly createdAt: number;
}

export type Grant = 'authorization_code' | 'implicit' | 'password' | 'client_credentials' | 'refresh_token';

export interface ClientRecord {
  /** The client id of RFC 6749, Agave's consumerKey. */
  readonly id: string;
  readonly tenant: string;
  readonly owner: string;
  readonly name: string;
  readonly description: string;
  readonly tier: string;
  /** SHA-256 of the secret, hex; empty for a public client. */
  readonly secretHash: string;
  /** The secret before the last rotation, good until then. */
  readonly previousSecret?: { readonly hash: string; readonly validUntil: number };
  readonly redirectUris: readonly string[];
  readonly grants: readonly Grant[];
  readonly createdAt: number;
}

export interface TokenRecord {
  /** SHA-256 of the token, hex. The token itself is nowhere. */
  readonly hash: string;
  readonly kind: 'access' | 'refresh';
  readonly tenant: string;
  readonly username: string;
  readonly clientId: string;
  readonly scope: string;
  /** What one grant gave belongs together and is revoked together. */
  readonly grantId: string;
  readonly flow: Grant | 'execution';
  readonly issuedAt: number;
  /** Absent on refresh tokens: they never expire. @see spec 8 */
  readonly expiresAt?: number;
  /** On refresh tokens of public clients, which serve once: kept for a while, so that a second use is noticed. */
  readonly usedAt?: number;
  /** On tokens given to a running execution: dead with it. */
  readonly executionId?: string;
}

/** An authorization code; the code itself is nowhere. A used one stays for a while, so that its second use is noticed. */
export interface CodeRecord {
  /** SHA-256 of the code, hex. */
  readonly hash: string;
  readonly tenant: string;
  readonly username: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  /** S256 challenge; absent when the client sent none. */
  readonly challenge?: string;
  /** Of the tokens that it gives or gave. */
  readonly grantId: string;
  readonly expiresAt: number;
  /** Set with the first attempt of its client, in the same step that issues the tokens. */
  readonly usedAt?: number;
}

/** An approval that the implicit flow need not ask for again. @see auth.md C19 */
export interface ApprovalRecord {
  readonly tenant: string;
  readonly username: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly approvedAt: number;
}

/** What an approval is found by. A URI holds no control character either. */
export const approvalKey = (r: Omit<ApprovalRecord, 'approvedAt'>): string =>
  joinKey(r.tenant, r.username, r.clientId, r.redirectUri, r.scope);

// Stored records of accounts: tenants, users, clients, tokens, authorization codes and approvals.
import type { Grant, TimedFlow } from '../../../src/contract/oauth/grants.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import type { FolderIdentity } from '../instance-folder.ts';
import { joinKey } from './record-key.ts';

/** A clock that stands still until a command moves it, or runs at a distance from the clock of the machine. */
export interface VirtualTime {
  /** The instant at which the instance was made. */
  readonly from: number;
  /** Where the clock stands, or stood when it began to run. */
  readonly at: number;
  /** The machine's time when the clock began to run; absent: it stands still. */
  readonly runsSince?: number;
  /** Where an advance leads that has not arrived. */
  readonly target?: number;
}

/**
 * The identity of a data folder.
 * In all records, times are integer milliseconds since the epoch. Records are never changed in place: a change stores a
 * new record.
 */
export interface MetaRecord {
  readonly key: 'instance';
  /** Random id of this data folder; labels its containers and networks. */
  readonly instanceId: string;
  readonly createdAt: number;
  /** The folder at the last start; absent if an older version started it. */
  readonly folder?: FolderIdentity;
  /** False until the daemon makes its first call to a container engine. Before that, no engine has objects of this folder. */
  readonly engineUsed?: boolean;
  /** The virtual clock of the instance; absent: it has the clock of the machine. Decided at the first start. */
  readonly clock?: VirtualTime;
}

export interface TenantRecord {
  readonly id: string;
  readonly name: string;
  /** Lifetimes of access tokens in seconds, by flow; an absent flow has its default. */
  readonly lifetimes: Partial<Record<TimedFlow, number>>;
  readonly createdAt: number;
}

export interface UserRecord {
  readonly tenant: string;
  readonly username: string;
  /** scrypt hash with its parameters and salt. */
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

export interface ClientRecord {
  /** The client id of RFC 6749; Agave calls it consumerKey. */
  readonly id: string;
  readonly tenant: string;
  readonly owner: string;
  readonly name: string;
  readonly description: string;
  readonly tier: string;
  /** SHA-256 of the secret, hex; empty for a public client. */
  readonly secretHash: string;
  /** The secret before the last rotation, valid until `validUntil`. */
  readonly previousSecret?: { readonly hash: string; readonly validUntil: number };
  readonly redirectUris: readonly string[];
  readonly grants: readonly Grant[];
  readonly createdAt: number;
}

export interface TokenRecord {
  /** SHA-256 of the token, hex. The token itself is not stored. */
  readonly hash: string;
  readonly kind: 'access' | 'refresh';
  readonly tenant: string;
  readonly username: string;
  readonly clientId: string;
  readonly scope: string;
  /** Shared by all tokens of one grant; they are revoked together. */
  readonly grantId: string;
  readonly flow: Grant | 'execution';
  readonly issuedAt: number;
  /** Absent on refresh tokens: they never expire. @see docs/oauth.md#lifetimes */
  readonly expiresAt?: number;
  /** Set on used refresh tokens of public clients, valid for one use; kept for a while to detect a second use. */
  readonly usedAt?: number;
  /** Set on the token of a running execution; the token ends with the execution. */
  readonly executionId?: string;
}

/** An authorization code; the code itself is not stored. A used code is kept for a while to detect a second use. */
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
  readonly grantId: string;
  /** Whether the user approved access that the client can renew; absent in codes of earlier versions: no. */
  readonly isRenewable?: boolean;
  readonly expiresAt: number;
  /** Set at the first attempt of its client, in the transaction that issues the tokens. */
  readonly usedAt?: number;
}

/** An approval that lets the implicit flow skip the consent form. @see docs/conformance/security.md C19 */
export interface ApprovalRecord {
  readonly tenant: string;
  readonly username: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly approvedAt: number;
}

/** Key of an approval. Like names, URIs contain no control character, so two keys never collide. */
export const approvalKey = (r: Omit<ApprovalRecord, 'approvedAt'>): string =>
  joinKey(r.tenant, r.username, r.clientId, r.redirectUri, r.scope);

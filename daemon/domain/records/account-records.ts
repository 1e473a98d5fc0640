// Stored records of accounts: tenants, users, clients, tokens, authorization codes and approvals.
import type { Grant, TimedFlow } from '../../../src/contract/oauth/grants.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import type { FolderIdentity } from '../instance-folder.ts';
import { joinKey } from './record-key.ts';

/** A virtual clock: it is stopped until a command moves it, or it runs at a fixed offset from the machine's clock. */
export interface VirtualTime {
  /** The instant at which the instance was created. */
  readonly from: number;
  /** The time at which the clock is stopped, or at which it started to run. */
  readonly at: number;
  /** The machine's time when the clock started to run. Absent while the clock is stopped. */
  readonly runsSince?: number;
  /** The target of an advance that is still in progress. */
  readonly target?: number;
}

/**
 * The identity of a data folder.
 * In all records, times are integer milliseconds since the epoch. Records are never changed in place: a change stores a
 * new record.
 */
export interface MetaRecord {
  readonly key: 'instance';
  /** Random id of this data folder. It labels the folder's containers and networks. */
  readonly instanceId: string;
  readonly createdAt: number;
  /** Changes when the data are replaced or copied. Absent if an older version created the data. */
  readonly epoch?: string;
  /** The folder at the last start. Absent if an older version started it. */
  readonly folder?: FolderIdentity;
  /**
   * False until the daemon makes its first call to a container engine. Before that, no engine has objects of this
   * folder.
   */
  readonly engineUsed?: boolean;
  /**
   * The virtual clock of the instance, decided at the first start. If absent, the instance uses the machine's clock.
   */
  readonly clock?: VirtualTime;
}

export interface TenantRecord {
  readonly id: string;
  readonly name: string;
  /** Lifetimes of access tokens in seconds, by flow. An absent flow has its default. */
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
  /** The client id of RFC 6749, which Agave calls consumerKey. */
  readonly id: string;
  readonly tenant: string;
  readonly owner: string;
  readonly name: string;
  readonly description: string;
  readonly tier: string;
  /** SHA-256 of the secret, hex. Empty for a public client. */
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
  /** Shared by all tokens of one grant, which are revoked together. */
  readonly grantId: string;
  readonly flow: Grant | 'execution';
  readonly issuedAt: number;
  /** Expiry time. Absent on refresh tokens, which never expire. @see docs/oauth.md#lifetimes */
  readonly expiresAt?: number;
  /**
   * Set on a used refresh token of a public client, valid for one use. The record is stored for a while to detect a
   * second use.
   */
  readonly usedAt?: number;
  /** Start of the grant, if it is before `issuedAt`, as for a renewed token. */
  readonly begunAt?: number;
  /** The browser in which the user approved the grant. Absent for flows without a browser. */
  readonly browser?: string;
  /** Set on the token of a running execution. The token ends with the execution. */
  readonly executionId?: string;
}

/**
 * An authorization code. The code itself is not stored. A used code stays stored for a while to detect a second use.
 */
export interface CodeRecord {
  /** SHA-256 of the code, hex. */
  readonly hash: string;
  readonly tenant: string;
  readonly username: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  /** S256 challenge. Absent if the client sent none. */
  readonly challenge?: string;
  readonly grantId: string;
  /** The browser in which the user approved. Absent in codes of earlier versions. */
  readonly browser?: string;
  /**
   * True if the user approved access that the client can renew. Absent, meaning false, in codes of earlier versions.
   */
  readonly isRenewable?: boolean;
  readonly expiresAt: number;
  /** Set when the client first redeems the code, in the transaction that issues the tokens. */
  readonly usedAt?: number;
}

/** A session of a browser that logged in. It lasts over restarts, and archives leave it out. */
export interface SessionRecord {
  /** SHA-256 of the id in the cookie, hex. The id itself is not stored. */
  readonly hash: string;
  /** Identifies the browser. It is the same in the next session of this browser. */
  readonly browser: string;
  readonly tenant: string;
  readonly username: string;
  readonly startedAt: number;
  /** The last use, to the minute. */
  readonly seenAt: number;
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

/** Key of an approval. Neither names nor URIs contain control characters, so two keys never collide. */
export const approvalKey = (r: Omit<ApprovalRecord, 'approvedAt'>): string =>
  joinKey(r.tenant, r.username, r.clientId, r.redirectUri, r.scope);

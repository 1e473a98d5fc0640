// Stored records of aliases, nonces, configs and states.
import type { Level } from '../../../src/contract/operation.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import { joinKey } from './record-key.ts';

export interface AliasRecord {
  readonly tenant: string;
  readonly alias: string;
  readonly actorId: string;
  /**
   * User who pointed the alias to this actor; absent if an earlier version stored the alias, or if the user was deleted.
   * A config follows the alias only if this user holds UPDATE on the config.
   */
  readonly pointedBy?: string;
  readonly owner: string;
  readonly permissions: Readonly<Record<string, Level>>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NonceRecord {
  /** Public id for listing and deleting: `<TENANT>_<13 characters>`. It cannot be redeemed. */
  readonly id: string;
  /** SHA-256 of the secret that the caller sends, hex. */
  readonly hash: string;
  /** The secret, sealed; only of a nonce that a legacy client created, because lists show it there. */
  readonly sealed?: string;
  readonly tenant: string;
  /** Callers who redeem the nonce act as this user. */
  readonly owner: string;
  /** Roles of the owner at creation; roles that the owner has lost since do not count. */
  readonly roles: readonly Role[];
  readonly level: Level;
  /** Exactly one of `actorId` and `alias` is set. */
  readonly actorId?: string;
  readonly alias?: string;
  /** -1: unlimited. */
  readonly maxUses: number;
  readonly currentUses: number;
  readonly description: string;
  readonly expiresAt?: number;
  readonly createdAt: number;
  readonly lastUsedAt?: number;
}

export interface ConfigRecord {
  readonly tenant: string;
  readonly name: string;
  /** JSON text as sent; the sealed text for a secret. */
  readonly value: string;
  readonly isSecret: boolean;
  /** Comma-separated ids and aliases, as sent. */
  readonly actors: string;
  /** Who set the list; absent: the owner. Through an alias, the config reaches only actors this user may update. */
  readonly listSetBy?: string;
  /** Starts at 1; every replacement adds 1. */
  readonly revision: number;
  readonly owner: string;
  readonly permissions: Readonly<Record<string, Level>>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * One version of the state of a stateful actor. An actor without any version has the state `{}`, shown as version 0.
 */
export interface StateRecord {
  readonly actorId: string;
  readonly tenant: string;
  /** Starts at 1; every change adds 1. The newest version is never dropped. */
  readonly version: number;
  /** JSON text as sent. */
  readonly text: string;
  /** Length of `text` in UTF-8 bytes. */
  readonly bytes: number;
  readonly by: string;
  /** The execution whose token set the state; absent when a user did. */
  readonly executionId?: string;
  readonly at: number;
}

export const stateKey = (actorId: string, version: number): string => joinKey(actorId, String(version));

export const nameKey = (tenant: string, name: string): string => joinKey(tenant, name);

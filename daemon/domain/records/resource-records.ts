// Stored records of aliases, nonces, configs and states.
import type { Level } from '../../../src/contract/operation.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import { joinKey } from './record-key.ts';

export interface AliasRecord {
  readonly tenant: string;
  readonly alias: string;
  readonly actorId: string;
  /**
   * User who pointed the alias to this actor. Absent if an earlier version stored the alias, or if the user was
   * deleted. A config follows the alias only if this user holds UPDATE on the config.
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
  /** The secret, encrypted. Stored only for a nonce that a legacy client created, because lists show it there. */
  readonly sealed?: string;
  readonly tenant: string;
  /** Callers who redeem the nonce act as this user. */
  readonly owner: string;
  /** Roles of the owner at creation. Roles that the owner has lost since do not count. */
  readonly roles: readonly Role[];
  readonly level: Level;
  /** Exactly one of `actorId` and `alias` is set. */
  readonly actorId?: string;
  readonly alias?: string;
  /** Maximum number of uses; -1 if unlimited. */
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
  /** JSON text as sent. For a secret config, the sealed text. */
  readonly value: string;
  readonly isSecret: boolean;
  /** Comma-separated actor ids and aliases, as sent. */
  readonly actors: string;
  /**
   * User who set the list. If absent, the owner. Through an alias, the config reaches only actors that this user may
   * update.
   */
  readonly listSetBy?: string;
  /** Revision number. Starts at 1 and increases by 1 with every replacement. */
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
  /** Version number. Starts at 1 and increases by 1 with every change. The newest version is never deleted. */
  readonly version: number;
  /** State as JSON text, as sent. */
  readonly text: string;
  /** Length of `text` in UTF-8 bytes. */
  readonly bytes: number;
  readonly by: string;
  /** The execution whose token set the state. Absent if a user set it. */
  readonly executionId?: string;
  readonly at: number;
}

export const stateKey = (actorId: string, version: number): string => joinKey(actorId, String(version));

export const nameKey = (tenant: string, name: string): string => joinKey(tenant, name);

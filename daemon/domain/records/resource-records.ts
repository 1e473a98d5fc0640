// What the store keeps beside actors and for them: aliases, nonces, configs, states.
import type { Level } from '../../../src/contract/operation.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import { joinKey } from './record-key.ts';

/** A name for an actor that can be pointed to another one. */
export interface AliasRecord {
  readonly tenant: string;
  readonly alias: string;
  readonly actorId: string;
  readonly owner: string;
  readonly permissions: Readonly<Record<string, Level>>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Leave to use one actor or one alias without a token; what redeems it is nowhere. */
export interface NonceRecord {
  /** What it is listed and found by: `<TENANT>_<13 characters>`. Opens nothing. */
  readonly id: string;
  /** SHA-256 of what the holder sends, hex. */
  readonly hash: string;
  readonly tenant: string;
  /** Whoever redeems it acts as this user. */
  readonly owner: string;
  /** Roles of the owner when it was made; one that the owner has lost since does not count. */
  readonly roles: readonly Role[];
  readonly level: Level;
  /** Exactly one of the two is there. */
  readonly actorId?: string;
  readonly alias?: string;
  /** -1: without end. */
  readonly maxUses: number;
  readonly currentUses: number;
  readonly description: string;
  readonly expiresAt?: number;
  readonly createdAt: number;
  readonly lastUsedAt?: number;
}

/** A value shared with actors. */
export interface ConfigRecord {
  readonly tenant: string;
  readonly name: string;
  /** JSON text as it was sent; of a secret the sealed text instead. */
  readonly value: string;
  readonly isSecret: boolean;
  /** Comma-separated ids and aliases, as they were sent. */
  readonly actors: string;
  /** Who set that list; absent: the owner. Through an alias the config reaches the actors that this user may update. */
  readonly listSetBy?: string;
  /** 1 is the first; every replacement adds 1. */
  readonly revision: number;
  readonly owner: string;
  readonly permissions: Readonly<Record<string, Level>>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One version of the state of a stateful actor. An actor without any has the state `{}`, called version 0. */
export interface StateRecord {
  readonly actorId: string;
  readonly tenant: string;
  /** 1 is the first; every change makes the next one. The newest is never dropped. */
  readonly version: number;
  /** JSON text as it was sent. */
  readonly text: string;
  /** Of `text` in UTF-8. */
  readonly bytes: number;
  readonly by: string;
  /** The execution whose token set it; absent when a person did. */
  readonly executionId?: string;
  readonly at: number;
}

/** What a version of a state is found by. */
export const stateKey = (actorId: string, version: number): string => joinKey(actorId, String(version));

/** What a name of a tenant is found by: of an alias, of a config. */
export const nameKey = (tenant: string, name: string): string => joinKey(tenant, name);

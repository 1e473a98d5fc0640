// Rules of nonces: target, remaining uses, expiry, and the roles they grant.
import type { GuardLevel, Level } from '../../../src/contract/operation.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import type { NonceRecord } from '../records/resource-records.ts';
import { includesLevel } from './permission.ts';

/** Value of `maxUses` for a nonce without a limit of uses. */
export const UNLIMITED = -1;

/** The name in a request path that a nonce must match, and whether the route expects an actor or an alias there. */
export interface NonceTarget {
  readonly place: 'actor' | 'alias';
  readonly name: string;
}

/** Remaining uses; -1 if unlimited. */
export const remainingUses = ({ maxUses, currentUses }: Pick<NonceRecord, 'maxUses' | 'currentUses'>): number =>
  maxUses === UNLIMITED ? UNLIMITED : Math.max(0, maxUses - currentUses);

/** True if the nonce has expired. Remaining uses are ignored. @param now ms since the epoch */
export const isUnexpired = ({ expiresAt }: Pick<NonceRecord, 'expiresAt'>, now: number): boolean =>
  expiresAt === undefined || expiresAt > now;

export const isRedeemable = (nonce: NonceRecord, now: number): boolean =>
  remainingUses(nonce) !== 0 && isUnexpired(nonce, now);

/** Maximum time (ms) for which a used-up or expired nonce is still listed, so that its owner can see its history. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

/** @param now ms since the epoch */
export const isDeletable = (nonce: NonceRecord, now: number): boolean => {
  const endedAt = remainingUses(nonce) === 0 ? nonce.lastUsedAt : nonce.expiresAt;
  return endedAt !== undefined && endedAt <= now - KEPT_MS;
};

/**
 * True if the nonce is valid for the actor or alias in a request path:
 * - A nonce for an actor matches the actor's id, but none of its aliases.
 * - A nonce for an alias matches this alias in either kind of path, unless an actor of the nonce's tenant has the same
 *   text as its id.
 * @see docs/http-api.md#nonces
 */
export const matchesTarget = (
  { actorId, alias }: Pick<NonceRecord, 'actorId' | 'alias'>,
  { place, name }: NonceTarget,
  isActorId: (name: string) => boolean,
): boolean =>
  alias === undefined
    ? place === 'actor' && name === actorId
    : name === alias && (place === 'alias' || !isActorId(name));

/** True if the nonce gives the level. A nonce of level NONE allows nothing. */
export const allows = ({ level }: Pick<NonceRecord, 'level'>, needed: GuardLevel): boolean =>
  includesLevel(level, needed);

/** Roles that a nonce grants: the roles that its owner had when it was created and still has. */
export const grantedRoles = (stored: readonly Role[], present: readonly Role[]): readonly Role[] =>
  stored.filter((role) => present.includes(role));

export const withOneMoreUse = (nonce: NonceRecord, now: number): NonceRecord => ({
  ...nonce,
  currentUses: nonce.currentUses + 1,
  lastUsedAt: now,
});

export interface NonceRequest {
  readonly level: Level;
  readonly maxUses: number;
  readonly description: string;
  /** Lifetime in seconds. */
  readonly expiresIn?: number | undefined;
}

export interface NonceOrigin extends Pick<NonceRecord, 'id' | 'hash' | 'tenant' | 'owner' | 'roles'> {
  readonly target: { readonly actorId: string } | { readonly alias: string };
}

export const newNonce = (
  { target, ...origin }: NonceOrigin,
  { expiresIn, ...asked }: NonceRequest,
  now: number,
): NonceRecord => ({
  ...origin,
  ...target,
  ...asked,
  currentUses: 0,
  ...(expiresIn !== undefined && { expiresAt: now + expiresIn * 1_000 }),
  createdAt: now,
});

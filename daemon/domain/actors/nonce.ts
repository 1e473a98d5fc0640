// What a nonce is good for: where it opens, how often, until when, and what remains of its owner's roles.
import type { GuardLevel, Level } from '../../../src/contract/operation.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import type { NonceRecord } from '../records/resource-records.ts';
import { includesLevel } from './permission.ts';

/** The `maxUses` of a nonce without end. */
export const UNLIMITED = -1;

/** What stands in the path of a request: in the place of an actor, or in that of an alias. */
export interface NonceTarget {
  readonly place: 'actor' | 'alias';
  readonly name: string;
}

/** Uses that are left; -1 when there is no end to them. */
export const remainingUses = ({ maxUses, currentUses }: Pick<NonceRecord, 'maxUses' | 'currentUses'>): number =>
  maxUses === UNLIMITED ? UNLIMITED : Math.max(0, maxUses - currentUses);

/** Whether its time has not run out; uses do not count. @param now ms since the epoch */
export const isInTime = ({ expiresAt }: Pick<NonceRecord, 'expiresAt'>, now: number): boolean =>
  expiresAt === undefined || expiresAt > now;

/** Whether it can still be redeemed. @param now ms since the epoch */
export const isGood = (nonce: NonceRecord, now: number): boolean => remainingUses(nonce) !== 0 && isInTime(nonce, now);

/** One that opens nothing any more is listed this long (ms), so that whoever made it sees what became of it. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

/** Whether it has opened nothing for so long that nobody looks for it. @param now ms since the epoch */
export const isOver = (nonce: NonceRecord, now: number): boolean => {
  const endedAt = remainingUses(nonce) === 0 ? nonce.lastUsedAt : nonce.expiresAt;
  return endedAt !== undefined && endedAt <= now - KEPT_MS;
};

/**
 * Whether it was made for what the path names: one of an actor for that id and no alias of it, one of an alias for that
 * alias wherever it stands, as long as no actor has that name for its id.
 * @param isActorId whether an actor of the nonce's tenant has this id
 * @see facts 5.6
 */
export const reaches = (
  { actorId, alias }: Pick<NonceRecord, 'actorId' | 'alias'>,
  { place, name }: NonceTarget,
  isActorId: (name: string) => boolean,
): boolean =>
  alias === undefined
    ? place === 'actor' && name === actorId
    : name === alias && (place === 'alias' || !isActorId(name));

/** Whether its level includes what a route asks for; one of level NONE opens nothing. */
export const allows = ({ level }: Pick<NonceRecord, 'level'>, needed: GuardLevel): boolean =>
  includesLevel(level, needed);

/** The roles with which it acts: those its owner had when it was made and has still. */
export const standingRoles = (stored: readonly Role[], present: readonly Role[]): readonly Role[] =>
  stored.filter((role) => present.includes(role));

/** The nonce with one use less. @param now ms since the epoch */
export const used = (nonce: NonceRecord, now: number): NonceRecord => ({
  ...nonce,
  currentUses: nonce.currentUses + 1,
  lastUsedAt: now,
});

/** What was asked of a new nonce. */
export interface NonceRequest {
  readonly level: Level;
  readonly maxUses: number;
  readonly description: string;
  /** Seconds. */
  readonly expiresIn?: number | undefined;
}

/** Who makes it, and what makes it one of a kind. */
export interface NonceOrigin extends Pick<NonceRecord, 'id' | 'hash' | 'tenant' | 'owner' | 'roles'> {
  readonly target: { readonly actorId: string } | { readonly alias: string };
}

/** A new nonce. @param now ms since the epoch */
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

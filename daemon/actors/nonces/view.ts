// Converts a nonce record to its API representation.
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import { remainingUses } from '../../domain/actors/nonce.ts';
import type { NonceRecord } from '../../domain/records/resource-records.ts';
import type { Addresses } from '../addresses.ts';

/** @see docs/protocol.md 23.1 */
export type NonceView = ResultOf<Operations['nonces.show']>;

const linksOf = ({ id, owner, actorId, alias }: NonceRecord, addresses: Addresses): NonceView['_links'] => {
  const target = alias === undefined ? addresses.actor(actorId ?? '') : addresses.alias(alias);
  return {
    self: `${target}/nonces/${encodeURIComponent(id)}`,
    owner: addresses.profile(owner),
    // An alias can change its actor, so the link uses the address of the alias.
    actor: alias === undefined ? target : addresses.actor(alias),
  };
};

/** A nonce without its secret, for every caller who may read the actor or alias. */
export const nonceView = (nonce: NonceRecord, addresses: Addresses): NonceView => ({
  id: nonce.id,
  owner: nonce.owner,
  level: nonce.level,
  roles: [...nonce.roles],
  maxUses: nonce.maxUses,
  currentUses: nonce.currentUses,
  remainingUses: remainingUses(nonce),
  description: nonce.description,
  apiServer: addresses.api(),
  createTime: toWireTime(nonce.createdAt),
  ...(nonce.lastUsedAt !== undefined && { lastUseTime: toWireTime(nonce.lastUsedAt) }),
  ...(nonce.expiresAt !== undefined && { expireTime: toWireTime(nonce.expiresAt) }),
  ...(nonce.actorId !== undefined && { actorId: nonce.actorId }),
  ...(nonce.alias !== undefined && { alias: nonce.alias }),
  _links: linksOf(nonce, addresses),
});

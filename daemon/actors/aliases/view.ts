// Converts an alias record to its API representation.
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import type { AliasRecord } from '../../domain/records/resource-records.ts';
import type { Addresses } from '../addresses.ts';

/** @see docs/protocol.md 2.5 */
export const aliasView = (
  { alias, actorId, owner }: AliasRecord,
  addresses: Addresses,
): ResultOf<Operations['aliases.show']> => ({
  alias,
  actorId,
  owner,
  _links: { self: addresses.alias(alias), owner: addresses.profile(owner), actor: addresses.actor(actorId) },
});

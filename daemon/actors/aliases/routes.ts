// Handlers of aliases: create, list, show, update, delete.

import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import type { AliasRecord } from '../../domain/records/resource-records.ts';
import type { Handlers } from '../../http/route-handler.ts';
import type { Addresses } from '../addresses.ts';
import { createAddresses } from '../addresses.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { aliases } from './service.ts';

/** @see docs/http-api.md#aliases-and-names */
const aliasView = (
  { alias, actorId, owner }: AliasRecord,
  addresses: Addresses,
): ResultOf<Operations['aliases.show']> => ({
  alias,
  actorId,
  owner,
  _links: { self: addresses.alias(alias), owner: addresses.profile(owner), actor: addresses.actor(actorId) },
});

type AliasOperation = 'aliases.create' | 'aliases.list' | 'aliases.show' | 'aliases.update' | 'aliases.delete';

const deletionMessage = (nonces: number): string => {
  if (nonces === 0) return 'Alias deleted.';
  return `Alias deleted, together with ${nonces === 1 ? 'its nonce' : `its ${nonces} nonces`}.`;
};

const pointedMessage = (actorId: string, previous: string | undefined): string => {
  if (previous === undefined) return 'Alias unchanged: it already points to that actor.';
  return previous === actorId
    ? 'Alias confirmed: it already points to that actor, and your configs follow it now.'
    : `Alias updated: it previously pointed to ${previous}.`;
};

/** Makes the handlers. @see docs/http-api.md#aliases-and-names, docs/http-api.md#permissions */
export const aliasesHandlers = (deps: ActorsDependencies): Handlers<AliasOperation> => {
  const service = aliases(deps);
  const addresses = createAddresses(deps.baseUrl);
  return {
    'aliases.create': async ({ caller, input }) => ({
      result: aliasView(await service.create(caller, input), addresses),
      message: 'Alias created.',
    }),

    'aliases.list': ({ caller }) => ({
      result: service.list(caller).map((alias) => aliasView(alias, addresses)),
      message: 'Aliases retrieved.',
    }),

    'aliases.show': ({ alias }) => ({ result: aliasView(alias, addresses), message: 'Alias retrieved.' }),

    'aliases.update': async ({ caller, params, input }) => {
      const { alias, previous } = await service.point(caller, params.alias, input);
      return { result: aliasView(alias, addresses), message: pointedMessage(alias.actorId, previous) };
    },

    'aliases.delete': async ({ caller, params }) => ({
      result: null,
      message: deletionMessage(await service.remove(caller, params.alias)),
    }),
  };
};

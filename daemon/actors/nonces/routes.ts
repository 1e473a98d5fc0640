// Handlers of nonces of actors and of aliases: list, create, show, delete.

import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import { remainingUses } from '../../domain/actors/nonce.ts';
import type { NonceRecord } from '../../domain/records/resource-records.ts';
import type { Handlers } from '../../http/route-handler.ts';
import type { Addresses } from '../addresses.ts';
import { createAddresses } from '../addresses.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { type NewNonce, nonceService } from './service.ts';

/** @see docs/http-api.md#nonces */
type NonceView = ResultOf<Operations['nonces.show']>;

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
const nonceView = (nonce: NonceRecord, addresses: Addresses): NonceView => ({
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

type Verb = 'list' | 'create' | 'show' | 'delete';
type NoncesOperation = `${'nonces' | 'alias-nonces'}.${Verb}`;

/** Makes the handlers. @see docs/http-api.md#nonces */
export const noncesHandlers = (
  deps: Pick<ActorsDependencies, 'store' | 'vault' | 'seal' | 'clock' | 'ids' | 'baseUrl'>,
): Handlers<NoncesOperation> => {
  const keeper = nonceService(deps);
  const addresses = createAddresses(deps.baseUrl);
  const made = ({ nonce, secret }: NewNonce) => ({
    result: { ...nonceView(nonce, addresses), id: secret } satisfies NonceView,
    message:
      nonce.sealed === undefined
        ? 'Nonce created. Its id is a secret and is shown only this once.'
        : 'Nonce created. Its id is a secret, which lists show to you alone.',
  });
  const listed = (of: Parameters<typeof keeper.list>[0]) => ({
    result: keeper.list(of).map((nonce) => nonceView(nonce, addresses)),
    message: 'Nonces retrieved.',
  });
  const shown = (of: Parameters<typeof keeper.show>[0], id: string) => ({
    result: nonceView(keeper.show(of, id), addresses),
    message: 'Nonce retrieved.',
  });
  const deleted = { result: null, message: 'Nonce deleted.' };
  return {
    'nonces.list': ({ actor }) => listed({ actor }),
    'nonces.create': async ({ caller, actor, input, dialect }) =>
      made(await keeper.create(caller, { actor }, input, dialect)),
    'nonces.show': ({ actor, params }) => shown({ actor }, params.nonceId),
    'nonces.delete': async ({ actor, params }) => {
      await keeper.remove({ actor }, params.nonceId);
      return deleted;
    },
    'alias-nonces.list': ({ alias }) => listed({ alias }),
    'alias-nonces.create': async ({ caller, alias, input, dialect }) =>
      made(await keeper.create(caller, { alias }, input, dialect)),
    'alias-nonces.show': ({ alias, params }) => shown({ alias }, params.nonceId),
    'alias-nonces.delete': async ({ alias, params }) => {
      await keeper.remove({ alias }, params.nonceId);
      return deleted;
    },
  };
};

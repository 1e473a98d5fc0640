// Handlers of nonces of actors and of aliases: list, create, show, delete.
import type { Handlers } from '../../http/route-handler.ts';
import { createAddresses } from '../addresses.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { type NewNonce, nonceService } from './service.ts';
import { type NonceView, nonceView } from './view.ts';

type Verb = 'list' | 'create' | 'show' | 'delete';
type NoncesOperation = `${'nonces' | 'alias-nonces'}.${Verb}`;

/** Makes the handlers. @see docs/protocol.md 23.2, 5.6 */
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

// Scenarios for every response of aliases and their nonces.

import { type OperationsOf, type Scenario, type Scenarios, within } from '../contract/every-operation.ts';
import type { ActorService, Name } from '../service/actor-service.ts';
import type { Answer } from '../service/call.ts';
import { aliased, broken, done, fresh, leaving, readable } from './resources.ts';

const ALIASES = '/actors/v2/aliases';

const create = (service: ActorService, json: unknown, as: Name = 'ana'): Promise<Answer> =>
  service.ask(as, 'POST', ALIASES, { json });

const newAlias = async (service: ActorService): Promise<string> => aliased(service, await service.actor('ana'));

/** Moves an alias of ana to the actor in `change`. */
const point =
  (change: (service: ActorService, alias: string) => Promise<Readonly<Record<string, unknown>>>): Scenario =>
  async (service) => {
    const alias = await newAlias(service);
    return service.ask('ana', 'PUT', `${ALIASES}/${alias}`, { json: await change(service, alias) });
  };

const makeNonce = async (service: ActorService, alias: string): Promise<string> =>
  String(done(await service.ask('ana', 'POST', `${ALIASES}/${alias}/nonces`, { json: {} })).result['id']);

const nonce =
  (body: Parameters<ActorService['ask']>[3]): Scenario =>
  async (service) =>
    service.ask('ana', 'POST', `${ALIASES}/${await newAlias(service)}/nonces`, body);

const onNonce =
  (method: string, made: (service: ActorService, alias: string) => Promise<string>): Scenario =>
  async (service) => {
    const alias = await newAlias(service);
    return service.ask('ana', method, `${ALIASES}/${alias}/nonces/${await made(service, alias)}`);
  };

const missing = async () => 'DEV_xxxxxxxxxxxxx';

export const aliasScenarios: Scenarios<OperationsOf<'aliases' | 'alias-nonces'>> = {
  'aliases.create': {
    success: async (service) => create(service, { alias: fresh(), actorId: await service.actor('ana') }),
    failures: {
      VALIDATION: async (service) => create(service, { alias: 'nonces', actorId: await service.actor('ana') }),
      NOT_FOUND: (service) => create(service, { alias: fresh(), actorId: 'nobody' }),
      FORBIDDEN: async (service) => create(service, { alias: fresh(), actorId: await readable(service) }),
      ALREADY_EXISTS: async (service) => {
        const actorId = await service.actor('ana');
        return create(service, { alias: await aliased(service, actorId), actorId });
      },
      LINK_CYCLE: async (service) => {
        const [first, alias] = [await service.actor('ana'), await newAlias(service)];
        const second = await service.actor('ana', { link: alias });
        await service.ask('ana', 'DELETE', `${ALIASES}/${alias}`);
        done(await service.ask('ana', 'PUT', `/actors/v2/${first}`, { json: { image: 'alpine', link: second } }));
        return create(service, { alias, actorId: first });
      },
      QUOTA_EXCEEDED: within({ quotas: { aliases: 0 } }, async (service) =>
        create(service, { alias: fresh(), actorId: await service.actor('ana') }),
      ),
      ACTOR_BUSY: async (service) => create(service, { alias: fresh(), actorId: await leaving(service) }),
    },
  },
  'aliases.list': { success: (service) => service.ask('ana', 'GET', ALIASES), failures: {} },
  'aliases.show': {
    success: async (service) => service.ask('ana', 'GET', `${ALIASES}/${await newAlias(service)}`),
    failures: {},
  },
  'aliases.update': {
    success: point(async (service) => ({ actorId: await service.actor('ana') })),
    failures: {
      VALIDATION: point(async (service) => ({ actorId: await service.actor('ana'), alias: 'other' })),
      NOT_FOUND: point(async () => ({ actorId: 'nobody' })),
      FORBIDDEN: point(async (service) => ({ actorId: await readable(service) })),
      STALE_VERSION: point(async (service) => ({ actorId: await service.actor('ana'), ifActorId: 'another' })),
      LINK_CYCLE: point(async (service, alias) => ({ actorId: await service.actor('ana', { link: alias }) })),
      ACTOR_BUSY: point(async (service) => ({ actorId: await leaving(service) })),
    },
  },
  'aliases.delete': {
    success: async (service) => service.ask('ana', 'DELETE', `${ALIASES}/${await newAlias(service)}`),
    failures: {},
  },
  'alias-nonces.list': {
    success: async (service) => service.ask('ana', 'GET', `${ALIASES}/${await newAlias(service)}/nonces`),
    failures: {},
  },
  'alias-nonces.create': {
    success: nonce({ json: { level: 'READ', maxUses: 2 } }),
    failures: {
      VALIDATION: nonce({ json: { maxUses: 0 } }),
      MALFORMED_BODY: nonce(broken),
      ALIAS_NONCE_LEVEL: nonce({ json: { level: 'UPDATE' } }),
      QUOTA_EXCEEDED: within({ quotas: { nonces: 0 } }, nonce({ json: {} })),
    },
  },
  'alias-nonces.show': {
    success: onNonce('GET', makeNonce),
    failures: { NOT_FOUND: onNonce('GET', missing) },
  },
  'alias-nonces.delete': {
    success: onNonce('DELETE', makeNonce),
    failures: { NOT_FOUND: onNonce('DELETE', missing) },
  },
};

// Scenarios for every response of permissions, and of the nonces of actors.

import { type OperationsOf, type Scenario, type Scenarios, within } from '../contract/every-operation.ts';
import type { ActorService } from '../service/actor-service.ts';
import { aliased, broken, configured, done } from './resources.ts';

/** Creates a resource of ana and returns its path. */
type Place = (service: ActorService) => Promise<string>;

const actor: Place = async (service) => `/actors/v2/${await service.actor('ana')}`;
const alias: Place = async (service) => `/actors/v2/aliases/${await aliased(service, await service.actor('ana'))}`;
const config: Place = async (service) => `/actors/v2/configs/${await configured(service)}`;

const listed =
  (place: Place): Scenario =>
  async (service) =>
    service.ask('ana', 'GET', `${await place(service)}/permissions`);

const granted =
  (place: Place, json: Readonly<Record<string, string>>): Scenario =>
  async (service) =>
    service.ask('ana', 'POST', `${await place(service)}/permissions`, { json });

const asked =
  (place: Place, query: string): Scenario =>
  async (service) =>
    service.ask('ana', 'GET', `${await place(service)}/permissions/bob?${query}`);

const list = (place: Place) => ({ success: listed(place), failures: {} });
const grant = (place: Place) => ({
  success: granted(place, { user: 'bob', level: 'EXECUTE' }),
  failures: {
    VALIDATION: granted(place, { user: 'bob', level: 'EVERYTHING' }),
    LAST_HOLDER: granted(place, { user: 'ana', level: 'READ' }),
  },
});
const can = (place: Place) => ({
  success: asked(place, 'level=UPDATE'),
  failures: { VALIDATION: asked(place, 'level=EVERYTHING') },
});

const nonce =
  (body: Parameters<ActorService['ask']>[3]): Scenario =>
  async (service) =>
    service.ask('ana', 'POST', `${await actor(service)}/nonces`, body);

const onNonce =
  (method: string, id?: string): Scenario =>
  async (service) => {
    const path = `${await actor(service)}/nonces`;
    const made = done(await service.ask('ana', 'POST', path, { json: {} })).result['id'];
    return service.ask('ana', method, `${path}/${id ?? String(made)}`);
  };

const MISSING = 'DEV_xxxxxxxxxxxxx';

export const sharingScenarios: Scenarios<
  OperationsOf<'permissions' | 'alias-permissions' | 'config-permissions' | 'nonces'>
> = {
  'permissions.list': list(actor),
  'permissions.grant': grant(actor),
  'permissions.can': can(actor),
  'alias-permissions.list': list(alias),
  'alias-permissions.grant': grant(alias),
  'alias-permissions.can': can(alias),
  'config-permissions.list': list(config),
  'config-permissions.grant': grant(config),
  'config-permissions.can': can(config),
  'nonces.list': {
    success: async (service) => service.ask('ana', 'GET', `${await actor(service)}/nonces`),
    failures: {},
  },
  'nonces.create': {
    success: nonce({ json: { level: 'UPDATE', maxUses: 1, expiresIn: 60 } }),
    failures: {
      VALIDATION: nonce({ json: { level: 'EVERYTHING' } }),
      MALFORMED_BODY: nonce(broken),
      QUOTA_EXCEEDED: within({ quotas: { nonces: 0 } }, nonce({ json: {} })),
    },
  },
  'nonces.show': { success: onNonce('GET'), failures: { NOT_FOUND: onNonce('GET', MISSING) } },
  'nonces.delete': { success: onNonce('DELETE'), failures: { NOT_FOUND: onNonce('DELETE', MISSING) } },
};

// Scenarios for every response of configs and states.

import { type OperationsOf, type Scenario, type Scenarios, within } from '../contract/every-operation.ts';
import type { ActorService } from '../service/actor-service.ts';
import { type Answer, type Call, typed } from '../service/call.ts';
import { broken, configured, fresh, readable, share } from './resources.ts';

const CONFIGS = '/actors/v2/configs';

const described = (fields: Readonly<Record<string, unknown>> = {}): Call => ({
  json: { name: fresh(), value: { any: 'value' }, actors: '', is_secret: false, ...fields },
});

const create = (service: ActorService, sent: Call): Promise<Answer> => service.ask('ana', 'POST', CONFIGS, sent);

/** Replaces a config of ana. */
const replace =
  (sent: (service: ActorService, name: string) => Promise<Call> | Call): Scenario =>
  async (service) => {
    const name = await configured(service);
    return service.ask('ana', 'PUT', `${CONFIGS}/${name}`, await sent(service, name));
  };

/** Sends a request about a config of ana on which bob has READ. */
const asBob =
  (method: string): Scenario =>
  async (service) => {
    const name = await configured(service);
    await share(service, `${CONFIGS}/${name}`, 'READ');
    return service.ask('bob', method, `${CONFIGS}/${name}`);
  };

const unknown =
  (method: string, sent: Call = {}): Scenario =>
  (service) =>
    service.ask('ana', method, `${CONFIGS}/${fresh()}`, sent);

const stateful = (service: ActorService) => service.actor('ana', { stateless: false, state: { first: 1 } });

/** Sends a request about the state of a stateful actor of ana, which has one version. */
const ofState =
  (method: string, path: string, sent: Call = {}): Scenario =>
  async (service) =>
    service.ask('ana', method, `/actors/v2/${await stateful(service)}/state${path}`, sent);

const ofStateless =
  (path: string): Scenario =>
  async (service) =>
    service.ask('ana', 'POST', `/actors/v2/${await service.actor('ana')}/state${path}`, { json: 1 });

const stale = { headers: { 'if-match': '"7"' } };

export const configScenarios: Scenarios<OperationsOf<'configs' | 'state'>> = {
  'configs.create': {
    success: async (service) => create(service, described({ actors: await service.actor('ana'), is_secret: true })),
    failures: {
      VALIDATION: (service) => create(service, described({ name: 'search' })),
      MALFORMED_BODY: (service) => create(service, broken),
      FORBIDDEN: async (service) => create(service, described({ actors: await readable(service) })),
      NOT_FOUND: (service) => create(service, described({ actors: 'nobody' })),
      ALREADY_EXISTS: async (service) => create(service, described({ name: await configured(service) })),
      QUOTA_EXCEEDED: within({ quotas: { configs: 0 } }, (service) => create(service, described())),
    },
  },
  'configs.list': { success: (service) => service.ask('ana', 'GET', CONFIGS), failures: {} },
  'configs.show': { success: asBob('GET'), failures: { NOT_FOUND: unknown('GET') } },
  'configs.update': {
    success: replace((_, name) => described({ name, value: null })),
    failures: {
      VALIDATION: replace(() => described({ name: 'another' })),
      MALFORMED_BODY: replace(() => broken),
      FORBIDDEN: replace(async (service, name) => described({ name, actors: await readable(service) })),
      NOT_FOUND: unknown('PUT', described()),
      STALE_VERSION: replace((_, name) => ({ ...described({ name }), ...stale })),
    },
  },
  'configs.delete': {
    success: async (service) => service.ask('ana', 'DELETE', `${CONFIGS}/${await configured(service)}`),
    failures: { FORBIDDEN: asBob('DELETE'), NOT_FOUND: unknown('DELETE') },
  },

  'state.show': { success: ofState('GET', ''), failures: { VALIDATION: ofState('GET', '?as=bytes') } },
  'state.set': {
    success: ofState('POST', '', { json: [0, ''] }),
    failures: {
      VALIDATION: ofState('POST', ''),
      ACTOR_STATELESS: ofStateless(''),
      STALE_VERSION: ofState('POST', '', { json: 1, ...stale }),
      MALFORMED_BODY: ofState('POST', '', broken),
      PAYLOAD_TOO_LARGE: within(
        { stateLimit: 30 },
        ofState('POST', '', { json: 'surely more than thirty bytes of JSON' }),
      ),
      UNSUPPORTED_MEDIA_TYPE: ofState('POST', '', typed('application/octet-stream', 'bytes')),
    },
  },
  'state.versions': { success: ofState('GET', '/versions'), failures: {} },
  'state.version': {
    success: ofState('GET', '/versions/1'),
    failures: {
      VALIDATION: ofState('GET', '/versions/1?as=bytes'),
      NOT_FOUND: ofState('GET', '/versions/9'),
    },
  },
  'state.restore': {
    success: ofState('POST', '/versions/0'),
    failures: {
      VALIDATION: ofState('POST', '/versions/0', { headers: { 'if-match': 'never' } }),
      NOT_FOUND: ofState('POST', '/versions/9'),
      ACTOR_STATELESS: ofStateless('/versions/0'),
      STALE_VERSION: ofState('POST', '/versions/0', stale),
    },
  },
};

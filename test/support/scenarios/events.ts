// Scenarios for every response of events and links.

import { type OperationsOf, type Scenario, type Scenarios, within } from '../contract/every-operation.ts';
import type { ActorService } from '../service/actor-service.ts';
import type { Answer } from '../service/call.ts';
import { done, share } from './resources.ts';

const EVENTS = '/actors/v2/events';

/** Emits an event of a new actor of ana, and returns the actor and the path of the event. */
const emitted = async (service: ActorService, fields = {}): Promise<{ actorId: string; event: string }> => {
  const actorId = await service.actor('ana', fields);
  const { result } = done(
    await service.ask('ana', 'POST', `/actors/v2/${actorId}/events`, { json: { event_type: 'NOTICE' } }),
  );
  return { actorId, event: `${EVENTS}/${String(result['id'])}` };
};

const listed =
  (query: string): Scenario =>
  (service) =>
    service.ask('ana', 'GET', `${EVENTS}?${query}`);

const emitting =
  (json: Readonly<Record<string, unknown>>): Scenario =>
  async (service) =>
    service.ask('ana', 'POST', `/actors/v2/${await service.actor('ana')}/events`, { json });

const again = (service: ActorService, event: string, to = 'webhook'): Promise<Answer> =>
  service.ask('ana', 'POST', `${event}/redeliver`, { json: { to } });

const webhook = 'http://127.0.0.1:9/nobody';

const checked =
  (query: string): Scenario =>
  async (service) =>
    service.ask('ana', 'GET', `/actors/v2/${await service.actor('ana')}/links/check${query}`);

export const eventScenarios: Scenarios<OperationsOf<'events' | 'links'>> = {
  'events.list': {
    success: async (service) => {
      const { actorId } = await emitted(service);
      return listed(`actorId=${actorId}&type=NOTICE,ACTOR_READY&order=desc&limit=1`)(service);
    },
    failures: { VALIDATION: listed('type=notice'), NOT_FOUND: listed('actorId=nobody') },
  },
  'events.show': {
    success: async (service) => service.ask('ana', 'GET', (await emitted(service)).event),
    failures: { NOT_FOUND: async (service) => service.ask('bob', 'GET', (await emitted(service)).event) },
  },
  'events.emit': {
    success: emitting({ event_type: 'EXECUTION_COMPLETE', exit_code: 1, status: 'COMPLETE' }),
    failures: { VALIDATION: emitting({ event_type: 'lower case' }) },
  },
  'events.redeliver': {
    success: async (service) => again(service, (await emitted(service, { webhook })).event),
    failures: {
      NOT_FOUND: (service) => again(service, `${EVENTS}/999999999`),
      FORBIDDEN: async (service) => {
        const { actorId, event } = await emitted(service, { webhook });
        await share(service, `/actors/v2/${actorId}`, 'READ');
        return service.ask('bob', 'POST', `${event}/redeliver`, { json: { to: 'webhook' } });
      },
      VALIDATION: async (service) => again(service, (await emitted(service)).event, 'nowhere'),
      NO_RECEIVER: async (service) => again(service, (await emitted(service)).event, 'link'),
      THROTTLED: within({ queueLimit: 0 }, async (service) => {
        const { event } = await emitted(service, { link: await service.actor('ana') });
        return again(service, event, 'link');
      }),
    },
  },
  'links.show': {
    success: async (service) => service.ask('ana', 'GET', `/actors/v2/${await service.actor('ana')}/links`),
    failures: {},
  },
  'links.check': { success: checked('?target=nobody'), failures: { VALIDATION: checked('') } },
};

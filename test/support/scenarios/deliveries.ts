// Scenarios for every response of deliveries and of the webhook test.

import type { OperationsOf, Scenarios } from '../contract/every-operation.ts';
import type { ActorService } from '../service/actor-service.ts';
import { done, leaving, share } from './resources.ts';

const DELIVERIES = '/actors/v2/deliveries';

/** An address where nothing listens, so that deliveries end at once. */
const webhook = 'http://127.0.0.1:9/nobody';

const actorWithWebhook = (service: ActorService): Promise<string> => service.actor('ana', { webhook });

const tryOut = async (service: ActorService, actorId: string) =>
  service.ask('ana', 'POST', `/actors/v2/${actorId}/webhook/test`);

/** Creates a delivery that has ended, and returns its actor and its path. */
const delivered = async (service: ActorService): Promise<{ actorId: string; path: string }> => {
  const actorId = await actorWithWebhook(service);
  const { result } = done(await tryOut(service, actorId));
  return { actorId, path: `${DELIVERIES}/${String(result['id'])}/redeliver` };
};

export const deliveryScenarios: Scenarios<OperationsOf<'deliveries' | 'webhooks'>> = {
  'deliveries.list': {
    success: async (service) => {
      const { actorId } = await delivered(service);
      return service.ask('ana', 'GET', `${DELIVERIES}?actorId=${actorId}&failed=true&after=0&limit=1`);
    },
    failures: {
      VALIDATION: (service) => service.ask('ana', 'GET', `${DELIVERIES}?limit=0`),
      NOT_FOUND: (service) => service.ask('ana', 'GET', `${DELIVERIES}?actorId=nobody`),
    },
  },
  'deliveries.show': {
    success: async (service) => {
      const { path } = await delivered(service);
      return service.ask('ana', 'GET', path.replace(/\/redeliver$/, ''));
    },
    failures: {
      NOT_FOUND: async (service) => {
        const { path } = await delivered(service);
        return service.ask('bob', 'GET', path.replace(/\/redeliver$/, ''));
      },
    },
  },
  'deliveries.redeliver': {
    success: async (service) => service.ask('ana', 'POST', (await delivered(service)).path),
    failures: {
      NOT_FOUND: async (service) => service.ask('bob', 'POST', (await delivered(service)).path),
      FORBIDDEN: async (service) => {
        const { actorId, path } = await delivered(service);
        await share(service, `/actors/v2/${actorId}`, 'EXECUTE');
        return service.ask('bob', 'POST', path);
      },
      NO_RECEIVER: async (service) => {
        const { actorId, path } = await delivered(service);
        done(await service.ask('ana', 'PUT', `/actors/v2/${actorId}`, { json: { image: 'alpine' } }));
        return service.ask('ana', 'POST', path);
      },
    },
  },
  'webhooks.test': {
    success: async (service) => tryOut(service, await actorWithWebhook(service)),
    failures: {
      VALIDATION: async (service) => tryOut(service, await service.actor('ana')),
      ACTOR_BUSY: async (service) => tryOut(service, await leaving(service, { webhook })),
    },
  },
};

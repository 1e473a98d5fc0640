// Scenarios for every response of actors, schedules and searches, and of the admin views of a tenant.

import { type OperationsOf, type Scenario, type Scenarios, within } from '../contract/every-operation.ts';
import type { ActorService } from '../service/actor-service.ts';
import type { Answer } from '../service/call.ts';
import { aliased, leaving, readable, running, whileSearching } from './resources.ts';

const ACTORS = '/actors/v2';

const create =
  (fields: Readonly<Record<string, unknown>>): Scenario =>
  (service) =>
    service.ask('ana', 'POST', ACTORS, { json: { image: 'alpine', ...fields } });

const update = (service: ActorService, id: string, fields: Readonly<Record<string, unknown>>): Promise<Answer> =>
  service.ask('ana', 'PUT', `${ACTORS}/${id}`, { json: { image: 'alpine', ...fields } });

const updated =
  (fields: Readonly<Record<string, unknown>>): Scenario =>
  async (service) =>
    update(service, await service.actor('ana'), fields);

const get =
  (path: string): Scenario =>
  (service) =>
    service.ask('ana', 'GET', path);

const ofActor =
  (method: string, path: string, json?: unknown): Scenario =>
  async (service) =>
    service.ask('ana', method, `${ACTORS}/${await service.actor('ana')}${path}`, json === undefined ? {} : { json });

const byAdmin = (path: string) => ({
  success: (service: ActorService) => service.ask('admin', 'GET', `${ACTORS}/admin${path}`),
  failures: {},
});

/** The failures of a search: an invalid limit, and a full search queue. */
const searched = (path: string) => ({
  VALIDATION: get(`${path}?limit=none`),
  THROTTLED: (service: ActorService) => whileSearching(service, () => get(`${path}?limit=1`)(service)),
});

export const actorScenarios: Scenarios<OperationsOf<'actors' | 'cron' | 'search' | 'admin' | 'utilization'>> = {
  'actors.create': {
    success: create({ name: 'words', stateless: false, state: { counter: 0 } }),
    failures: {
      VALIDATION: create({ image: '--privileged' }),
      ACTOR_STATELESS: create({ stateless: true, state: { counter: 0 } }),
      QUOTA_EXCEEDED: within({ quotas: { actors: 0 } }, create({})),
      FORBIDDEN: create({ privileged: true }),
    },
  },
  'actors.list': { success: get(`${ACTORS}?limit=1`), failures: searched(ACTORS) },
  'actors.show': { success: ofActor('GET', ''), failures: {} },
  'actors.update': {
    success: updated({ description: 'changed' }),
    failures: {
      VALIDATION: updated({ stateless: false }),
      ACTOR_STATELESS: updated({ state: { counter: 0 } }),
      LINK_CYCLE: async (service) => {
        const id = await service.actor('ana');
        return update(service, id, { link: await aliased(service, id) });
      },
      FORBIDDEN: async (service) => update(service, await service.actor('ana'), { link: await readable(service) }),
      STALE_VERSION: async (service) =>
        service.ask('ana', 'PUT', `${ACTORS}/${await service.actor('ana')}`, {
          json: { image: 'alpine' },
          headers: { 'if-match': '"9"' },
        }),
      ACTOR_BUSY: async (service) => update(service, await leaving(service), {}),
    },
  },
  'actors.delete': {
    success: ofActor('DELETE', ''),
    failures: {
      ACTOR_BUSY: async (service) => {
        const [, , , id] = (await running(service)).split('/');
        return service.ask('ana', 'DELETE', `${ACTORS}/${id}`);
      },
    },
  },
  'cron.show': { success: ofActor('GET', '/cron?count=0'), failures: { VALIDATION: ofActor('GET', '/cron?count=-1') } },
  'cron.set': {
    success: ofActor('PUT', '/cron', { cronSchedule: '0 6 * * mon', cronTimeZone: 'Europe/Berlin' }),
    failures: {
      VALIDATION: ofActor('PUT', '/cron', { cronSchedule: '0 0 31 2 *' }),
      ACTOR_BUSY: async (service) =>
        service.ask('ana', 'PUT', `${ACTORS}/${await leaving(service)}/cron`, { json: { cronSchedule: '@daily' } }),
    },
  },
  'search.find': {
    success: get(`${ACTORS}/search/actors?image.like=alp`),
    failures: { ...searched(`${ACTORS}/search/executions`), VALIDATION: get(`${ACTORS}/search/everything`) },
  },
  'utilization.show': { success: get(`${ACTORS}/utilization`), failures: {} },
  'utilization.activity': { success: get(`${ACTORS}/utilization/activity`), failures: {} },
  'admin.actors': byAdmin(''),
  'admin.workers': byAdmin('/workers'),
  'admin.executions': byAdmin('/executions'),
  'admin.images': byAdmin('/images'),
  'admin.folders': {
    success: byAdmin('/folders?path=/').success,
    failures: {
      VALIDATION: byAdmin('/folders?path=here').success,
      NOT_FOUND: byAdmin('/folders?path=/nosuch').success,
    },
  },
  'admin.example': { success: (service) => service.ask('admin', 'POST', `${ACTORS}/admin/example`), failures: {} },
};

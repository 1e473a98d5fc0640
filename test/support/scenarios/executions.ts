// Every answer of messages, executions and workers.
import type { ActorService } from '../actor-service.ts';
import { type Answer, type Call, typed } from '../call.ts';
import { type OperationsOf, type Scenario, type Scenarios, within } from '../every-operation.ts';
import { broken, done, leaving, running, whileSearching } from './things.ts';

const ACTORS = '/actors/v2';

const send = (service: ActorService, actorId: string, sent: Call, query = ''): Promise<Answer> =>
  service.ask('ana', 'POST', `${ACTORS}/${actorId}/messages${query}`, sent);

/** A message for a new actor of ana. */
const sent =
  (call: Call, query = ''): Scenario =>
  async (service) =>
    send(service, await service.actor('ana'), call, query);

const hello: Call = { form: { message: 'hello' } };

const ofActor =
  (method: string, path: string): Scenario =>
  async (service) =>
    service.ask('ana', method, `${ACTORS}/${await service.actor('ana')}${path}`);

/** Of an execution that waits. */
const ofExecution =
  (method: string, path: string): Scenario =>
  async (service) => {
    const actorId = await service.actor('ana');
    const executionId = await service.message('ana', actorId);
    return service.ask('ana', method, `${ACTORS}/${actorId}/executions/${executionId}${path}`);
  };

const halted =
  (query: string): Scenario =>
  async (service) =>
    service.ask('ana', 'DELETE', `${await running(service)}${query}`);

const rerun = async (service: ActorService, message: Call, fields = {}): Promise<Answer> => {
  const actorId = await service.actor('ana');
  const { result } = done(await send(service, actorId, message));
  await service.store.transact((tx) => {
    const actor = tx.get('actors', actorId);
    if (actor !== undefined) tx.put('actors', { ...actor, ...fields });
  });
  return service.ask('ana', 'POST', `${ACTORS}/${actorId}/executions/${String(result['executionId'])}/rerun`);
};

const searching =
  (path: (actorId: string, executionId: string) => string): Scenario =>
  (service) =>
    whileSearching(service, (...ids) => service.ask('ana', 'GET', `${ACTORS}/${path(...ids)}?limit=1`));

const missing = '/executions/xxxxxxxxxxxxx';

export const executionScenarios: Scenarios<OperationsOf<'messages' | 'executions' | 'workers'>> = {
  'messages.send': {
    success: sent({ json: { any: 'value' } }, '?variable=value'),
    failures: {
      VALIDATION: sent(hello, '?PATH=/tmp'),
      MALFORMED_BODY: sent(broken),
      PAYLOAD_TOO_LARGE: within({ messageLimit: 10 }, sent(typed('text/plain', 'more than ten bytes'))),
      UNSUPPORTED_MEDIA_TYPE: sent(typed('image/png', 'a picture')),
      ACTOR_BUSY: async (service) => send(service, await leaving(service), hello),
      KEY_REUSED: async (service) => {
        const actorId = await service.actor('ana');
        const headers = { 'idempotency-key': 'one' };
        done(await send(service, actorId, { ...hello, headers }));
        return send(service, actorId, { form: { message: 'something else' }, headers });
      },
      THROTTLED: within({ queueLimit: 0 }, sent(hello)),
    },
  },
  'messages.count': { success: ofActor('GET', '/messages?details=true'), failures: {} },
  'messages.purge': { success: ofActor('DELETE', '/messages'), failures: {} },
  'executions.list': {
    success: ofActor('GET', '/executions'),
    failures: {
      VALIDATION: ofActor('GET', '/executions?skip=-1'),
      THROTTLED: searching((actorId) => `${actorId}/executions`),
    },
  },
  'executions.show': {
    success: ofExecution('GET', ''),
    failures: { NOT_FOUND: ofActor('GET', missing) },
  },
  'executions.halt': {
    success: halted(''),
    failures: {
      NOT_FOUND: ofActor('DELETE', missing),
      NOT_RUNNING: ofExecution('DELETE', ''),
      VALIDATION: halted('?grace=-1'),
    },
  },
  'executions.rerun': {
    success: (service) => rerun(service, hello),
    failures: {
      NOT_FOUND: ofActor('POST', `${missing}/rerun`),
      MESSAGE_NOT_KEPT: (service) => rerun(service, typed('application/octet-stream', 'bytes')),
      ACTOR_BUSY: (service) => rerun(service, hello, { status: 'SHUTTING_DOWN' }),
      THROTTLED: within({ queueLimit: 1 }, (service) => rerun(service, hello)),
    },
  },
  'executions.logs': {
    success: ofExecution('GET', '/logs'),
    failures: {
      NOT_FOUND: ofActor('GET', `${missing}/logs`),
      VALIDATION: ofExecution('GET', '/logs?skip=-1'),
      THROTTLED: searching((actorId, executionId) => `${actorId}/executions/${executionId}/logs`),
    },
  },
  'workers.list': {
    success: ofActor('GET', '/workers'),
    failures: {
      VALIDATION: ofActor('GET', '/workers?limit=none'),
      THROTTLED: searching((actorId) => `${actorId}/workers`),
    },
  },
};

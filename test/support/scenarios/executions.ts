// Scenarios for every response of messages, executions and workers.
import { emitToWebhook } from '../../../daemon/domain/events/emission.ts';
import type { WorkerRecord } from '../../../daemon/domain/records/actor-records.ts';
import { type OperationsOf, type Scenario, type Scenarios, within } from '../contract/every-operation.ts';
import type { ActorService } from '../service/actor-service.ts';
import { type Answer, type Call, typed } from '../service/call.ts';
import { broken, done, leaving, running, runningInside, whileSearching } from './resources.ts';

const ACTORS = '/actors/v2';

const send = (service: ActorService, actorId: string, sent: Call, query = ''): Promise<Answer> =>
  service.ask('ana', 'POST', `${ACTORS}/${actorId}/messages${query}`, sent);

/** Sends a message to a new actor of ana. */
const sent =
  (call: Call, query = ''): Scenario =>
  async (service) =>
    send(service, await service.actor('ana'), call, query);

const hello: Call = { form: { message: 'hello' } };

const ofActor =
  (method: string, path: string): Scenario =>
  async (service) =>
    service.ask('ana', method, `${ACTORS}/${await service.actor('ana')}${path}`);

/** Sends a request about an execution that is pending. */
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

const keyed = { headers: { 'idempotency-key': 'one' } };

const rerun = async (service: ActorService, message: Call, fields = {}, call: Call = {}): Promise<Answer> => {
  const actorId = await service.actor('ana');
  const { result } = done(await send(service, actorId, message));
  await service.store.transact((tx) => {
    const actor = tx.get('actors', actorId);
    if (actor !== undefined) tx.put('actors', { ...actor, ...fields });
  });
  const path = `${ACTORS}/${actorId}/executions/${String(result['executionId'])}/rerun`;
  return service.ask('ana', 'POST', path, call);
};

const searching =
  (path: (actorId: string, executionId: string) => string): Scenario =>
  (service) =>
    whileSearching(service, (...ids) => service.ask('ana', 'GET', `${ACTORS}/${path(...ids)}?limit=1`));

/** Sends a request about a worker with that status. */
const ofWorker =
  (method: string, status: WorkerRecord['status']): Scenario =>
  async (service) => {
    const actorId = await service.actor('ana');
    const id = 'W000000000001';
    const common = { tenant: 'DEV', image: 'alpine', revision: 1, createdAt: 0 };
    await service.store.transact((tx) => tx.put('workers', { id, actorId, status, ...common }));
    return service.ask('ana', method, `${ACTORS}/${actorId}/workers/${id}`);
  };

const scaled =
  (as: 'admin' | 'ana', input: object, fields = {}): Scenario =>
  async (service) =>
    service.ask(as, 'POST', `${ACTORS}/${await service.actor('ana', fields)}/workers`, { json: input });

const missing = '/executions/xxxxxxxxxxxxx';

/** Sends a result with the token of a running execution. */
const posted =
  (
    call: Call,
    before: (service: ActorService, executionId: string) => Promise<unknown> = async () => undefined,
  ): Scenario =>
  async (service) => {
    const { executionId, path, headers } = await runningInside(service);
    await before(service, executionId);
    return service.ask(undefined, 'POST', path, { ...call, headers: { ...headers, ...call.headers } });
  };

/** Fills the queue of results to its limit. */
const fill = async ({ store, dependencies }: ActorService, executionId: string): Promise<void> => {
  await dependencies.results.put(executionId, Buffer.from('x'));
  await store.transact((tx) => {
    for (let n = 1; n < 1_000; n += 1) {
      const sequence = tx.nextSequence();
      const actorId = tx.get('executions', executionId)?.actorId ?? '';
      tx.put('results', { executionId, actorId, sequence, size: 1, base64: 'eA==', bodyFile: null, at: 1 });
    }
  });
};

/** The id of a delivery that is being sent, with an event of the actor. */
const sending = ({ store }: ActorService, actorId: string): Promise<string> =>
  store.transact((tx) => {
    const actor = tx.get('actors', actorId);
    if (actor === undefined) throw new Error(`no actor ${actorId}`);
    const given = { now: 1, id: () => 'D000000000001' };
    const { deliveryId = '' } = emitToWebhook(tx, actor, 'http://127.0.0.1:9/', { type: 'TICK' }, given);
    const delivery = tx.get('deliveries', deliveryId);
    if (delivery !== undefined) tx.put('deliveries', { ...delivery, status: 'SENDING' });
    return deliveryId;
  });

export const executionScenarios: Scenarios<OperationsOf<'messages' | 'executions' | 'results' | 'workers'>> = {
  'messages.send': {
    success: sent({ json: { any: 'value' } }, '?variable=value'),
    failures: {
      VALIDATION: sent(hello, '?MSG=x'),
      MALFORMED_BODY: sent(broken),
      PAYLOAD_TOO_LARGE: within({ messageLimit: 10 }, sent(typed('text/plain', 'more than ten bytes'))),
      UNSUPPORTED_MEDIA_TYPE: sent(typed('image/png', 'a picture')),
      ACTOR_BUSY: async (service) => send(service, await leaving(service), hello),
      KEY_REUSED: async (service) => {
        const actorId = await service.actor('ana');
        done(await send(service, actorId, { ...hello, ...keyed }));
        return send(service, actorId, { form: { message: 'something else' }, ...keyed });
      },
      LINK_CYCLE: async (service) => {
        const actorId = await service.actor('ana');
        return send(service, actorId, { ...hello, headers: { 'x-delivery-id': await sending(service, actorId) } });
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
  'executions.find': {
    success: async (service) => {
      const executionId = await service.message('ana', await service.actor('ana'));
      return service.ask('ana', 'GET', `${ACTORS}/executions/${executionId}`);
    },
    failures: { NOT_FOUND: (service) => service.ask('ana', 'GET', `${ACTORS}${missing}`) },
  },
  'executions.search': {
    success: async (service) => {
      await service.message('ana', await service.actor('ana'), 'the disk is full');
      return service.ask('ana', 'GET', `${ACTORS}/executions?text=disk&outcome=waiting`);
    },
    failures: {
      VALIDATION: (service) => service.ask('ana', 'GET', `${ACTORS}/executions?outcome=good`),
      NOT_FOUND: (service) => service.ask('ana', 'GET', `${ACTORS}/executions?actorId=nosuch`),
      THROTTLED: (service) =>
        whileSearching(service, () => service.ask('ana', 'GET', `${ACTORS}/executions?text=disk`)),
    },
  },
  'executions.halt': {
    success: halted(''),
    failures: {
      NOT_FOUND: ofActor('DELETE', missing),
      NOT_RUNNING: ofExecution('DELETE', ''),
      VALIDATION: halted('?grace=-1'),
    },
  },
  'executions.settle': {
    success: ofExecution('GET', '/settled?timeout=0'),
    failures: {
      NOT_FOUND: ofActor('GET', `${missing}/settled`),
      VALIDATION: ofExecution('GET', '/settled?timeout=601'),
    },
  },
  'executions.settleAll': {
    success: async (service) => {
      await service.message('ana', await service.actor('ana'));
      return service.ask('ana', 'GET', `${ACTORS}/executions/all/settled?timeout=0`);
    },
    failures: { VALIDATION: (service) => service.ask('ana', 'GET', `${ACTORS}/executions/all/settled?timeout=soon`) },
  },
  'executions.rerun': {
    success: (service) => rerun(service, hello),
    failures: {
      NOT_FOUND: ofActor('POST', `${missing}/rerun`),
      MESSAGE_NOT_KEPT: (service) => rerun(service, typed('application/octet-stream', 'bytes')),
      ACTOR_BUSY: (service) => rerun(service, hello, { status: 'SHUTTING_DOWN' }),
      KEY_REUSED: (service) => rerun(service, { ...hello, ...keyed }, {}, keyed),
      THROTTLED: within({ queueLimit: 1 }, (service) => rerun(service, hello)),
      VALIDATION: (service) => rerun(service, hello, {}, { json: { message: { type: 'json', text: '{' } } }),
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
  'results.take': {
    success: ofExecution('GET', '/results'),
    failures: { NOT_FOUND: ofActor('GET', `${missing}/results`) },
  },
  'results.post': {
    success: posted({ body: 'bytes' }),
    failures: {
      NOT_FOUND: ofActor('POST', `${missing}/results`),
      FORBIDDEN: ofExecution('POST', '/results'),
      VALIDATION: posted({}),
      PAYLOAD_TOO_LARGE: posted({ body: Buffer.alloc(131_073) }),
      UNSUPPORTED_MEDIA_TYPE: posted({ body: 'bytes', headers: { 'content-encoding': 'gzip' } }),
      THROTTLED: posted({ body: 'bytes' }, fill),
    },
  },
  'workers.list': {
    success: ofActor('GET', '/workers'),
    failures: {
      VALIDATION: ofActor('GET', '/workers?limit=none'),
      THROTTLED: searching((actorId) => `${actorId}/workers`),
    },
  },
  'workers.show': {
    success: ofWorker('GET', 'READY'),
    failures: { NOT_FOUND: ofActor('GET', '/workers/xxxxxxxxxxxxx') },
  },
  'workers.scale': {
    success: scaled('admin', { num: 3 }),
    failures: {
      VALIDATION: scaled('admin', { num: 'many' }),
      ACTOR_STATEFUL: scaled('admin', { num: 2 }, { stateless: false }),
      FORBIDDEN: scaled('ana', {}),
    },
  },
  'workers.delete': {
    success: ofWorker('DELETE', 'BUSY'),
    failures: {
      NOT_FOUND: ofActor('DELETE', '/workers/xxxxxxxxxxxxx'),
      ACTOR_BUSY: ofWorker('DELETE', 'PULLING IMAGE'),
    },
  },
};

// Resources that the scenarios need before their request.
import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ActorRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { Level } from '../../../src/contract/operation.ts';
import { type ActorService, type Name, people } from '../service/actor-service.ts';
import type { Answer, Call } from '../service/call.ts';
import { executionRecord, tokenRecord } from '../service/records.ts';

let count = 0;

/** A name that is not in use. */
export const fresh = (): string => {
  count += 1;
  return `thing-${count}`;
};

/**
 * Returns the response if it is a success.
 * @throws Error otherwise
 */
export const done = (answer: Answer): Answer => {
  expect(answer.status, answer.text).toBe(200);
  return answer;
};

/** A body that is not well-formed JSON. */
export const broken = { body: '{"level": ', headers: { 'content-type': 'application/json' } };

/** An actor of ana that is being deleted. */
export const leaving = async (service: ActorService, fields: Partial<ActorRecord> = {}): Promise<string> => {
  const id = await service.actor('ana');
  await service.store.transact((tx) => {
    const actor = tx.get('actors', id);
    if (actor !== undefined) tx.put('actors', { ...actor, ...fields, status: 'SHUTTING_DOWN' });
  });
  return id;
};

/** Creates an alias of `as` for an actor, and returns the alias. */
export const aliased = async (service: ActorService, actorId: string, as: Name = 'ana'): Promise<string> => {
  const alias = fresh();
  done(await service.ask(as, 'POST', '/actors/v2/aliases', { json: { alias, actorId } }));
  return alias;
};

/** Creates a config of ana, and returns its name. */
export const configured = async (service: ActorService): Promise<string> => {
  const name = fresh();
  done(
    await service.ask('ana', 'POST', '/actors/v2/configs', { json: { name, value: 1, actors: '', is_secret: false } }),
  );
  return name;
};

/** Gives bob a level on the resource at that path. */
export const share = async (service: ActorService, path: string, level: Level): Promise<void> => {
  done(await service.ask('ana', 'POST', `${path}/permissions`, { json: { user: 'bob', level } }));
};

/** An actor of bob on which ana has READ. */
export const readable = async (service: ActorService): Promise<string> => {
  const id = await service.actor('bob');
  done(await service.ask('bob', 'POST', `/actors/v2/${id}/permissions`, { json: { user: 'ana', level: 'READ' } }));
  return id;
};

/** Creates an actor of ana with a running execution, and returns the path of the execution. */
export const running = async (service: ActorService): Promise<string> => {
  const actorId = await service.actor('ana');
  const executionId = await service.message('ana', actorId);
  await service.scheduler.start(executionId, 1);
  return `/actors/v2/${actorId}/executions/${executionId}`;
};

export interface RunningExecution {
  readonly executionId: string;
  /** The headers with its token. */
  readonly headers: { readonly authorization: string };
  /** Sends a request with its token. */
  ask(method: string, path: string, asked?: Call): Promise<Answer>;
}

/** Sends a message to an actor as its owner and starts its execution. */
export const runningExecution = async (
  service: ActorService,
  actorId: string,
  owner: Name = 'ana',
): Promise<RunningExecution> => {
  const executionId = await service.message(owner, actorId);
  await service.scheduler.start(executionId, 1);
  const secret = `inside-${executionId}`;
  const { tenant, username } = people[owner];
  const hash = service.dependencies.vault.digest(secret);
  const token = tokenRecord(hash, { tenant, username, clientId: '', flow: 'execution', executionId });
  await service.store.transact((tx) => tx.put('tokens', token));
  const headers = { authorization: `Bearer ${secret}` };
  return {
    executionId,
    headers,
    ask: (method, path, asked = {}) =>
      service.ask(undefined, method, path, { ...asked, headers: { ...asked.headers, ...headers } }),
  };
};

/** Starts an execution with a token. Returns the path of its results, and the headers with the token. */
export const runningInside = async (service: ActorService) => {
  const actorId = await service.actor('ana');
  const { executionId, headers } = await runningExecution(service, actorId);
  return { executionId, path: `/actors/v2/${actorId}/executions/${executionId}/results`, headers };
};

/** Enough searches to fill the search queue, over enough records to keep each of them busy. */
const RECORDS = 3_000;
const SEARCHES = 90;

/** Sends a request while the search queue is full. */
export const whileSearching = async (
  service: ActorService,
  ask: (actorId: string, executionId: string) => Promise<Answer>,
): Promise<Answer> => {
  const actorId = await service.actor('ana');
  const executionId = await service.message('ana', actorId);
  await service.store.transact((tx) => {
    for (let at = 0; at < RECORDS; at += 1) tx.put('executions', executionRecord(`${actorId}${at}`, { actorId }));
  });
  const controllers = Array.from({ length: SEARCHES }, () => new AbortController());
  const searches = controllers.map(({ signal }) =>
    service.ask('ana', 'GET', '/actors/v2/search/logs?logs.like=x', { signal }),
  );
  const full = Promise.any(
    searches.map(async (search) => {
      const { status } = await search;
      if (status !== 429) throw new Error('it was let in');
    }),
  );
  try {
    await full;
    return await ask(actorId, executionId);
  } finally {
    for (const controller of controllers) controller.abort();
    await Promise.allSettled(searches);
    // The service notices closed connections a moment later. Until then it refuses the searches of the next test.
    while ((await service.ask('ana', 'GET', '/actors/v2/search/actors?limit=1')).status === 429) await setImmediate();
  }
};

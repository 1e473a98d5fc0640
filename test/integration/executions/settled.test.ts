// Settled: the response comes when an execution and all that it caused have ended, or at the time limit.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emittingStore } from '../../../daemon/domain/events/emitting-store.ts';
import { type RunningExecution, runningExecution } from '../../support/scenarios/resources.ts';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';
import type { Answer } from '../../support/service/call.ts';
import { heldReceiver } from '../../support/workloads/held-receiver.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

const settle = (actorId: string, executionId: string, timeout = 20): Promise<Answer> =>
  service.ask('ana', 'GET', `/actors/v2/${actorId}/executions/${executionId}/settled?timeout=${timeout}`);

const settleAll = (query = ''): Promise<Answer> =>
  service.ask('ana', 'GET', `/actors/v2/executions/all/settled?timeout=20${query}`);

/** Ends a running execution, with its event. */
const end = async (executionId: string, fields = {}): Promise<void> => {
  await emittingStore(service.store, service.dependencies).transact((tx) => {
    const execution = tx.get('executions', executionId);
    if (execution === undefined) throw new Error(`there is no execution ${executionId}`);
    tx.put('executions', {
      ...execution,
      ...{ status: 'COMPLETE', reason: 'exited', exitCode: 0, finishedAt: 2 },
      ...fields,
    });
  });
};

const finish = async (executionId: string, fields = {}): Promise<void> => {
  await service.scheduler.start(executionId, 1);
  await end(executionId, fields);
};

/** The execution that an execution caused along the link of its actor. */
const linkedTo = (executionId: string): string => {
  const [found] = service.store.by('executions', 'eventOf', executionId);
  return found?.id ?? '';
};

const chain = async (fields = {}) => {
  const last = await service.actor('ana', fields);
  const middle = await service.actor('ana', { link: last });
  return { first: await service.actor('ana', { link: middle }), middle, last };
};

const isPending = async (answer: Promise<unknown>): Promise<boolean> => {
  // The response of another request shows that the service has handled everything before it.
  const other = service.ask('ana', 'GET', '/actors/v2/executions/all/settled?timeout=0').then(() => 'other');
  return (await Promise.race([answer, other])) === 'other';
};

describe('an execution', () => {
  it('has settled when all executions along its links have ended, and the tree names the causes', async () => {
    const { first, middle, last } = await chain();
    const one = await service.message('ana', first);
    const answer = settle(first, one);
    await finish(one);
    expect(await isPending(answer)).toBe(true);
    const two = linkedTo(one);
    await finish(two);
    expect(await isPending(answer)).toBe(true);
    const three = linkedTo(two);
    await finish(three, { exitCode: 3 });
    const { result } = await answer;
    expect(result).toMatchObject({ settled: true, blocked: false, total: 3, unfinished: 0 });
    expect(result['effects']).toEqual([
      expect.objectContaining({ kind: 'execution', id: one, actorId: first, status: 'COMPLETE' }),
      expect.objectContaining({ id: two, actorId: middle, causedBy: one }),
      expect.objectContaining({ id: three, actorId: last, causedBy: two, exitCode: 3 }),
    ]);
    expect(result['failures']).toEqual([expect.objectContaining({ id: three, exitCode: 3 })]);
    expect((await settle(first, one, 0)).result).toEqual(result);
  });

  it('has not settled while its event is being delivered, and a refused delivery is a failure', async () => {
    const receiver = await heldReceiver();
    const actorId = await service.actor('ana', { webhook: receiver.url });
    const executionId = await service.message('ana', actorId);
    const answer = settle(actorId, executionId);
    await finish(executionId);
    await expect.poll(() => receiver.held.length).toBe(1);
    expect(await isPending(answer)).toBe(true);
    receiver.held[0]?.writeHead(500).end();
    const { result } = await answer;
    receiver.close();
    await service.ask('ana', 'POST', `/actors/v2/${actorId}/permissions`, { json: { user: 'bob', level: 'READ' } });
    const seen = await service.ask('bob', 'GET', `/actors/v2/${actorId}/executions/${executionId}/settled`);
    expect(seen.result).toMatchObject({ failures: [{ kind: 'delivery', url: new URL(receiver.url).origin }] });
    expect(result).toMatchObject({
      settled: true,
      total: 2,
      failures: [{ kind: 'delivery', causedBy: executionId, status: 'FAILED', httpStatus: 500, url: receiver.url }],
    });
  });

  it('has not settled while a message that the receiver of its event sent is waiting', async () => {
    const receiver = await heldReceiver();
    const actorId = await service.actor('ana', { webhook: receiver.url });
    const other = await service.actor('ana');
    const executionId = await service.message('ana', actorId);
    const answer = settle(actorId, executionId);
    await finish(executionId);
    await expect.poll(() => receiver.held.length).toBe(1);
    const [delivery] = service.store.by('deliveries', 'eventOf', executionId);
    const sent = await service.ask('ana', 'POST', `/actors/v2/${other}/messages`, {
      form: { message: 'again' },
      headers: { 'x-delivery-id': delivery?.id ?? '' },
    });
    receiver.held[0]?.writeHead(204).end();
    await expect.poll(() => service.store.get('deliveries', delivery?.id ?? '')?.status).toBe('DELIVERED');
    expect(await isPending(answer)).toBe(true);
    await finish(String(sent.result['executionId']));
    receiver.close();
    expect((await answer).result).toMatchObject({ settled: true, total: 3, failures: [] });
  });

  it('names a link that leads nowhere as a failure', async () => {
    const { middle, last } = await chain();
    await service.ask('ana', 'DELETE', `/actors/v2/${last}`);
    const executionId = await service.message('ana', middle);
    await finish(executionId);
    expect((await settle(middle, executionId)).result).toMatchObject({
      settled: true,
      failures: [{ id: executionId, linkProblem: `there is no actor "${last}"` }],
    });
  });

  it('is answered at the time limit with what has not ended', async () => {
    const { first } = await chain();
    const one = await service.message('ana', first);
    await finish(one);
    expect((await settle(first, one, 0)).result).toMatchObject({
      settled: false,
      blocked: false,
      total: 2,
      unfinished: 1,
      effects: [{ id: one }, { id: linkedTo(one), status: 'SUBMITTED', causedBy: one }],
    });
    await finish(linkedTo(one));
    await finish(linkedTo(linkedTo(one)));
  });

  it('is answered at once when the rest waits for an actor that becomes ERROR', async () => {
    const actorId = await service.actor('ana');
    const executionId = await service.message('ana', actorId);
    const answer = settle(actorId, executionId);
    expect(await isPending(answer)).toBe(true);
    await service.store.transact((tx) => {
      const actor = tx.get('actors', actorId);
      if (actor !== undefined) tx.put('actors', { ...actor, status: 'ERROR', statusMessage: 'no such image' });
    });
    expect((await answer).result).toMatchObject({ settled: false, blocked: true, unfinished: 1 });
    await service.ask('ana', 'DELETE', `/actors/v2/${actorId}/messages`);
  });

  it('includes a purged message as a failure', async () => {
    const actorId = await service.actor('ana');
    const executionId = await service.message('ana', actorId);
    const answer = settle(actorId, executionId);
    await service.ask('ana', 'DELETE', `/actors/v2/${actorId}/messages`);
    expect((await answer).result).toMatchObject({
      settled: true,
      failures: [{ id: executionId, status: 'CANCELLED' }],
    });
  });

  it('waits for the effects on an actor that the caller may not read, and does not show them', async () => {
    const hidden = await service.actor('bob');
    await service.ask('bob', 'POST', `/actors/v2/${hidden}/permissions`, { json: { user: 'ana', level: 'EXECUTE' } });
    const actorId = await service.actor('ana', { link: hidden });
    const executionId = await service.message('ana', actorId);
    await finish(executionId);
    await service.ask('bob', 'POST', `/actors/v2/${hidden}/permissions`, { json: { user: 'ana', level: 'NONE' } });
    const answer = settle(actorId, executionId);
    expect(await isPending(answer)).toBe(true);
    await finish(linkedTo(executionId), { exitCode: 1 });
    expect((await answer).result).toMatchObject({
      settled: true,
      total: 2,
      failures: [],
      effects: [{ id: executionId }],
    });
  });
});

describe('a message that an execution sends with its token', () => {
  let inside: RunningExecution;
  let actorId: string;
  let other: string;
  beforeAll(async () => {
    other = await service.actor('ana');
    actorId = await service.actor('ana', { token: true });
    inside = await runningExecution(service, actorId);
  });

  it('belongs to the effects of the execution', async () => {
    const answer = settle(actorId, inside.executionId);
    const sent = await inside.ask('POST', `/actors/v2/${other}/messages`, { form: { message: 'go' } });
    const emitted = await inside.ask('POST', `/actors/v2/${actorId}/events`, { json: { event_type: 'NOTICE' } });
    expect([sent.status, emitted.status]).toEqual([200, 200]);
    await end(inside.executionId);
    expect(await isPending(answer)).toBe(true);
    await finish(String(sent.result['executionId']));
    expect((await answer).result).toMatchObject({ settled: true, total: 2 });
  });
});

describe('everything sent so far', () => {
  it('has settled when what had not ended at the call has ended, whatever is sent later', async () => {
    const { first } = await chain();
    const one = await service.message('ana', first);
    const answer = settleAll();
    expect(await isPending(answer)).toBe(true);
    const later = await service.message('ana', await service.actor('ana'));
    for (const id of [one, () => linkedTo(one), () => linkedTo(linkedTo(one))]) {
      await finish(typeof id === 'string' ? id : id());
    }
    expect((await answer).result).toMatchObject({ settled: true, failures: [] });
    await finish(later);
  });

  it('includes the failures after a cursor, even of what ended before the call', async () => {
    const actorId = await service.actor('ana');
    await finish(await service.message('ana', actorId), { exitCode: 1 });
    const { next } = (await settleAll()).result;
    expect((await settleAll(`&after=${String(next)}`)).result).toMatchObject({ settled: true, failures: [] });
    const failing = await service.message('ana', actorId);
    await finish(failing, { exitCode: 2 });
    expect((await settleAll(`&after=${String(next)}`)).result).toMatchObject({
      failures: [{ id: failing, exitCode: 2 }],
      effects: [{ id: failing }],
    });
  });

  it('contains nothing of actors that the caller may not read', async () => {
    const executionId = await service.message('bob', await service.actor('bob'));
    expect((await settleAll()).result).toMatchObject({ settled: true, total: 0 });
    await finish(executionId);
  });
});

// What an execution records about its message, its state and its image, so that a shell can have the same.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changePlan } from '../../../daemon/domain/schedule/cron-plan.ts';
import { build, closeHarnesses, harness } from '../../support/engine/scheduler-fixture.ts';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';
import { typed } from '../../support/service/call.ts';

const LIMIT = 4_096;

describe('the record of an execution has the beginning of its message', () => {
  let service: ActorService;
  let actor: string;
  beforeAll(async () => {
    service = await startActorService();
    actor = await service.actor('ana');
  });
  afterAll(() => service.close());

  const sent = async (body: string | Uint8Array, type = 'text/plain') => {
    const { result } = await service.ask('ana', 'POST', `/actors/v2/${actor}/messages?COLOUR=blue`, typed(type, body));
    return service.store.get('executions', String(result['executionId']));
  };

  it('if it is text above the limit, in the record or in a file', async () => {
    for (const size of [LIMIT + 1, 100_000]) {
      const { message, excerpt } = (await sent('x'.repeat(size))) ?? {};
      expect(message).toBeUndefined();
      expect(excerpt).toEqual({ contentType: 'str', variables: { COLOUR: 'blue' }, size, text: 'x'.repeat(LIMIT) });
    }
  });

  it('without a part of a character at its end', async () => {
    for (const count of [3_000, 60_000]) {
      const { excerpt } = (await sent(`x${'é'.repeat(count)}`)) ?? {};
      expect(excerpt?.text).toBe(`x${'é'.repeat(LIMIT / 2 - 1)}`);
    }
  });

  it('if it is binary, in base64', async () => {
    for (const size of [3, 100_000]) {
      const bytes = Buffer.alloc(size, 0xff);
      const { message, excerpt } = (await sent(bytes, 'application/octet-stream')) ?? {};
      expect(message).toBeUndefined();
      expect(excerpt).toMatchObject({ size, text: bytes.subarray(0, LIMIT).toString('base64') });
    }
  });

  it('only once, if the whole message is stored to be sent again', async () => {
    const { message, excerpt } = (await sent('x'.repeat(LIMIT))) ?? {};
    expect(message?.text).toHaveLength(LIMIT);
    expect(excerpt).toBeUndefined();
  });

  it('if a link sent it, and such a message is not sent again', async () => {
    const sender = await service.actor('ana', { link: actor });
    await service.ask('ana', 'POST', `/actors/v2/${sender}/events`, { json: { event_type: 'NOTE' } });
    const [received] = service.store.by('executions', 'actor', actor).slice(-1);
    expect(JSON.parse(received?.excerpt?.text ?? '')).toMatchObject({ actor_id: sender, event_type: 'NOTE' });
    const again = `/actors/v2/${actor}/executions/${received?.id}/rerun`;
    expect(await service.ask('ana', 'POST', again)).toMatchObject({ status: 409 });
  });
});

describe('a run', () => {
  closeHarnesses();

  it('of a schedule records the message, the missed runs and the revision of the actor', async () => {
    await build({ tickEveryMs: 24 * 3_600_000 });
    const now = Date.now();
    const cron = changePlan(undefined, { cronSchedule: '@hourly', cronMessage: 'tick' }, now);
    const actor = await harness.actor({ ...(cron && { cron: { ...cron, nextAt: now - 1 } }) });
    await harness.scheduler.tick();
    const [begun] = harness.store.by('executions', 'actor', actor);
    const record = await harness.final(begun?.id ?? '');
    expect(record).toMatchObject({ excerpt: { text: 'tick', size: 4 }, missed: 0 });
    expect(record.actorRevision).toBe(harness.store.get('actors', actor)?.revision);
  });

  it('records the version of the state that it received, if its actor is stateful', async () => {
    await build();
    harness.world.images.set('counts', async () => 0);
    const actor = await harness.actor({ image: 'counts', stateless: false });
    const ran = async () => (await harness.final(await harness.send(actor))).stateVersion;
    expect(await ran()).toBe(0);
    await harness.store.transact((tx) => {
      const state = { text: '{"n":1}', bytes: 7, by: 'ana', executionId: 'e', at: 1 };
      tx.put('states', { actorId: actor, tenant: 'dev', version: 7, ...state });
    });
    expect(await ran()).toBe(7);
    const stateless = await harness.actor({ image: 'counts' });
    expect(await harness.final(await harness.send(stateless))).not.toHaveProperty('stateVersion');
  });
});

// Events as a list, single events, emitting and redelivering.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinKey } from '../../../daemon/domain/records/record-key.ts';
import type { EventView } from '../../../src/contract/actors/events.ts';
import { type ActorService, failed, startActorService } from '../../support/service/actor-service.ts';
import type { Answer } from '../../support/service/call.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

const EVENTS = '/actors/v2/events';

const emit = async (actorId: string, type = 'NOTICE', fields = {}): Promise<EventView> => {
  const answer = await service.ask('ana', 'POST', `/actors/v2/${actorId}/events`, {
    json: { event_type: type, ...fields },
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.result as unknown as EventView;
};

const list = (query: string, as: 'ana' | 'bob' | 'admin' = 'ana'): Promise<Answer> =>
  service.ask(as, 'GET', `${EVENTS}?${query}`);

const idsOf = ({ result }: Answer): readonly string[] => (result['events'] as EventView[]).map(({ id }) => id);

const actors = (fields = {}) => service.actor('ana', fields);

describe('an emitted event', () => {
  it('has all standard fields, is marked as emitted, and is in the list', async () => {
    const actorId = await actors();
    const event = await emit(actorId, 'EXECUTION_COMPLETE', { execution_id: 'abc', exit_code: 3, status: 'COMPLETE' });
    expect(event).toEqual({
      id: expect.stringMatching(/^\d+$/),
      actor_id: actorId,
      tenant_id: 'DEV',
      actor_dbid: `DEV_${actorId}`,
      event_type: 'EXECUTION_COMPLETE',
      event_time_utc: expect.any(Number),
      event_time_display: expect.stringMatching(/^2\d{3}-.*Z$/),
      _svc_link: '',
      _svc_username: 'Actor Service Event',
      execution_id: 'abc',
      exit_code: 3,
      status: 'COMPLETE',
      synthetic: true,
      deliveries: { link: null, webhook: null },
    });
    expect((await service.ask('ana', 'GET', `${EVENTS}/${event.id}`)).result).toEqual(event);
    expect((await list(`actorId=${actorId}`)).result['events']).toEqual([event]);
  });

  it('becomes a message of the linked actor, and the execution names it as its cause', async () => {
    const receiver = await actors();
    const event = await emit(await actors({ link: receiver }));
    expect(event).toMatchObject({ _svc_link: receiver, deliveries: { link: expect.any(String) } });
    const execution = await service.ask('ana', 'GET', `/actors/v2/${receiver}/executions/${event.deliveries.link}`);
    expect(execution.result).toMatchObject({ executor: 'Actor Service Event', causedBy: { event: event.id } });
  });

  it('gets a delivery for the webhook', async () => {
    const event = await emit(await actors({ webhook: 'http://127.0.0.1:9/hook' }));
    expect(service.store.get('deliveries', event.deliveries.webhook ?? '')).toMatchObject({
      url: 'http://127.0.0.1:9/hook',
      eventSerial: Number(event.id),
    });
  });

  it('names the problem if its link leads nowhere', async () => {
    const receiver = await actors();
    const actorId = await actors({ link: receiver });
    await service.ask('ana', 'DELETE', `/actors/v2/${receiver}`);
    expect(await emit(actorId)).toMatchObject({ _svc_link: '', linkProblem: `there is no actor "${receiver}"` });
  });

  it.each([
    ['without a type', {}, /event_type is required/],
    ['with a type in lower case', { event_type: 'notice' }, /event_type must look like/],
    ['with a long type', { event_type: 'A'.repeat(65) }, /event_type/],
    ['with an invalid status', { event_type: 'NOTICE', status: 'DONE' }, /status/],
    ['with an exit code that is not a number', { event_type: 'NOTICE', exit_code: 'x' }, /exit_code/],
    ['with a long message', { event_type: 'NOTICE', status_message: 'x'.repeat(8_193) }, /status_message/],
  ])('is refused %s', async (_, json, text) => {
    const actorId = await actors();
    expect(await service.ask('ana', 'POST', `/actors/v2/${actorId}/events`, { json })).toMatchObject(
      failed('VALIDATION', text),
    );
  });
});

describe('the list of events', () => {
  it('returns all of them in pages, in both directions, none twice', async () => {
    const actorId = await actors();
    const all: string[] = [];
    for (let at = 0; at < 7; at += 1) all.push((await emit(actorId, at % 2 === 0 ? 'EVEN' : 'ODD')).id);
    const collect = async (order: 'asc' | 'desc', start: string): Promise<readonly string[]> => {
      const found: string[] = [];
      let cursor = start;
      for (let more = true; more; ) {
        const page = await list(`actorId=${actorId}&limit=3&order=${order}${cursor}`);
        found.push(...idsOf(page));
        cursor = `&${order === 'asc' ? 'after' : 'before'}=${String(page.result['next'])}`;
        more = page.result['more'] === true;
      }
      return found;
    };
    expect(await collect('asc', '')).toEqual(all);
    expect(await collect('desc', '')).toEqual(all.toReversed());
    expect(idsOf(await list(`actorId=${actorId}&type=EVEN`))).toEqual(all.filter((_, at) => at % 2 === 0));
    expect(idsOf(await list(`actorId=${actorId}&after=${all[1]}&before=${all[4]}`))).toEqual(all.slice(2, 4));
    expect(idsOf(await list(`actorId=${actorId}&after=${all[1]}&before=${all[4]}&order=desc`))).toEqual(
      all.slice(2, 4).toReversed(),
    );
  });

  it('returns a cursor with an empty page, so that no event is missed', async () => {
    const [quiet, busy] = [await actors(), await actors()];
    const seen = (await emit(busy)).id;
    const page = await list(`actorId=${quiet}`);
    expect(page.result).toMatchObject({ events: [], next: `0.${seen}`, more: false });
    const { id } = await emit(quiet);
    expect(idsOf(await list(`actorId=${quiet}&after=${String(page.result['next'])}`))).toEqual([id]);
  });

  it('explains the form of an event type when it refuses one', async () => {
    const { status, json } = await list('type=lower');
    expect([status, json]).toEqual([
      400,
      expect.objectContaining({ message: 'type must look like EXECUTION_COMPLETE.' }),
    ]);
  });

  it('can be limited to a period', async () => {
    const actorId = await actors();
    const first = await emit(actorId);
    service.advance(3_600_000);
    const second = await emit(actorId);
    service.advance(3_600_000);
    const third = await emit(actorId);
    const of = (query: string) => list(`actorId=${actorId}&${query}`);
    expect(idsOf(await of(`since=${second.event_time_display}`))).toEqual([second.id, third.id]);
    expect(idsOf(await of(`until=${second.event_time_display}`))).toEqual([first.id, second.id]);
    const both = `since=${second.event_time_display}&until=${second.event_time_display}`;
    expect(idsOf(await of(both))).toEqual([second.id]);
    expect(idsOf(await of(`${both}&order=desc`))).toEqual([second.id]);
    expect(idsOf(await of('until=2001-01-01T00:00:00Z'))).toEqual([]);
  });

  it.each([
    ['after=999999999999', 'VALIDATION', /is beyond the latest event/],
    ['order=up', 'VALIDATION', /order/],
    ['limit=1001', 'VALIDATION', /limit/],
    ['until=tomorrow', 'VALIDATION', /until/],
    ['actorId=nobody', 'NOT_FOUND', /no such actor/],
  ])('refuses %s', async (query, code, text) => {
    await emit(await actors());
    expect(await list(query)).toMatchObject(failed(code, text));
  });

  it('holds only readable events, and an admin gets others only by naming the actor', async () => {
    const actorId = await actors();
    const { id } = await emit(actorId);
    const newest = (as: 'bob' | 'admin') => list('order=desc&limit=5', as);
    expect(idsOf(await newest('bob'))).not.toContain(id);
    expect(idsOf(await newest('admin'))).not.toContain(id);
    expect(idsOf(await list(`actorId=${actorId}`, 'admin'))).toEqual([id]);
    expect(await list(`actorId=${actorId}`, 'bob')).toMatchObject(failed('NOT_FOUND'));
    await service.ask('ana', 'POST', `/actors/v2/${actorId}/permissions`, { json: { user: 'bob', level: 'READ' } });
    expect(idsOf(await newest('bob'))).toContain(id);
  });
});

describe('the events of a deleted actor', () => {
  it('are hidden from a later user with the name of the former owner', async () => {
    const actorId = await actors();
    const { id } = await emit(actorId);
    await service.ask('ana', 'DELETE', `/actors/v2/${actorId}`);
    const key = joinKey('DEV', 'ana');
    const user = service.store.get('users', key);
    if (user === undefined) throw new Error('there is no ana');
    const createdAt = service.dependencies.clock.now() + 1;
    expect((await service.ask('ana', 'GET', `${EVENTS}/${id}`)).status).toBe(200);
    await service.store.transact((tx) => tx.put('users', { ...user, createdAt }));
    expect(await service.ask('ana', 'GET', `${EVENTS}/${id}`)).toMatchObject(failed('NOT_FOUND'));
    await service.store.transact((tx) => tx.put('users', user));
  });
});

describe('a redelivered event', () => {
  const again = (id: string, to: string, as: 'ana' | 'bob' = 'ana') =>
    service.ask(as, 'POST', `${EVENTS}/${id}/redeliver`, { json: { to } });

  it('becomes a message of the currently linked actor, unchanged and without a new event', async () => {
    const [first, second] = [await actors(), await actors()];
    const actorId = await actors({ link: first });
    const event = await emit(actorId);
    await service.ask('ana', 'PUT', `/actors/v2/${actorId}`, { json: { image: 'alpine', link: second } });
    service.advance(60_000);
    const { result } = await again(event.id, 'link');
    expect(result).toEqual({ event: event.id, to: 'link', actorId: second, executionId: expect.any(String) });
    const message = service.store.get('messages', String(result['executionId']));
    const { id: _, deliveries: __, ...words } = event;
    expect(JSON.parse(message?.text ?? '')).toEqual({ ...words, _svc_link: second });
    expect(idsOf(await list(`actorId=${actorId}`))).toEqual([event.id]);
  });

  it('gets a new delivery for the webhook, and the earlier delivery stays unchanged', async () => {
    const event = await emit(await actors({ webhook: 'http://127.0.0.1:9/hook' }));
    const { result } = await again(event.id, 'webhook');
    expect(service.store.get('deliveries', String(result['deliveryId']))).toMatchObject({
      redeliveryOf: event.deliveries.webhook,
      eventSerial: Number(event.id),
    });
    expect(service.store.get('deliveries', event.deliveries.webhook ?? '')).not.toHaveProperty('redeliveryOf');
  });

  it('is refused without a receiver, and if its actor is deleted', async () => {
    const actorId = await actors();
    const event = await emit(actorId);
    expect(await again(event.id, 'link')).toMatchObject(failed('NO_RECEIVER', /has no link/));
    expect(await again(event.id, 'webhook')).toMatchObject(failed('NO_RECEIVER', /has no webhook/));
    await service.ask('ana', 'DELETE', `/actors/v2/${actorId}`);
    expect(await again(event.id, 'link')).toMatchObject(failed('NO_RECEIVER', /was deleted/));
    expect(await again(event.id, 'link', 'bob')).toMatchObject(failed('NOT_FOUND'));
  });
});

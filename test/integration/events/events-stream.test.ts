// The live stream of events: no gap, no duplicate, only readable events, and bounded memory for a slow reader.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { emit } from '../../../daemon/domain/events/emission.ts';
import { closeTails, emitMany, idsOf, openTail, tailAs, until } from '../../support/crash/event-tail.ts';
import { type ActorService, failed, startActorService, tokenOf } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());
afterEach(() => closeTails());

describe('the stream of events', () => {
  it('opens with a cursor to resume from, and continues with new events', async () => {
    const actorId = await service.actor('ana');
    const [before] = await emitMany(service, actorId, 1);
    const tail = await tailAs(service, 'ana');
    await until(() => expect(tail.seen[0]).toMatchObject({ event: 'open', id: `0.${before}` }));
    expect(JSON.parse(tail.seen[0]?.data ?? '')).toMatchObject({ cursor: `0.${before}` });
    const [now] = await emitMany(service, actorId, 1);
    await until(() => expect(tail.seen[1]).toMatchObject({ event: 'NOTICE', id: `0.${now}` }));
    expect(tail.events()).toMatchObject([{ id: now, actor_id: actorId, deliveries: { link: null, webhook: null } }]);
  });

  it('has no gap and no duplicate for a reader that is disconnected repeatedly', async () => {
    const actorId = await service.actor('ana');
    const start = await tailAs(service, 'ana');
    await until(() => expect(start.seen).toHaveLength(1));
    let last = start.seen[0]?.id ?? '';
    const emitting = (async () => {
      const all: string[] = [];
      for (let at = 0; at < 60; at += 1) all.push(...(await emitMany(service, actorId, 20, 3)));
      return all;
    })();
    const got: string[] = [];
    while (got.length < 1_200) {
      const tail = await tailAs(service, 'ana', 'after=0', last);
      const enough = Math.min(got.length + 90, 1_200) - got.length;
      await until(() => expect(tail.events().length).toBeGreaterThanOrEqual(enough));
      tail.close();
      got.push(...idsOf(tail));
      last = got.at(-1) ?? last;
    }
    expect(got).toEqual(await emitting);
  });

  it('starts after a cursor, at a time, or at the oldest event', async () => {
    const actorId = await service.actor('ana');
    await emitMany(service, actorId, 2);
    service.advance(60_000);
    const time = new Date(service.dependencies.clock.now()).toISOString();
    const [third, fourth] = await emitMany(service, actorId, 2);
    const of = `actorId=${actorId}`;
    const [behind, since, all] = [
      await tailAs(service, 'ana', `${of}&after=${third}`),
      await tailAs(service, 'ana', `${of}&since=${time}`),
      await tailAs(service, 'ana', `${of}&after=0`),
    ];
    await until(() => expect(all.events()).toHaveLength(4));
    await until(() => expect([idsOf(behind), idsOf(since)]).toEqual([[fourth], [third, fourth]]));
  });

  it('is filtered by event types and by actors, named by id or alias', async () => {
    const [one, two, three] = [await service.actor('ana'), await service.actor('ana'), await service.actor('ana')];
    await service.ask('ana', 'POST', '/actors/v2/aliases', { json: { alias: 'second', actorId: two } });
    const tail = await tailAs(service, 'ana', `actorId=${one},second&type=A_TYPE&type=OTHER`);
    await emitMany(service, three, 1, 1, 'A_TYPE');
    await emitMany(service, one, 1, 1, 'A_TYPE');
    await emitMany(service, one, 1, 1, 'UNWANTED');
    await emitMany(service, two, 1, 1, 'OTHER');
    await until(() => expect(tail.events()).toHaveLength(2));
    expect(tail.events()).toMatchObject([{ actor_id: one }, { actor_id: two, event_type: 'OTHER' }]);
  });

  it.each([
    ['an unknown actor', 'actorId=nobody', undefined, 'NOT_FOUND', /no such actor/],
    ['a cursor from the future', 'after=999999999999', undefined, 'VALIDATION', /is beyond the latest event/],
    ['a Last-Event-ID from the future', '', '999999999999', 'VALIDATION', /is beyond the latest event/],
    [
      'an invalid Last-Event-ID',
      '',
      'x',
      'VALIDATION',
      /^Last-Event-ID must be a cursor or the id of an event\. .*at the present/,
    ],
    ['an invalid cursor', 'after=-1', undefined, 'VALIDATION', /after/],
    ['a time without a zone', 'since=2026-11-21T00:00:00', undefined, 'VALIDATION', /since/],
    ['a parameter that only the list supports', 'limit=3', undefined, 'VALIDATION', /limit/],
  ])('refuses %s instead of staying silent', async (_, query, lastEventId, code, text) => {
    await emitMany(service, await service.actor('ana'), 1);
    const headers = {
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    const answer = await service.ask('ana', 'GET', `/actors/v2/events?${query}`, { headers });
    expect(answer).toMatchObject(failed(code, text));
  });

  it('refuses an unreadable actor like an unknown one', async () => {
    const actorId = await service.actor('bob');
    const headers = { accept: 'text/event-stream' };
    expect(await service.ask('ana', 'GET', `/actors/v2/events?actorId=${actorId}`, { headers })).toMatchObject(
      failed('NOT_FOUND', /no such actor/),
    );
  });

  it('notifies a reader whose cursor is older than the oldest stored event, and continues with that event', async () => {
    const own = await startActorService();
    try {
      const tail = await openTail({ baseUrl: own.baseUrl, token: tokenOf('ana'), lastEventId: '5' });
      await until(() =>
        expect(tail.seen.map(({ event, id }) => [event, id])).toEqual([
          ['open', '0.0'],
          ['reset', '0.0'],
        ]),
      );
      tail.close();
      const put = (number: number) =>
        own.store.transact((tx) =>
          tx.put('events', {
            number,
            serial: number,
            tenant: 'DEV',
            actorId: 'gone',
            owner: 'ana',
            type: 'NOTICE',
            at: 1,
          }),
        );
      for (const number of [3, 6, 9]) await put(number);
      await own.store.transact((tx) => tx.delete('events', '3'));
      const late = await openTail({ baseUrl: own.baseUrl, token: tokenOf('ana'), query: 'after=3' });
      await until(() =>
        expect(late.seen.map(({ event, id }) => [event, id])).toEqual([
          ['open', '0.0'],
          ['reset', '0.0'],
          ['NOTICE', '0.6'],
          ['NOTICE', '0.9'],
        ]),
      );
      expect(JSON.parse(late.seen[1]?.data ?? '')).toEqual({ asked: '3', oldest: '6' });
      late.close();
      const foreign = await openTail({ baseUrl: own.baseUrl, token: tokenOf('ana'), lastEventId: 'Elsewhere1.9' });
      await until(() => expect(foreign.seen.map(({ id }) => id)).toEqual(['0.0', '0.0', '0.6', '0.9']));
      expect(JSON.parse(foreign.seen[1]?.data ?? '')).toEqual({ asked: 'Elsewhere1.9', oldest: '6' });
      foreign.close();
      const same = await openTail({ baseUrl: own.baseUrl, token: tokenOf('ana'), lastEventId: '0.6' });
      await until(() =>
        expect(same.seen.map(({ event, id }) => [event, id])).toEqual([
          ['open', '0.6'],
          ['NOTICE', '0.9'],
        ]),
      );
      same.close();
    } finally {
      await own.close();
    }
  });

  it('notifies the reader even if an older event is retained for a pending delivery', async () => {
    const own = await startActorService();
    try {
      const event = { tenant: 'DEV', actorId: 'gone', owner: 'ana', type: 'NOTICE', at: 1 };
      for (const number of [3, 6, 9])
        await own.store.transact((tx) => tx.put('events', { ...event, number, serial: number }));
      await own.ask('ana', 'GET', '/actors/v2/events');
      await own.store.transact((tx) => {
        tx.put('events', { ...event, number: 3, serial: 3, retired: true });
        tx.delete('events', '6');
      });
      const { result } = await own.ask('ana', 'GET', '/actors/v2/events?after=3');
      expect(result).toMatchObject({ events: [{ id: '9' }], oldest: '9', reset: true });
    } finally {
      await own.close();
    }
  });
});

describe('readers of a stream', () => {
  it('get every event once and in order, a hundred at once', async () => {
    const actorId = await service.actor('ana');
    const readers = await Promise.all(Array.from({ length: 100 }, () => tailAs(service, 'ana', `actorId=${actorId}`)));
    const emitted: string[] = [];
    for (let at = 0; at < 20; at += 1) emitted.push(...(await emitMany(service, actorId, 25, 2)));
    await until(() => expect(readers.every((reader) => reader.events().length >= emitted.length)).toBe(true));
    for (const reader of readers) expect(idsOf(reader)).toEqual(emitted);
  });

  it('are not delayed by a reader that does not read, and its memory is bounded', async () => {
    const actorId = await service.actor('ana');
    const [slow, quick] = [
      await tailAs(service, 'ana', `actorId=${actorId}`),
      await tailAs(service, 'ana', `actorId=${actorId}`),
    ];
    slow.response.pause();
    const emitted: string[] = [];
    const { clock, ids } = service.dependencies;
    const statusMessage = 'x'.repeat(60_000);
    for (let at = 0; at < 300; at += 1) {
      await service.store.transact((tx) => {
        const actor = tx.get('actors', actorId);
        if (actor === undefined) return;
        const given = { now: clock.now(), id: () => ids.id() };
        emitted.push(String(emit(tx, actor, { type: 'NOTICE', statusMessage }, given).number));
      });
    }
    await until(() => expect(quick.events()).toHaveLength(emitted.length));
    const held = idsOf(slow).length;
    expect(held).toBeLessThan(emitted.length);
    slow.response.resume();
    await until(() => expect(idsOf(slow)).toEqual(emitted));
  });
});

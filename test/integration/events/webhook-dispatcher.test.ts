// Sending events to webhooks: in order, one at a time for each actor, none twice, even after crashes and errors. The file
// is long because all of its tests share one dispatcher, store and receiver.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPoster } from '../../../daemon/delivery/webhook-poster.ts';
import { DELIVERY_BACKLOG, emit } from '../../../daemon/domain/events/emission.ts';
import type { DeliveryRecord } from '../../../daemon/domain/records/event-records.ts';
import type { Logger } from '../../../daemon/ports/logger.ts';
import type { Post, Poster } from '../../../daemon/ports/poster.ts';
import type { Store } from '../../../daemon/ports/store.ts';
import {
  createDispatcher,
  type Dispatcher,
  type DispatcherSettings,
} from '../../../daemon/scheduler/webhook-dispatcher.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { createClock } from '../../../daemon/vault/clock.ts';
import { createIds } from '../../../daemon/vault/ids.ts';
import { type Receiver, startReceiver } from '../../support/crash/receiver.ts';
import { actorRecord } from '../../support/service/records.ts';
import { until } from '../../support/store/store-fixtures.ts';

const logger: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const clock = createClock({ floor: 0 });
const ids = createIds();

let folder: string;
const configs = { receivedBy: () => ({ text: '{}', secrets: [], all: [] }) };
let store: Store;
let receiver: Receiver;
let running: Dispatcher[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'actorctl-dispatcher-'));
  store = await openStore({ folder, clock, logger });
  receiver = await startReceiver();
});
afterEach(async () => {
  await Promise.all(running.map((dispatcher) => dispatcher.stop({ deadlineMs: 0 })));
  running = [];
  await receiver.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** No post of these tests ends by the time limit of the poster, however busy the machine is. */
const realPoster = (): Poster => createPoster({ userAgent: 'actorctl/test', allowPrivate: true, totalMs: 600_000 });
const start = (poster: Poster = realPoster(), given: Partial<DispatcherSettings> = {}): Dispatcher => {
  const settings = { retryMs: 1, retryCapMs: 10, ...given };
  const dispatcher = createDispatcher({ store, poster, clock, configs, logger, settings });
  dispatcher.start();
  running.push(dispatcher);
  return dispatcher;
};

const actorWith = async (webhook: string): Promise<string> => {
  const id = ids.id();
  await store.transact((tx) => tx.put('actors', actorRecord(id, { webhook })));
  return id;
};
/** Emits `count` events of an actor. Their exit codes count up from `from`. */
const emitEvents = (actorId: string, count: number, from = 0): Promise<void> =>
  store.transact((tx) => {
    const actor = tx.get('actors', actorId);
    if (actor === undefined) throw new Error(`there is no actor ${actorId}`);
    for (let at = 0; at < count; at += 1) {
      emit(tx, actor, { type: 'EXECUTION_COMPLETE', exitCode: from + at }, { now: clock.now(), id: () => ids.id() });
    }
  });

const deliveriesOf = (actorId: string): readonly DeliveryRecord[] =>
  store.by('deliveries', 'actor', actorId).toSorted((a, b) => a.sequence - b.sequence);
const statusesOf = (actorId: string) => deliveriesOf(actorId).map(({ status }) => status);
const allOver = (actorId: string) => () =>
  store.by('deliveries', 'actor', actorId).every(({ status }) => status !== 'WAITING' && status !== 'SENDING');
const numbers = (): readonly number[] => receiver.received.map(({ body }) => Number(JSON.parse(body).exit_code));
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

describe('events', () => {
  it('R135 of one actor are posted in order, once each and one at a time, with event number and delivery id', async () => {
    const actorId = await actorWith(receiver.url);
    start();
    for (let round = 0; round < 10; round += 1) await emitEvents(actorId, 10, round * 10);
    await until(allOver(actorId));
    expect(numbers()).toEqual(upTo(100));
    expect(receiver.mostAtOnce()).toBe(1);
    expect(new Set(statusesOf(actorId))).toEqual(new Set(['DELIVERED']));
    const deliveries = deliveriesOf(actorId);
    expect(receiver.received.map(({ headers }) => [headers['x-event-number'], headers['x-delivery-id']])).toEqual(
      deliveries.map(({ eventSerial, id }) => [String(eventSerial), id]),
    );
    expect(deliveries[0]).toMatchObject({
      httpStatus: 200,
      sentAt: expect.any(Number),
      finishedAt: expect.any(Number),
    });
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
      actor_id: actorId,
      event_type: 'EXECUTION_COMPLETE',
      _svc_link: '',
    });
  });

  it('that were waiting at the start are posted', async () => {
    const actorId = await actorWith(receiver.url);
    await emitEvents(actorId, 3);
    start();
    await until(allOver(actorId));
    expect(numbers()).toEqual([0, 1, 2]);
  });

  it('are recorded as failed with the response, and the next event is posted', async () => {
    const actorId = await actorWith(receiver.url);
    receiver.answer = (response, { body }) => response.writeHead(JSON.parse(body).exit_code === 1 ? 500 : 204).end();
    start();
    await emitEvents(actorId, 3);
    await until(allOver(actorId));
    expect(deliveriesOf(actorId).map(({ status, httpStatus, error }) => [status, httpStatus, error])).toEqual([
      ['DELIVERED', 204, undefined],
      ['FAILED', 500, 'the receiver responded with 500'],
      ['DELIVERED', 204, undefined],
    ]);
  });

  it('of other actors are not delayed by a receiver that does not respond', async () => {
    const silent = await startReceiver();
    silent.answer = () => undefined;
    const [held, free] = [await actorWith(silent.url), await actorWith(receiver.url)];
    start();
    await emitEvents(held, 2);
    await until(() => silent.received.length === 1);
    await emitEvents(free, 20);
    await until(allOver(free));
    expect(numbers()).toEqual(upTo(20));
    expect(silent.received).toHaveLength(1);
    await silent.close();
  });

  it('of many actors share a limited number of connections, and each actor gets its turn', async () => {
    const actors = await Promise.all(upTo(20).map(() => actorWith(receiver.url)));
    start(realPoster(), { maxSending: 3 });
    await Promise.all(actors.map((actorId) => emitEvents(actorId, 5)));
    await until(() => actors.every((actorId) => allOver(actorId)()));
    expect(receiver.received).toHaveLength(100);
    expect(receiver.mostAtOnce()).toBeLessThanOrEqual(3);
    for (const actorId of actors) {
      const own = receiver.received.map(({ body }) => JSON.parse(body)).filter((each) => each.actor_id === actorId);
      expect(own.map((each) => each.exit_code)).toEqual(upTo(5));
    }
  });

  it('of an actor whose receiver is silent leave the only connection to another actor after each post', async () => {
    const silent = await startReceiver();
    silent.answer = () => undefined;
    const [held, free] = [await actorWith(silent.url), await actorWith(receiver.url)];
    await emitEvents(held, 3);
    await emitEvents(free, 2);
    const poster = createPoster({ userAgent: 'actorctl/test', allowPrivate: true, totalMs: 50 });
    const urls: string[] = [];
    const post: Poster['post'] = (each) => {
      urls.push(each.url);
      return poster.post(each);
    };
    start({ ...poster, post }, { maxSending: 1 });
    await until(() => allOver(held)() && allOver(free)());
    expect(urls).toEqual([silent.url, receiver.url, silent.url, receiver.url, silent.url]);
    expect(numbers()).toEqual([0, 1]);
    await silent.close();
  });

  // A thousand posts, one after the other: on a busy machine more than the 30 s of a test.
  it('R135 beyond the backlog limit are recorded as DROPPED, and the others are posted in order', async () => {
    const actorId = await actorWith(receiver.url);
    await emitEvents(actorId, DELIVERY_BACKLOG + 5);
    expect(statusesOf(actorId).filter((status) => status === 'DROPPED')).toHaveLength(5);
    start();
    await until(allOver(actorId));
    expect(numbers()).toEqual(upTo(DELIVERY_BACKLOG));
  });
});

describe('a daemon that ends', () => {
  /** A poster that never finishes, as if the process had ended during the post. */
  const deadPoster = (onPost: (post: Post) => void): Poster => ({
    post: (post) => {
      onPost(post);
      return new Promise(() => undefined);
    },
    cut: () => undefined,
    close: () => undefined,
  });

  it('between SENDING and the response leaves the delivery UNKNOWN and never sends it again, but sends the next ones', async () => {
    const actorId = await actorWith(receiver.url);
    await emitEvents(actorId, 3);
    const seen: Post[] = [];
    const dead = createDispatcher({ store, poster: deadPoster((post) => seen.push(post)), clock, configs, logger });
    dead.start();
    await until(() => seen.length === 1);
    // The status SENDING is on disk before the first byte is sent.
    expect(statusesOf(actorId)).toEqual(['SENDING', 'WAITING', 'WAITING']);
    start();
    await until(allOver(actorId));
    expect(numbers()).toEqual([1, 2]);
    expect(deliveriesOf(actorId)[0]).toMatchObject({
      status: 'UNKNOWN',
      error: expect.stringMatching(/may have arrived/),
      finishedAt: expect.any(Number),
    });
  });

  it('by a stop waits for the pending response and sends nothing new', async () => {
    const actorId = await actorWith(receiver.url);
    let answer: () => void = () => undefined;
    receiver.answer = (response) => {
      answer = () => response.end();
    };
    const dispatcher = start();
    await emitEvents(actorId, 2);
    await until(() => receiver.received.length === 1);
    const stopped = dispatcher.stop({ deadlineMs: 30_000 });
    answer();
    await stopped;
    expect(statusesOf(actorId)).toEqual(['DELIVERED', 'WAITING']);
    expect(receiver.received).toHaveLength(1);
  });

  it('by a stop with an expired deadline disconnects and records UNKNOWN', async () => {
    const actorId = await actorWith(receiver.url);
    receiver.answer = () => undefined;
    const dispatcher = start();
    await emitEvents(actorId, 2);
    await until(() => receiver.received.length === 1);
    await dispatcher.stop({ deadlineMs: 0 });
    expect(statusesOf(actorId)).toEqual(['UNKNOWN', 'WAITING']);
    receiver.answer = (response) => response.end();
    start();
    await until(allOver(actorId));
    expect(numbers()).toEqual([0, 1]);
    expect(statusesOf(actorId)).toEqual(['UNKNOWN', 'DELIVERED']);
  });

  it('or runs with a full disk sends no unrecorded delivery, and continues when there is space', async () => {
    const actorId = await actorWith(receiver.url);
    await emitEvents(actorId, 1);
    let [refusing, refused] = [true, 0];
    const failing: Store = {
      ...store,
      transact: async (decide) => {
        if (!refusing) return store.transact(decide);
        refused += 1;
        throw new Error('no space left');
      },
    };
    const settings = { retryMs: 1, retryCapMs: 5 };
    const dispatcher = createDispatcher({ store: failing, poster: realPoster(), clock, configs, logger, settings });
    running.push(dispatcher);
    dispatcher.start();
    await until(() => refused >= 3);
    expect(receiver.received).toHaveLength(0);
    refusing = false;
    await until(allOver(actorId));
    expect(receiver.received).toHaveLength(1);
  });
});

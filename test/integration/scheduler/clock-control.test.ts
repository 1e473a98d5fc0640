// A virtual clock that is moved: what fires on the way, what a refusing disk and a new daemon make of it, and what is
// refused.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VirtualTime } from '../../../daemon/domain/records/account-records.ts';
import type { ActorRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { ClockControl, Moved } from '../../../daemon/ports/clock-control.ts';
import type { Store } from '../../../daemon/ports/store.ts';
import { createClockControl } from '../../../daemon/scheduler/cron/clock-control.ts';
import { createVirtualClock } from '../../../daemon/vault/clock.ts';
import { createIds } from '../../../daemon/vault/ids.ts';
import { cronActor, someSchedules, someStarts } from '../../support/engine/cron-actors.ts';
import { memoryStore } from '../../support/store/memory-store.ts';
import { rememberingLogger } from '../../support/store/store-fixtures.ts';

const HOUR = 3_600_000;
const FROM = Date.parse('2030-01-01T00:00:00Z');
const ALL = Number.MAX_SAFE_INTEGER;
const iso = (time: number): string => new Date(time).toISOString();

/** A daemon over a store: its clock and its control. */
const begin = (store: Store, batch = 3) => {
  const time = store.get('meta', 'instance')?.clock;
  if (time === undefined) throw new Error('the store has no clock');
  let machineNow = 0;
  const machine = { wall: () => machineNow, monotonic: () => machineNow };
  const clock = createVirtualClock(time, { floor: store.lastTime, ...machine });
  const deleted: number[] = [];
  const control = createClockControl({
    store,
    clock,
    machine: { now: () => machineNow },
    ids: createIds(),
    logger: rememberingLogger(),
    deleteExpired: async () => deleted.push(clock.now()),
    batch,
    limit: 1_000,
  });
  return {
    clock,
    control,
    deleted,
    pass: (ms: number) => {
      machineNow += ms;
    },
  };
};

const make = async (actors: readonly ActorRecord[], clock: VirtualTime = { from: FROM, at: FROM }) => {
  const store = memoryStore();
  await store.transact((tx) => {
    tx.put('meta', { key: 'instance', instanceId: 'i', createdAt: clock.from, clock });
    for (const actor of actors) tx.put('actors', actor);
  });
  return { store, ...begin(store) };
};

const move = (control: ClockControl, wish: Parameters<ClockControl['move']>[0], most = ALL): Promise<Moved> =>
  control.move(wish, { most, signal: new AbortController().signal });

/** The cron messages in the order of their numbers. */
const sent = (store: Store): readonly string[] =>
  [...store.all('messages')]
    .sort((one, two) => one.sequence - two.sequence)
    .map(({ actorId, cron }) => `${actorId} ${iso(cron?.scheduledAt ?? 0)}`);

const hours = (id: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${id} ${iso(FROM + (index + 1) * HOUR)}`);

describe('a move of the clock', () => {
  it('sends each cron message once and in order, at its own time, and then deletes what has expired', async () => {
    const { store, control, clock, deleted } = await make([cronActor('a', '@hourly', FROM)]);
    expect(await move(control, { months: 0, ms: 10.5 * HOUR })).toEqual({
      moved: true,
      from: FROM,
      to: FROM + 10.5 * HOUR,
      due: 10,
    });
    expect(sent(store)).toEqual(hours('a', 10));
    expect([...store.all('messages')].every(({ receivedAt, cron }) => receivedAt === cron?.scheduledAt)).toBe(true);
    expect(store.get('actors', 'a')?.cron?.nextAt).toBe(FROM + 11 * HOUR);
    expect([clock.now(), deleted]).toEqual([FROM + 10.5 * HOUR, [FROM + 10.5 * HOUR]]);
    expect(control.state()).toEqual({ now: clock.now(), from: FROM, running: false, advancing: false });
  });

  it('ignores the limit of waiting cron messages, because the caller was asked', async () => {
    const { store, control } = await make([cronActor('a', '@hourly', FROM)]);
    await move(control, { to: FROM + 12 * HOUR });
    await move(control, { to: FROM + 24 * HOUR });
    expect(sent(store)).toEqual(hours('a', 24));
  });

  it('fires the same schedules in the same order for any step and batch size', async () => {
    const parts = fc.array(fc.integer({ min: 1, max: 12 * HOUR }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        someSchedules,
        someStarts,
        parts,
        fc.integer({ min: 1, max: 5 }),
        async (plans, start, split, batch) => {
          const actors = plans.map(({ schedule, ...zone }, index) => cronActor(`a${index}`, schedule, start, zone));
          const whole = await make(actors, { from: start, at: start });
          await move(whole.control, { months: 0, ms: split.reduce((sum, part) => sum + part, 0) });
          const { store } = await make(actors, { from: start, at: start });
          const { control } = begin(store, batch);
          for (const ms of split) await move(control, { months: 0, ms });
          expect(sent(store)).toEqual(sent(whole.store));
          expect(store.get('meta', 'instance')).toEqual(whole.store.get('meta', 'instance'));
          expect([...store.all('actors')]).toEqual([...whole.store.all('actors')]);
        },
      ),
      { numRuns: 5 },
    );
  });

  it('changes nothing if more messages fall due than allowed, and says how many', async () => {
    const { store, control, clock, deleted } = await make([cronActor('a', '@hourly', FROM)]);
    const wish = { to: FROM + 10 * HOUR };
    expect(await move(control, wish, 9)).toEqual({ moved: false, from: FROM, to: wish.to, due: 10 });
    expect([sent(store), clock.now(), deleted]).toEqual([[], FROM, []]);
    expect(await move(control, wish, 10)).toMatchObject({ moved: true, due: 10 });
  });

  it('is refused if more messages fall due than one move may send', async () => {
    const { store, control, clock } = await make([cronActor('a', '@hourly', FROM)]);
    await expect(move(control, { months: 36, ms: 0 })).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('More than 1000 cron messages are due by 2033-01-01T00:00:00Z'),
    });
    expect([sent(store), clock.now()]).toEqual([[], FROM]);
  });

  it('is refused while another one is in progress, and so are pause and resume', async () => {
    const { store, control } = await make([cronActor('a', '@hourly', FROM)]);
    const first = move(control, { to: FROM + 5 * HOUR });
    expect(control.state()).toMatchObject({ advancing: true, target: FROM + 5 * HOUR });
    await expect(move(control, { to: FROM + 6 * HOUR })).rejects.toMatchObject({
      code: 'IN_USE',
      message: 'The clock is being moved to 2030-01-01T05:00:00Z. Try again when it has arrived.',
    });
    await expect(control.resume()).rejects.toMatchObject({ code: 'IN_USE' });
    await expect(control.pause()).rejects.toMatchObject({ code: 'IN_USE' });
    await first;
    expect(sent(store)).toEqual(hours('a', 5));
  });

  it.each(['a refusing disk', 'its caller', 'the stop of the daemon'])(
    'that is interrupted by %s continues in a later daemon without lost or repeated messages',
    async (by) => {
      const { store, control } = await make([cronActor('a', '@hourly', FROM), cronActor('b', '@hourly', FROM)]);
      const caller = new AbortController();
      const interrupt = {
        'a refusing disk': () => store.refuse('no space left'),
        'its caller': () => caller.abort(new Error('gone')),
        'the stop of the daemon': () => void control.close(),
      }[by];
      const to = FROM + 10 * HOUR;
      store.watch('meta', ({ clock }) => {
        if (clock?.at !== FROM + 3 * HOUR) return;
        expect(control.state()).toMatchObject({ advancing: true, target: to, due: 20 });
        interrupt?.();
      });
      await expect(control.move({ to }, { most: ALL, signal: caller.signal })).rejects.toThrow();
      expect(store.count('messages')).toBe(6);
      expect(control.state()).toEqual({
        now: FROM + 3 * HOUR,
        from: FROM,
        running: false,
        advancing: false,
        target: to,
      });
      store.refuse(undefined);
      const next = begin(store);
      expect(next.clock.now()).toBe(FROM + 3 * HOUR);
      await move(next.control, { to });
      const both = hours('a', 10).flatMap((each) => [each, each.replace('a', 'b')]);
      expect(sent(store)).toEqual(both);
      expect(next.control.state()).not.toHaveProperty('target');
    },
  );

  it('is refused once the daemon stops', async () => {
    const { control } = await make([]);
    await control.close();
    await expect(move(control, { to: FROM + 1 })).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});

describe('a running clock', () => {
  it('advances with the machine, can be paused, and stands still after a move', async () => {
    const { control, clock, pass } = await make([]);
    expect(await control.resume()).toMatchObject({ now: FROM, running: true });
    pass(5_000);
    expect(clock.now()).toBe(FROM + 5_000);
    expect(await control.resume()).toMatchObject({ now: FROM + 5_000, running: true });
    expect(await control.pause()).toMatchObject({ now: FROM + 5_000, running: false });
    expect(await control.pause()).toMatchObject({ now: FROM + 5_000 });
    pass(5_000);
    expect(clock.now()).toBe(FROM + 5_000);
    await control.resume();
    pass(1_000);
    expect(await move(control, { months: 0, ms: HOUR })).toMatchObject({ from: FROM + 6_000, to: FROM + HOUR + 6_000 });
    pass(1_000);
    expect(control.state()).toMatchObject({ now: FROM + HOUR + 6_000, running: false });
  });

  it('keeps running if the disk refuses to record a stop or a move', async () => {
    const { store, control, clock, pass } = await make([]);
    await control.resume();
    store.refuse('no space left');
    await expect(control.pause()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(move(control, { months: 0, ms: HOUR })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    pass(5_000);
    expect(clock.now()).toBe(FROM + 5_000);
  });

  it('keeps running while it checks whether so many messages may be sent', async () => {
    const { control, clock, pass } = await make([cronActor('a', '@hourly', FROM)]);
    await control.resume();
    expect(await move(control, { months: 0, ms: 5 * HOUR }, 1)).toMatchObject({ moved: false, due: 5 });
    pass(1_000);
    expect([clock.now(), control.state().running]).toEqual([FROM + 1_000, true]);
  });
});

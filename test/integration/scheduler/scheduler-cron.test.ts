// Actors with a schedule, with a clock that the test sets, a real store and an engine in memory.
import { afterEach, describe, expect, it } from 'vitest';
import type { CronPlan } from '../../../daemon/domain/records/actor-records.ts';
import { changePlan } from '../../../daemon/domain/schedule/cron-plan.ts';
import { createClock } from '../../../daemon/vault/clock.ts';
import { buildSchedulerHarness, type SchedulerHarness } from '../../support/engine/scheduler-harness.ts';
import { playedMachine } from '../../support/values/played-machine.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const at = (text: string): number => Date.parse(text);

let harness: SchedulerHarness;
let now: number;
/** The environment variables of every execution, by its id. */
const seen = new Map<string, Readonly<Record<string, string>>>();
afterEach(() => harness.close());

/** Builds an engine that ticks only when the test asks for it. */
const build = async (time: string) => {
  now = at(time);
  harness = await buildSchedulerHarness({ tickEveryMs: 24 * HOUR }, { now: () => now });
  harness.world.images.set('hello', async ({ spec, environment }) => {
    seen.set(spec.executionId, environment);
    return 0;
  });
};

const plan = (cronSchedule: string, more: Readonly<Record<string, unknown>> = {}): CronPlan => {
  const made = changePlan(undefined, { cronSchedule, ...more }, now);
  if (made === undefined) throw new Error('no plan');
  return made;
};

const tickAt = async (time: string): Promise<void> => {
  now = at(time);
  await harness.scheduler.tick();
};

/** Returns the cron values that the executions of an actor received, in order. Waits until all of them have ended. */
const received = async (actorId: string) => {
  const executions = harness.store.by('executions', 'actor', actorId);
  await Promise.all(executions.map(({ id }) => harness.final(id)));
  return executions.map(({ id, executor }) => {
    const {
      MSG,
      _svc_cron_scheduled_time: time,
      _svc_cron_missed: missed,
      _svc_username: username,
    } = seen.get(id) ?? {};
    return { executor, MSG, time, missed, username };
  });
};

describe('an actor with a schedule', () => {
  it('runs by the clock of a machine that jumped for two seconds, and later by the one that was set back', async () => {
    const box = playedMachine(at('2026-11-21T10:30:00Z'));
    const clock = createClock({ floor: 0, ...box });
    now = clock.now();
    harness = await buildSchedulerHarness({ tickEveryMs: 24 * HOUR }, clock);
    harness.world.images.set('hello', async () => 0);
    const actor = await harness.actor({ cron: plan('@hourly') });
    const runsAfter = async (ms: number) => {
      box.pass(ms);
      await harness.scheduler.tick();
      const executions = harness.store.by('executions', 'actor', actor);
      await Promise.all(executions.map(({ id }) => harness.final(id)));
      return executions.length;
    };
    box.set(at('2026-11-21T11:30:00Z'));
    expect(await runsAfter(0)).toBe(0);
    expect(await runsAfter(2_000)).toBe(0);
    box.set(at('2026-11-21T10:30:02Z'));
    expect(await runsAfter(29 * MINUTE)).toBe(0);
    expect(await runsAfter(MINUTE)).toBe(1);
    // Records stay at 11:00, and the next time is that of the machine.
    box.set(at('2026-11-21T10:45:00Z'));
    expect(await runsAfter(74 * MINUTE)).toBe(1);
    expect(clock.now()).toBeGreaterThan(at('2026-11-21T12:00:00Z'));
    expect(await runsAfter(MINUTE)).toBe(2);
    box.sleep(HOUR);
    expect(await runsAfter(0)).toBe(3);
  });

  it('runs once at each of its times, with the scheduled time and with cron as its executor', async () => {
    await build('2026-11-21T10:41:29Z');
    const actor = await harness.actor({ cron: plan('@hourly', { cronMessage: 'wake up' }) });
    await tickAt('2026-11-21T10:59:59.999Z');
    expect(await received(actor)).toEqual([]);
    await tickAt('2026-11-21T11:00:00Z');
    await tickAt('2026-11-21T11:00:01Z');
    await Promise.all([harness.scheduler.tick(), harness.scheduler.tick()]);
    await tickAt('2026-11-21T12:00:07Z');
    const run = { executor: 'cron', MSG: 'wake up', missed: '0', username: undefined };
    expect(await received(actor)).toEqual([
      { ...run, time: '2026-11-21T11:00:00.000Z' },
      { ...run, time: '2026-11-21T12:00:00.000Z' },
    ]);
    expect(harness.store.get('actors', actor)?.cron?.nextAt).toBe(at('2026-11-21T13:00Z'));
    expect(harness.store.by('executions', 'actor', actor).map(({ cause }) => cause)).toEqual([
      { scheduledAt: at('2026-11-21T11:00Z') },
      { scheduledAt: at('2026-11-21T12:00Z') },
    ]);
  });

  it('runs after one interval if the plan begins with now, and gets a fixed message', async () => {
    await build('2026-11-21T10:41:29Z');
    const actor = await harness.actor({ cron: plan('now + 2 hours') });
    await tickAt('2026-11-21T10:41:30Z');
    await tickAt('2026-11-21T12:41:28Z');
    expect(await received(actor)).toEqual([]);
    await tickAt('2026-11-21T12:41:29Z');
    await tickAt('2026-11-21T14:41:29Z');
    expect((await received(actor)).map(({ time, missed, MSG }) => [time, missed, MSG?.length !== 0])).toEqual([
      ['2026-11-21T12:41:29.000Z', '0', true],
      ['2026-11-21T14:41:29.000Z', '0', true],
    ]);
  });

  it('runs once after a downtime, for the latest time, and gets the number of missed times', async () => {
    await build('2026-11-21T10:41:29Z');
    const actor = await harness.actor({ cron: plan('@hourly') });
    now = at('2026-11-21T15:20:00Z');
    await harness.crash();
    await harness.scheduler.tick();
    await harness.scheduler.tick();
    expect((await received(actor)).map(({ time, missed }) => [time, missed])).toEqual([
      ['2026-11-21T15:00:00.000Z', '4'],
    ]);
    expect(harness.store.get('actors', actor)?.cron?.nextAt).toBe(at('2026-11-21T16:00Z'));
  });

  it('runs exactly once for a time although the daemon is killed before or after it', async () => {
    for (const when of ['before', 'behind']) {
      await build('2026-11-21T10:59:00Z');
      const actor = await harness.actor({ cron: plan('@hourly') });
      if (when === 'behind') await tickAt('2026-11-21T11:00:00Z');
      now = at('2026-11-21T11:00:01Z');
      await harness.crash();
      await harness.scheduler.tick();
      expect((await received(actor)).map(({ time }) => time)).toEqual(['2026-11-21T11:00:00.000Z']);
      if (when === 'before') await harness.close();
    }
  });

  it('does not run while its plan is off, nor for the times that passed in the meantime', async () => {
    await build('2026-11-21T10:41:29Z');
    const on = plan('@hourly');
    const off = changePlan(on, { cronOn: false }, now);
    const actor = await harness.actor({ ...(off && { cron: off }) });
    await tickAt('2026-11-21T13:00:00Z');
    expect(await received(actor)).toEqual([]);
    const again = changePlan(off, { cronOn: true }, now);
    await harness.update(actor, { ...(again && { cron: again }) });
    await tickAt('2026-11-21T13:59:59Z');
    expect(await received(actor)).toEqual([]);
    await tickAt('2026-11-21T14:00:00Z');
    expect((await received(actor)).map(({ time, missed }) => [time, missed])).toEqual([
      ['2026-11-21T14:00:00.000Z', '0'],
    ]);
  });

  it.each([
    ['by the number of its messages', { messages: 1, bytes: 1_000 }],
    ['by their bytes', { messages: 10, bytes: 20 }],
  ])(
    'with a mailbox that is full %s runs when there is space again, and gets the number of missed times',
    async (_, mailbox) => {
      await build('2026-11-21T10:41:29Z');
      await harness.close();
      harness = await buildSchedulerHarness({ tickEveryMs: 24 * HOUR, mailbox }, { now: () => now });
      const actor = await harness.actor({ image: 'missing', cron: plan('@hourly') });
      await harness.send(actor, 'stuck');
      await tickAt('2026-11-21T11:00:00Z');
      await tickAt('2026-11-21T12:00:00Z');
      expect(harness.store.countBy('messages', 'actor', actor)).toBe(1);
      await harness.purge(actor);
      await tickAt('2026-11-21T12:30:00Z');
      expect(harness.store.by('messages', 'actor', actor).map(({ cron }) => cron)).toEqual([
        { scheduledAt: at('2026-11-21T12:00Z'), missed: 1 },
      ]);
    },
  );

  it('runs when a full disk has space again, and an invalid plan of another actor does not delay it', async () => {
    await build('2026-11-21T10:41:29Z');
    const broken = await harness.actor({ cron: { schedule: 'no schedule', on: true, nextAt: now } });
    const actor = await harness.actor({ cron: plan('@hourly') });
    harness.refuse = () => true;
    await tickAt('2026-11-21T11:00:00Z');
    expect(await received(actor)).toEqual([]);
    harness.refuse = undefined;
    await tickAt('2026-11-21T11:00:02Z');
    expect(await received(actor)).toHaveLength(1);
    expect(await received(broken)).toEqual([]);
  });

  it('does not run while it is being deleted', async () => {
    await build('2026-11-21T10:41:29Z');
    const actor = await harness.actor({ status: 'SHUTTING_DOWN', cron: plan('@hourly') });
    await tickAt('2026-11-21T11:00:00Z');
    expect(harness.store.countBy('executions', 'actor', actor)).toBe(0);
  });
});

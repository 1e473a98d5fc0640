// Executions of an instance with a virtual clock: they run in real time, and their records have the virtual time.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClock } from '../../../daemon/vault/clock.ts';
import { buildSchedulerHouse, type SchedulerHouse } from '../../support/engine/scheduler-house.ts';

const YEAR = 366 * 24 * 3_600_000;
const FROM = Date.parse('2030-01-01T00:00:00Z');

let house: SchedulerHouse;
let now: number;
beforeEach(async () => {
  now = FROM;
  house = await buildSchedulerHouse({}, { now: () => now }, createClock({ floor: 0 }));
});
afterEach(() => house.close());

it('a time limit is one of the machine although the clock stands still', async () => {
  const actor = await house.actor({ image: 'untilTerm', maxRunTime: 0.05 });
  const { ranMs = 0, ...final } = await house.final(await house.send(actor));
  expect(final).toMatchObject({ reason: 'timed_out', startedAt: FROM, finishedAt: FROM });
  expect([ranMs > 0, ranMs < YEAR]).toEqual([true, true]);
});

it('a clock that is moved does not use up the time limit of an execution, also across a restart', async () => {
  const actor = await house.actor({ image: 'untilTerm', maxRunTime: 3_600 });
  const id = await house.send(actor);
  await house.until(() => house.execution(id)?.status === 'RUNNING');
  expect(house.execution(id)).toMatchObject({ startedAt: FROM, ranMs: 0 });
  now = FROM + YEAR;
  await house.crash();
  await house.until(() => house.scheduler !== undefined && house.execution(id)?.status === 'RUNNING');
  await house.scheduler.halt(id);
  const final = await house.final(id);
  expect(final).toMatchObject({ reason: 'halted', startedAt: FROM, finishedAt: FROM + YEAR });
  expect(final.ranMs).toBeLessThan(YEAR);
});

// Executions of an instance with a virtual clock: they run in real time, and their records have the virtual time.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClock } from '../../../daemon/vault/clock.ts';
import { buildSchedulerHarness, type SchedulerHarness } from '../../support/engine/scheduler-harness.ts';

const YEAR = 366 * 24 * 3_600_000;
const FROM = Date.parse('2030-01-01T00:00:00Z');

let harness: SchedulerHarness;
let now: number;
beforeEach(async () => {
  now = FROM;
  harness = await buildSchedulerHarness({}, { now: () => now }, createClock({ floor: 0 }));
});
afterEach(() => harness.close());

it('a time limit follows the clock of the machine although the virtual clock stands still', async () => {
  const actor = await harness.actor({ image: 'untilTerm', maxRunTime: 0.05 });
  const { ranMs = 0, ...final } = await harness.final(await harness.send(actor));
  expect(final).toMatchObject({ reason: 'timed_out', startedAt: FROM, finishedAt: FROM });
  expect([ranMs > 0, ranMs < YEAR]).toEqual([true, true]);
});

it('a clock that is moved does not use up the time limit of an execution, even across a restart', async () => {
  const actor = await harness.actor({ image: 'untilTerm', maxRunTime: 3_600 });
  const id = await harness.send(actor);
  await harness.until(() => harness.execution(id)?.status === 'RUNNING');
  expect(harness.execution(id)).toMatchObject({ startedAt: FROM, ranMs: 0 });
  now = FROM + YEAR;
  await harness.crash();
  await harness.until(() => harness.scheduler !== undefined && harness.execution(id)?.status === 'RUNNING');
  await harness.scheduler.halt(id);
  const final = await harness.final(id);
  expect(final).toMatchObject({ reason: 'halted', startedAt: FROM, finishedAt: FROM + YEAR });
  expect(final.ranMs).toBeLessThan(YEAR);
});

// The runs of schedules up to an instant: each once, in order, however the way there is split.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ActorRecord } from '../../../daemon/domain/records/actor-records.ts';
import { dueRun } from '../../../daemon/domain/schedule/cron-plan.ts';
import { firingsUntil, nextFirings } from '../../../daemon/domain/schedule/firings.ts';
import { cronActor, someSchedules, someStarts } from '../../support/engine/cron-actors.ts';

const HOUR = 3_600_000;
const at = (text: string): number => Date.parse(text);
const NOW = at('2030-01-01T00:30:00Z');

const shown = (actors: readonly ActorRecord[], until: string) =>
  [...firingsUntil(actors, at(until))].map(({ actor, at: time }) => `${actor.id} ${new Date(time).toISOString()}`);

/** Fires up to `until` and returns the runs, with the actors whose plans have moved on. */
const fire = (actors: readonly ActorRecord[], until: number) => {
  const after = new Map(actors.map((actor) => [actor.id, actor]));
  const runs = [...firingsUntil(actors, until)].map(({ actor, at: time, plan }) => {
    after.set(actor.id, { ...actor, cron: plan });
    return `${actor.id} ${new Date(time).toISOString()}`;
  });
  return { runs, actors: [...after.values()] };
};

describe('the runs of schedules', () => {
  it('are ordered by time, and at the same time by actor', () => {
    const actors = [cronActor('b', '@hourly', NOW), cronActor('a', '*/30 * * * *', NOW)];
    expect(shown(actors, '2030-01-01T02:00:00Z')).toEqual([
      'b 2030-01-01T01:00:00.000Z',
      'a 2030-01-01T01:00:00.000Z',
      'a 2030-01-01T01:30:00.000Z',
      'b 2030-01-01T02:00:00.000Z',
      'a 2030-01-01T02:00:00.000Z',
    ]);
  });

  it('leave out plans that are off and actors that are being deleted', () => {
    const on = cronActor('on', '@hourly', NOW);
    const off = { ...on, id: 'off', cron: { schedule: '@hourly', on: false } };
    const going: ActorRecord = { ...on, id: 'going', status: 'SHUTTING_DOWN' };
    expect(shown([off, going, on], '2030-01-01T01:00:00Z')).toEqual(['on 2030-01-01T01:00:00.000Z']);
  });

  it.each([
    ['does not occur', '2030-03-31T00:00:00Z', '2030-04-01T23:00:00Z', ['2030-03-31T01:30', '2030-04-01T00:30']],
    ['occurs twice', '2030-10-26T23:00:00Z', '2030-10-28T12:00:00Z', ['2030-10-27T00:30', '2030-10-28T01:30']],
  ])('happen once for a wall time that %s on the day of a clock change', (_, from, until, times) => {
    const actors = [cronActor('a', '30 2 * * *', at(from), { timeZone: 'Europe/Berlin' })];
    expect(shown(actors, until)).toEqual(times.map((time) => `a ${time}:00.000Z`));
  });

  it('are the same in the same order for any step size', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 40 * HOUR }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(someSchedules, someStarts, steps, (schedules, start, parts) => {
        const actors = schedules.map(({ schedule, ...zone }, index) => cronActor(`a${index}`, schedule, start, zone));
        const whole = fire(actors, start + parts.reduce((sum, part) => sum + part, 0));
        let split = { runs: [] as string[], actors };
        let now = start;
        for (const part of parts) {
          now += part;
          const step = fire(split.actors, now);
          split = { runs: [...split.runs, ...step.runs], actors: step.actors };
        }
        expect(split).toEqual(whole);
      }),
      { numRuns: 25 },
    );
  });

  it('equal those of a clock without jumps', () => {
    fc.assert(
      fc.property(someSchedules, someStarts, (schedules, start) => {
        const [first] = schedules.map(({ schedule, ...zone }) => cronActor('a', schedule, start, zone));
        if (first === undefined) return;
        const ticked: number[] = [];
        let actor = first;
        for (let now = start; now <= start + 30 * HOUR; now += HOUR / 6) {
          const due = dueRun(actor, now);
          if (due === undefined) continue;
          ticked.push(due.run.scheduledAt);
          actor = { ...actor, cron: due.plan };
        }
        expect([...firingsUntil([first], start + 30 * HOUR)].map(({ at: time }) => time)).toEqual(ticked);
      }),
      { numRuns: 8 },
    );
  });

  it('can be limited to a number of next runs', () => {
    const actors = [cronActor('a', '@yearly', NOW), cronActor('b', '@monthly', NOW)];
    expect(nextFirings(actors, 2).map(({ actor, at: time }) => [actor.id, new Date(time).toISOString()])).toEqual([
      ['b', '2030-02-01T00:00:00.000Z'],
      ['b', '2030-03-01T00:00:00.000Z'],
    ]);
    expect(nextFirings([], 2)).toEqual([]);
  });
});

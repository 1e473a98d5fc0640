// Actors with schedules of many kinds, for tests that move time.
import fc from 'fast-check';
import type { ActorRecord } from '../../../daemon/domain/records/actor-records.ts';
import { changePlan } from '../../../daemon/domain/schedule/cron-plan.ts';
import { actorRecord } from '../service/records.ts';

/** An actor whose schedule was created at `now`. */
export const cronActor = (
  id: string,
  schedule: string,
  now: number,
  { timeZone, ...changes }: Partial<ActorRecord> & { readonly timeZone?: string } = {},
): ActorRecord => {
  const plan = changePlan(
    undefined,
    { cronSchedule: schedule, ...(timeZone !== undefined && { cronTimeZone: timeZone }) },
    now,
  );
  if (plan === undefined) throw new Error('no plan');
  return actorRecord(id, { cron: plan, ...changes });
};

const schedules = ['@hourly', '*/20 * * * *', '30 2 * * *', '15 1,2,3 * * sun', '@daily', '0 0 29 2 *', '0 12 31 * *'];
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];

/** Some schedules with their time zones. The interval form has no zone. */
export const someSchedules = fc.array(
  fc.oneof(
    fc.record({ schedule: fc.constantFrom(...schedules), timeZone: fc.constantFrom(...zones) }),
    fc.record({ schedule: fc.constantFrom('now + 5 hours', 'now + 1 month', 'now + 2 days') }),
  ),
  { minLength: 1, maxLength: 4 },
);

/** Instants shortly before changes of the clock in some zone, and an ordinary one. */
export const someStarts = fc.constantFrom(
  ...[
    '2030-03-30T20:00:00Z',
    '2030-10-26T20:00:00Z',
    '2030-03-09T20:00:00Z',
    '2028-02-28T10:30:00Z',
    '2030-06-01T00:00:00Z',
  ].map((text) => Date.parse(text)),
);

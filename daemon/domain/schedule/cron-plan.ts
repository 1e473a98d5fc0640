// The schedule of an actor: created, changed, switched on and off, and advanced after each run.

import { Failure } from '../failure.ts';
import type { ActorRecord, CronPlan, CronRun } from '../records/actor-records.ts';
import { nextTime, readSchedule, type Schedule, timesAfter, timesWithin } from './cron.ts';
import { HOUR } from './time-zone.ts';

/** Schedule fields of a request. Absent fields leave the schedule unchanged. An empty schedule removes it. */
export interface CronRequest {
  readonly cronSchedule?: string | undefined;
  readonly cronOn?: boolean | undefined;
  readonly cronTimeZone?: string | undefined;
  readonly cronMessage?: string | undefined;
}

export const CRON = 'cron';

/** Text of scheduled messages if the schedule has none. */
export const CRON_MESSAGE = 'This is a message of the schedule of this actor.';

const scheduleOf = ({ schedule, timeZone, startAt }: CronPlan): Schedule =>
  readSchedule(schedule, { startAt: startAt ?? 0, ...(timeZone !== undefined && { timeZone }) });

const never = (schedule: string, kind: Schedule['kind']): Failure => {
  const why = kind === 'interval' ? 'its first time is after the year 9999' : 'no month has such a day';
  return new Failure('VALIDATION', `cronSchedule ${JSON.stringify(schedule)} never occurs: ${why}.`, {
    field: 'cronSchedule',
  });
};

const past = (schedule: string): Failure =>
  new Failure(
    'VALIDATION',
    `cronSchedule ${JSON.stringify(schedule)} starts in the past. Start it with the current hour (UTC), a later hour, or "now".`,
    { field: 'cronSchedule' },
  );

/**
 * First run of a schedule that is new or switched on again. An interval with a given start may start in the current
 * hour.
 */
const firstTime = (schedule: Schedule, now: number): number | undefined =>
  nextTime(schedule, schedule.kind === 'interval' ? Math.floor(now / HOUR) * HOUR - 1 : now);

const planned = (plan: CronPlan, now: number, isNew: boolean): CronPlan => {
  const schedule = scheduleOf(plan);
  const hour = Math.floor(now / HOUR) * HOUR;
  if (isNew && schedule.kind === 'interval' && schedule.startAt < hour) throw past(plan.schedule);
  const nextAt = isNew ? firstTime(schedule, now) : nextTime(schedule, now);
  if (nextAt === undefined) throw never(plan.schedule, schedule.kind);
  const { nextAt: _, ...rest } = plan;
  return plan.on ? { ...rest, nextAt } : rest;
};

/**
 * The schedule after a request. Undefined if there is none.
 * - A new schedule is on unless the request says otherwise.
 * - Sending the current schedule again changes nothing.
 * - A schedule that is switched on again continues with its next time; times that passed while it was off are not made
 *   up for.
 * @throws Failure VALIDATION naming the field, for a schedule that cannot be parsed, starts in the past or never occurs
 * @see docs/http-api.md#schedules, docs/http-api.md#actors
 */
export const changePlan = (before: CronPlan | undefined, wish: CronRequest, now: number): CronPlan | undefined => {
  const schedule = wish.cronSchedule ?? before?.schedule ?? '';
  if (schedule.trim() === '') {
    if (wish.cronOn !== true) return undefined;
    throw new Failure('VALIDATION', 'cronOn cannot be true: there is no cronSchedule. Send one.', { field: 'cronOn' });
  }
  // An omitted time zone stays as long as the schedule stays; a new schedule is in UTC unless the request names a zone.
  const sameText = schedule === before?.schedule;
  const timeZone = (wish.cronTimeZone ?? (sameText ? before?.timeZone : undefined)) || undefined;
  const same = sameText && timeZone === before?.timeZone;
  const message = (wish.cronMessage ?? before?.message) || undefined;
  const on = wish.cronOn ?? before?.on ?? true;
  const startAt = same ? before?.startAt : now;
  const plan: CronPlan = {
    schedule,
    on,
    ...(timeZone !== undefined && { timeZone }),
    ...(message !== undefined && { message }),
    ...(startAt !== undefined && { startAt }),
    ...(same && before?.nextAt !== undefined && { nextAt: before.nextAt }),
  };
  if (same && before?.on === on) return plan;
  return planned(plan, now, !same);
};

export interface DueRun {
  readonly run: CronRun;
  readonly plan: CronPlan;
}

/**
 * The due run. Undefined if none is due. One run covers all scheduled times since the previous check: it carries the
 * latest of them, and `missed` counts the others.
 */
export const dueRun = ({ cron, status }: Pick<ActorRecord, 'cron' | 'status'>, now: number): DueRun | undefined => {
  if (cron?.nextAt === undefined || !cron.on || cron.nextAt > now || status === 'SHUTTING_DOWN') return undefined;
  const schedule = scheduleOf(cron);
  const come = timesWithin(schedule, cron.nextAt, now) ?? { count: 1, last: cron.nextAt };
  return {
    run: { scheduledAt: come.last, missed: come.count - 1 },
    plan: planAfter(cron, nextTime(schedule, now)),
  };
};

/** The next times as if the schedule were on, soonest first. */
export const comingTimes = (plan: CronPlan, now: number, count: number): readonly number[] => {
  const times: number[] = plan.nextAt === undefined ? [] : [plan.nextAt];
  for (const at of timesAfter(scheduleOf(plan), plan.nextAt ?? now)) {
    if (times.length >= count) break;
    times.push(at);
  }
  return times.slice(0, count);
};

export const plannedTimes = function* (plan: CronPlan): Generator<number, undefined> {
  if (!plan.on || plan.nextAt === undefined) return;
  yield plan.nextAt;
  yield* timesAfter(scheduleOf(plan), plan.nextAt);
};

/** The schedule with its next run. Without `nextAt`, no run is left. */
export const planAfter = ({ nextAt: _, ...plan }: CronPlan, nextAt: number | undefined): CronPlan => ({
  ...plan,
  ...(nextAt !== undefined && { nextAt }),
});

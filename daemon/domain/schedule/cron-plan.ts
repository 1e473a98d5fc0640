// The plan of an actor that runs by itself: made, changed, switched, and taken one run further.

import { Failure } from '../failure.ts';
import type { ActorRecord, CronPlan, CronRun } from '../records/actor-records.ts';
import { nextTime, readSchedule, type Schedule, timesWithin } from './cron.ts';
import { HOUR } from './time-zone.ts';

/** What a request says about the plan; what it leaves out stays. An empty schedule takes the plan away. */
export interface CronWish {
  readonly cronSchedule?: string | undefined;
  readonly cronOn?: boolean | undefined;
  readonly cronTimeZone?: string | undefined;
  readonly cronMessage?: string | undefined;
}

/** The executor of runs that nobody sent. */
export const CRON = 'cron';

/** What an actor is sent when its plan says nothing. */
export const CRON_MESSAGE = 'This is a message of the schedule of this actor.';

const scheduleOf = ({ schedule, timeZone, startAt }: CronPlan): Schedule =>
  readSchedule(schedule, { startAt: startAt ?? 0, ...(timeZone !== undefined && { timeZone }) });

const never = (schedule: string): Failure =>
  new Failure('VALIDATION', `cronSchedule ${JSON.stringify(schedule)} never comes: no such day in any month.`, {
    field: 'cronSchedule',
  });

const past = (schedule: string): Failure =>
  new Failure(
    'VALIDATION',
    `cronSchedule ${JSON.stringify(schedule)} begins in the past. Begin it with this hour (UTC) or a later one, or with "now".`,
    { field: 'cronSchedule' },
  );

/** When a schedule that is new, or switched on anew, runs first: an interval may begin in this very hour. */
const firstTime = (schedule: Schedule, now: number): number | undefined =>
  nextTime(schedule, schedule.kind === 'interval' ? Math.floor(now / HOUR) * HOUR - 1 : now);

const planned = (plan: CronPlan, now: number, isNew: boolean): CronPlan => {
  const schedule = scheduleOf(plan);
  const hour = Math.floor(now / HOUR) * HOUR;
  if (isNew && schedule.kind === 'interval' && schedule.startAt < hour) throw past(plan.schedule);
  const nextAt = isNew ? firstTime(schedule, now) : nextTime(schedule, now);
  if (nextAt === undefined) throw never(plan.schedule);
  const { nextAt: _, ...rest } = plan;
  return plan.on ? { ...rest, nextAt } : rest;
};

/**
 * The plan after a request; undefined: none. A new schedule is on unless the request says otherwise; a plan that is merely
 * said again goes on as it was, and one that is switched on runs at its next time, whatever passed while it was off.
 * @throws Failure VALIDATION naming the field: a schedule that cannot be read, begins in the past or never comes
 * @see facts 7, 1.1 (c)
 */
export const changePlan = (before: CronPlan | undefined, wish: CronWish, now: number): CronPlan | undefined => {
  const schedule = wish.cronSchedule ?? before?.schedule ?? '';
  if (schedule.trim() === '') {
    if (wish.cronOn !== true) return undefined;
    throw new Failure('VALIDATION', 'cronOn cannot be true: there is no cronSchedule. Send one.', { field: 'cronOn' });
  }
  // An omitted zone stays with its schedule; a new schedule is in UTC unless it says otherwise.
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

/** A run that is due, and the plan after it. */
export interface DueRun {
  readonly run: CronRun;
  readonly plan: CronPlan;
}

/**
 * The run that is due, if one is: one for all the times that have come since the last look, standing for the latest of them;
 * `missed` counts the others.
 */
export const dueRun = ({ cron, status }: Pick<ActorRecord, 'cron' | 'status'>, now: number): DueRun | undefined => {
  if (cron?.nextAt === undefined || !cron.on || cron.nextAt > now || status === 'SHUTTING_DOWN') return undefined;
  const schedule = scheduleOf(cron);
  const come = timesWithin(schedule, cron.nextAt, now) ?? { count: 1, last: cron.nextAt };
  const { nextAt: _, ...rest } = cron;
  const nextAt = nextTime(schedule, now);
  return {
    run: { scheduledAt: come.last, missed: come.count - 1 },
    plan: { ...rest, ...(nextAt !== undefined && { nextAt }) },
  };
};

/** The next times of a plan, as if it were on, soonest first. */
export const comingTimes = (plan: CronPlan, now: number, count: number): readonly number[] => {
  const schedule = scheduleOf(plan);
  const times: number[] = [];
  let at: number | undefined = plan.nextAt ?? nextTime(schedule, now);
  while (at !== undefined && times.length < count) {
    times.push(at);
    at = nextTime(schedule, at);
  }
  return times;
};

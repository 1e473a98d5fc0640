// Schedules: Abaco's interval form or five cron fields, parsed to data, and the times computed from them.

import { LAST_INSTANT } from '../../../src/contract/virtual-clock.ts';
import { Failure } from '../failure.ts';
import { type CronFields, dayOf, momentsOn, readCronFields } from './cron-fields.ts';
import { DAY, HOUR, isTimeZone, wallTime } from './time-zone.ts';

const units = ['hour', 'day', 'week', 'month'] as const;
type Unit = (typeof units)[number];

/** A parsed schedule; times are ms since the epoch. */
export type Schedule =
  | {
      readonly kind: 'interval';
      readonly startAt: number;
      readonly every: number;
      readonly unit: Unit;
      /** Index of the first run: 0 is the start itself. With `now` it is 1, one interval after the start. */
      readonly first: 0 | 1;
    }
  | { readonly kind: 'fields'; readonly fields: CronFields; readonly timeZone: string };

export interface Reading {
  /** The time that `now` means in Abaco's form. */
  readonly startAt: number;
  /** IANA time zone name, for five fields. UTC if absent. */
  readonly timeZone?: string;
}

/** Number of days to search ahead: the next 29 February can be eight years away. */
const SEARCH_DAYS = 3_000;
const MOST = 100_000;

const FORMS = 'write five fields like "0 12 * * mon-fri", @hourly, or "2026-12-31 12 + 1 day"';

const refuse = (text: string, why: string): Failure =>
  new Failure('VALIDATION', `cronSchedule ${JSON.stringify(text)} is not a schedule: ${why}. ${FORMS}.`, {
    field: 'cronSchedule',
  });

const calendarHour = (text: string, year: number, month: number, day: number, hour: number): number => {
  const time = Date.UTC(year, month - 1, day, hour);
  const date = new Date(time);
  // An hour above 23 would be an hour of a later day.
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!exists) throw refuse(text, 'the start must be a day of the calendar and an hour from 00 to 23');
  return time;
};

const intervalOf = (text: string, { startAt }: Reading): Schedule => {
  const [, start = '', count = '', word = ''] = /^(\S+(?:\s+\S+)?)\s*\+\s*(\S+)\s+(\S+)$/.exec(text) ?? [];
  if (start === '') throw refuse(text, 'after the + it needs a number and a unit: hours, days, weeks or months');
  const unit = units.find((each) => word === each || word === `${each}s`);
  if (unit === undefined) throw refuse(text, `"${word}" is not hours, days, weeks or months`);
  const every = /^\d{1,6}$/.test(count) ? Number(count) : 0;
  if (every < 1 || every > MOST) throw refuse(text, `the interval must be 1 to ${MOST} ${unit}s, not ${count}`);
  if (start.toLowerCase() === 'now') return { kind: 'interval', startAt, every, unit, first: 1 };
  const [year = 0, month = 0, day = 0, hour = 0] = (
    /^(\d{4})-(\d{1,2})-(\d{1,2})\s+(\d{1,2})$/.exec(start)?.slice(1) ?? []
  ).map(Number);
  if (year === 0) throw refuse(text, 'its start must be a day and an hour (UTC), like 2026-12-31 12, or now');
  return { kind: 'interval', startAt: calendarHour(text, year, month, day, hour), every, unit, first: 0 };
};

const fieldsOf = (text: string, timeZone: string): Schedule => {
  const fields = readCronFields(text);
  if (typeof fields === 'string') throw refuse(text, fields);
  return { kind: 'fields', fields, timeZone };
};

/** Errors name the field (`cronSchedule`, `cronTimeZone`). @see docs/http-api.md#schedules */
export const readSchedule = (text: string, reading: Reading): Schedule => {
  const { timeZone } = reading;
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    throw new Failure('VALIDATION', `cronTimeZone must be the name of a time zone, like Europe/Berlin or UTC.`, {
      field: 'cronTimeZone',
    });
  }
  const trimmed = text.trim();
  if (!trimmed.includes('+')) return fieldsOf(trimmed, timeZone ?? 'UTC');
  if (timeZone === undefined || timeZone === 'UTC') return intervalOf(trimmed, reading);
  throw new Failure(
    'VALIDATION',
    'cronTimeZone is allowed with five fields only: the form with a + is always in UTC.',
    {
      field: 'cronTimeZone',
    },
  );
};

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

/** Adds months. The result is the last day of the month if that month is shorter. */
export const monthsLater = (startAt: number, months: number): number => {
  const start = new Date(startAt);
  const month = start.getUTCMonth() + months;
  const first = new Date(Date.UTC(start.getUTCFullYear(), month, 1));
  const day = Math.min(start.getUTCDate(), daysIn(first.getUTCFullYear(), first.getUTCMonth()));
  return first.getTime() + (day - 1) * DAY + (startAt - Math.floor(startAt / DAY) * DAY);
};

type Interval = Extract<Schedule, { kind: 'interval' }>;

const stepOf = ({ every, unit }: Interval): number => every * (unit === 'hour' ? HOUR : unit === 'day' ? DAY : 7 * DAY);

const intervalTime = (schedule: Interval, index: number): number =>
  schedule.unit === 'month'
    ? monthsLater(schedule.startAt, index * schedule.every)
    : schedule.startAt + index * stepOf(schedule);

/** Number of scheduled times up to and including `time`, counting the start. */
const countBy = (schedule: Interval, time: number): number => {
  const { startAt, every, unit } = schedule;
  if (time < startAt) return 0;
  if (unit !== 'month') return Math.floor((time - startAt) / stepOf(schedule)) + 1;
  const [from, to] = [new Date(startAt), new Date(time)];
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  const index = Math.floor(months / every);
  return intervalTime(schedule, index) <= time ? index + 1 : index;
};

const indexAfter = (schedule: Interval, time: number): number => Math.max(schedule.first, countBy(schedule, time));

/**
 * The times of an interval from an index on. A month beyond the last date of JavaScript is NaN, which also ends the
 * sequence.
 */
const intervalTimes = function* (schedule: Interval, from: number): Generator<number, undefined> {
  let index = from;
  for (let time = intervalTime(schedule, index); time <= LAST_INSTANT; time = intervalTime(schedule, index)) {
    yield time;
    index += 1;
  }
};

/** The scheduled times after `after`, in order. They end with the year 9999, and at a gap of more than eight years. */
export const timesAfter = function* (schedule: Schedule, after: number): Generator<number, undefined> {
  if (schedule.kind === 'interval') return yield* intervalTimes(schedule, indexAfter(schedule, after));
  const { fields, timeZone } = schedule;
  let last = after;
  // The search begins one day early: a wall time that the clock skips may run on the following day.
  let day = dayOf(wallTime(after, timeZone)) - DAY;
  for (let empty = 0; empty < SEARCH_DAYS; empty += 1, day += DAY) {
    for (const moment of momentsOn(fields, day, timeZone)) {
      if (moment <= last) continue;
      if (moment > LAST_INSTANT) return;
      yield moment;
      last = moment;
      empty = -1;
    }
  }
};

/** @see `timesAfter` */
export const nextTime = (schedule: Schedule, after: number): number | undefined =>
  timesAfter(schedule, after).next().value;

/**
 * The number of scheduled times from `from` to `to`, both included, and the last of them. Undefined if there is none.
 */
export const timesWithin = (
  schedule: Schedule,
  from: number,
  to: number,
): { readonly count: number; readonly last: number } | undefined => {
  if (schedule.kind === 'interval') {
    const count = indexAfter(schedule, to) - indexAfter(schedule, from - 1);
    return count > 0 ? { count, last: intervalTime(schedule, indexAfter(schedule, to) - 1) } : undefined;
  }
  const { fields, timeZone } = schedule;
  const end = dayOf(wallTime(to, timeZone));
  // Looks back only as many days as the search looks ahead, so that a wrong clock cannot block the daemon.
  let day = Math.max(dayOf(wallTime(from, timeZone)) - DAY, end - SEARCH_DAYS * DAY);
  let count = 0;
  let last: number | undefined;
  for (; day <= end; day += DAY) {
    const moments = momentsOn(fields, day, timeZone).filter((moment) => moment >= from && moment <= to);
    count += moments.length;
    last = moments.at(-1) ?? last;
  }
  return last === undefined ? undefined : { count, last };
};

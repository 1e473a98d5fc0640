// Cron schedules of five fields: parsed to lists of numbers, then matched day by day.
import { DAY, MINUTE, momentOf, wallTime } from './time-zone.ts';

export interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  /** Days of the week; 0 is Sunday. */
  readonly weekdays: readonly number[];
  /** True for a field that does not begin with `*`. @see crontab(5) */
  readonly restricts: { readonly hours: boolean; readonly days: boolean; readonly weekdays: boolean };
}

interface FieldRule {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names for the numbers; the first name means `min`. */
  readonly words?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const rules = {
  minutes: { name: 'minute', min: 0, max: 59 },
  hours: { name: 'hour', min: 0, max: 23 },
  days: { name: 'day of the month', min: 1, max: 31 },
  months: { name: 'month', min: 1, max: 12, words: MONTHS },
  // 7 also means Sunday.
  weekdays: { name: 'day of the week', min: 0, max: 7, words: WEEKDAYS },
} as const satisfies Record<string, FieldRule>;

/** Shorthands for five fields. */
const shorthands: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
]);

const numberOf = (text: string, rule: FieldRule): number | undefined => {
  const word = rule.words?.indexOf(text.toLowerCase()) ?? -1;
  if (word !== -1) return word + rule.min;
  const number = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return number >= rule.min && number <= rule.max ? number : undefined;
};

/**
 * Parses one list entry (a number, a range or `*`, with or without a step) to its numbers, or to a text that says why
 * it is invalid.
 */
const partOf = (part: string, rule: FieldRule): readonly number[] | string => {
  const [, span = '', stepText] = /^([^/]+)(?:\/(\d{1,4}))?$/.exec(part) ?? [];
  const where = `${rule.name} "${part}"`;
  const allowed = `${rule.min}-${rule.max}${rule.words === undefined ? '' : ` or ${rule.words[0]}, ${rule.words[1]}, …`}`;
  if (span === '') return `${where} is not understood; write *, a number, a list, a range or a step: * 5 1,2 1-5 */15`;
  const step = stepText === undefined ? 1 : Number(stepText);
  if (step < 1) return `${where} has the step 0; the smallest step is 1`;
  const ends = span === '*' ? [String(rule.min), String(rule.max)] : span.split('-');
  if (ends.length > 2) return `${where} is not understood`;
  const [from, given] = ends.map((end) => numberOf(end, rule));
  if (from === undefined || (ends.length === 2 && given === undefined)) return `${where} is not within ${allowed}`;
  const single = stepText === undefined ? from : rule.max;
  // A week may begin or end with Sunday, so `fri-sun` is a range.
  const to = ends.length === 1 ? single : given === 0 && from > 0 && rule.max === 7 ? 7 : (given ?? rule.max);
  if (to < from) return `${where} is backwards: its start is after its end`;
  const numbers: number[] = [];
  for (let number = from; number <= to; number += step) numbers.push(number);
  return numbers;
};

const fieldOf = (text: string, rule: FieldRule): readonly number[] | string => {
  const numbers = new Set<number>();
  for (const part of text.split(',')) {
    const read = partOf(part, rule);
    if (typeof read === 'string') return read;
    for (const number of read) numbers.add(rule.max === 7 ? number % 7 : number);
  }
  return [...numbers].sort((a, b) => a - b);
};

/** Parses five fields or a shorthand like `@hourly`. For invalid text, returns the reason as the end of a sentence. */
export const readCronFields = (text: string): CronFields | string => {
  const shorthand = shorthands.get(text.toLowerCase());
  if (shorthand === undefined && text.startsWith('@'))
    return `the only shorthands are ${[...shorthands.keys()].join(', ')}`;
  const texts = (shorthand ?? text).split(/\s+/);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = texts;
  if (texts.length !== 5)
    return `it has ${texts.length} ${texts.length === 1 ? 'field' : 'fields'}, not 5: minute, hour, day, month, day of the week`;
  const minutes = fieldOf(minute, rules.minutes);
  const hours = fieldOf(hour, rules.hours);
  const days = fieldOf(day, rules.days);
  const months = fieldOf(month, rules.months);
  const weekdays = fieldOf(weekday, rules.weekdays);
  if (typeof minutes === 'string') return minutes;
  if (typeof hours === 'string') return hours;
  if (typeof days === 'string') return days;
  if (typeof months === 'string') return months;
  if (typeof weekdays === 'string') return weekdays;
  const restricts = {
    hours: !hour.startsWith('*'),
    days: !day.startsWith('*'),
    weekdays: !weekday.startsWith('*'),
  };
  return { minutes, hours, days, months, weekdays, restricts };
};

/** The start of the day of a wall time. A day is represented by the ms since the epoch at which it begins in UTC. */
export const dayOf = (wall: number): number => Math.floor(wall / DAY) * DAY;

/** When both the day of the month and the day of the week are restricted, one match is enough. @see crontab(5) */
const matchesDay = ({ days, months, weekdays, restricts }: CronFields, day: number): boolean => {
  const date = new Date(day);
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  const onDay = days.includes(date.getUTCDate());
  const onWeekday = weekdays.includes(date.getUTCDay());
  return restricts.days && restricts.weekdays ? onDay || onWeekday : onDay && onWeekday;
};

/** Every minute between two moments whose wall time matches. Used for days on which the clock changes. */
const minutesBetween = ({ minutes, hours }: CronFields, from: number, to: number, timeZone: string): number[] => {
  const moments: number[] = [];
  for (let moment = from; moment < to; moment += MINUTE) {
    const wall = new Date(wallTime(moment, timeZone));
    if (hours.includes(wall.getUTCHours()) && minutes.includes(wall.getUTCMinutes())) moments.push(moment);
  }
  return moments;
};

/**
 * The run times on one day of a time zone, in order. If the clock changes on that day:
 * - If the hour field begins with `*`, runs follow the elapsed time.
 * - Otherwise every wall time runs once: at its first occurrence if it occurs twice, and later by the length of the gap
 *   if it is skipped.
 * @param day as `dayOf` returns it
 */
export const momentsOn = (fields: CronFields, day: number, timeZone: string): readonly number[] => {
  if (!matchesDay(fields, day)) return [];
  const begin = momentOf(day, timeZone);
  const end = momentOf(day + DAY, timeZone);
  const { minutes, hours, restricts } = fields;
  if (end - begin !== DAY && !restricts.hours) return minutesBetween(fields, begin, end, timeZone);
  const offsets = hours.flatMap((hour) => minutes.map((minute) => (hour * 60 + minute) * MINUTE));
  if (end - begin === DAY) return offsets.map((offset) => begin + offset);
  const moments = offsets.map((offset) => momentOf(day + offset, timeZone));
  return [...new Set(moments)].sort((a, b) => a - b);
};

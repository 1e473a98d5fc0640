// Reads times and durations as people write them: `90s 15m 4h 30d`, RFC 3339, `@unix`, and steps of a clock.
import { LAST_INSTANT } from './virtual-clock.ts';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const durationPattern = /^(?:\d{1,9}(?:\.\d{1,3})?(?:ms|s|m|h|d)){1,5}$/;

/** Reads `90s`, `15m`, `1h30m`, `500ms` as milliseconds. Undefined if the text is not a duration. */
export const readDuration = (text: string): number | undefined => {
  if (!durationPattern.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  }
  return Math.round(total);
};

const rfc3339 = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:\d{2})?)?$/;

/**
 * Reads a time as milliseconds since the epoch. A time without a zone is UTC; a duration means that long before
 * `now`. Undefined if the text is not a time.
 */
export const readTime = (text: string, now: number): number | undefined => {
  if (/^@\d{1,12}(?:\.\d{1,6})?$/.test(text)) return Math.round(Number(text.slice(1)) * 1_000);
  if (rfc3339.test(text)) {
    const zoned = text.length === 10 || /(?:[Zz]|[+-]\d{2}:\d{2})$/.test(text.slice(10)) ? text : `${text}Z`;
    const ms = Date.parse(zoned.replace(' ', 'T').toUpperCase());
    return Number.isNaN(ms) ? undefined : ms;
  }
  const ago = readDuration(text);
  return ago === undefined ? undefined : now - ago;
};

/** True if the day at the start of an RFC 3339 text exists. `Date.parse` reads 30 February as 2 March. */
const isDay = (text: string): boolean => {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
};

/**
 * Reads an instant as milliseconds since the epoch: RFC 3339 (UTC without a zone), or `@` and Unix seconds. Undefined
 * if it is neither, or not from 1970 to 9999.
 */
export const readInstant = (text: string): number | undefined => {
  const trimmed = text.trim();
  const isInstant = trimmed.startsWith('@') || (rfc3339.test(trimmed) && isDay(trimmed));
  const ms = isInstant ? readTime(trimmed, 0) : undefined;
  return ms !== undefined && ms >= 0 && ms <= LAST_INSTANT ? ms : undefined;
};

/** A step of a clock in calendar months and milliseconds. */
export interface Step {
  readonly months: number;
  readonly ms: number;
}

/**
 * Reads a step of a clock: a duration that may also have weeks, calendar months and calendar years. Undefined if it is
 * not a duration above zero.
 */
export const readStep = (text: string): Step | undefined => {
  const [, years = '', months = '', weeks = '', rest = ''] =
    /^(?:(\d{1,9})y)?(?:(\d{1,9})mo)?(?:(\d{1,9})w)?(.*)$/.exec(text.trim()) ?? [];
  const small = rest === '' ? 0 : readDuration(rest);
  const step = { months: Number(years) * 12 + Number(months), ms: Number(weeks) * 7 * 86_400_000 + (small ?? 0) };
  return small !== undefined && step.months + step.ms > 0 ? step : undefined;
};

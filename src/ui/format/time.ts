// Parses times and durations with errors for people, and formats them: `90s`, `3m ago`.
import { readDuration, readInstant, readStep, readTime } from '../../contract/times.ts';
import { usage } from '../../failure.ts';

/** Parses a duration into milliseconds. */
export const parseDuration = (text: string, what = 'a duration'): number => {
  const ms = readDuration(text.trim());
  if (ms === undefined) throw usage(`"${text}" is not ${what}`, 'write it as 90s, 15m, 4h or 30d');
  return ms;
};

export const parseTime = (text: string, now: number): number => {
  const ms = readTime(text.trim(), now);
  if (ms === undefined) {
    throw usage(
      `"${text}" is not a time`,
      'write it as 2026-01-31T12:00:00Z, as 10m (ten minutes ago) or as @<unix seconds>',
    );
  }
  return ms;
};

/** Parses an instant into milliseconds since the epoch: RFC 3339 (UTC without a zone), or `@` and Unix seconds. */
export const parseInstant = (text: string): number => {
  const ms = readInstant(text);
  if (ms !== undefined) return ms;
  throw usage(
    `"${text}" is not an instant from 1970-01-01 to 9999-12-31`,
    'write it as 2030-01-31, 2030-01-31T12:00:00Z or @<unix seconds>',
  );
};

/** Checks a step of a clock, and returns its text. */
export const parseStep = (text: string): string => {
  if (readStep(text) !== undefined) return text.trim();
  throw usage(`"${text}" is not a duration above zero`, 'write it as 90s, 3h, 1d12h, 2w, 1mo or 1y');
};

/** Formats a duration with at most two units: `9ms`, `0.8s`, `42s`, `2m13s`, `2h13m`, `3d4h`. */
export const formatDuration = (ms: number): string => {
  if (ms < 100) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < 1_000) return `${(ms / 1_000).toFixed(1)}s`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1_000);
  const two = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
    small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`;
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return two(Math.floor(seconds / 60), 'm', seconds % 60, 's');
  if (seconds < 86_400) return two(Math.floor(seconds / 3_600), 'h', Math.floor((seconds % 3_600) / 60), 'm');
  return two(Math.floor(seconds / 86_400), 'd', Math.floor((seconds % 86_400) / 3_600), 'h');
};

/** Formats the distance of a time from `now` in one unit: `just now`, `42s ago`, `5m ago`, `in 3h`. */
export const formatAgo = (time: number, now: number): string => {
  const distance = Math.abs(now - time);
  if (distance < 1_000) return 'just now';
  const [unit, size] =
    distance < 60_000
      ? ['s', 1_000]
      : distance < 3_600_000
        ? ['m', 60_000]
        : distance < 86_400_000
          ? ['h', 3_600_000]
          : ['d', 86_400_000];
  const amount = `${Math.floor(distance / Number(size))}${unit}`;
  return time <= now ? `${amount} ago` : `in ${amount}`;
};

/** Formats a time in a time zone (IANA name): `Mon 23 Nov 2026, 09:00 Europe/Berlin`. */
export const formatMoment = (time: number, timeZone: string): string => {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  return `${part('weekday')} ${part('day')} ${part('month')} ${part('year')}, ${part('hour')}:${part('minute')} ${timeZone}`;
};

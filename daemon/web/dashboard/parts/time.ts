// Formats times and durations.
import { serviceNow } from '../api/service-time.ts';

const UNITS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
];

/** A duration with its two largest units: `3 h 5 m`, `42 s`, `350 ms`. */
export const formatDuration = (ms: number): string => {
  if (ms < 0) return '0 s';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const at = UNITS.findIndex(([unit]) => ms >= unit);
  const [first, second] = [UNITS[at], UNITS[at + 1]];
  if (first === undefined) return '0 s';
  const whole = Math.floor(ms / first[0]);
  const rest = second === undefined ? 0 : Math.floor((ms % first[0]) / second[0]);
  return rest === 0 || second === undefined ? `${whole} ${first[1]}` : `${whole} ${first[1]} ${rest} ${second[1]}`;
};

/** An age with one unit: `12 s`, `3 m`, `2 d`. */
export const formatAge = (ms: number): string => {
  const [size, unit] = UNITS.find(([each]) => ms >= each) ?? [1_000, 's'];
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`;
};

const pad = (value: number, digits = 2): string => String(value).padStart(digits, '0');

/** Local date and time: `2026-11-22 16:41:11`. */
export const formatMoment = (ms: number): string => {
  const at = new Date(ms);
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())} ${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
};

const twoDigits = '2-digit';

const formatIn = (timeZone: string): Intl.DateTimeFormat => {
  const digits = { month: twoDigits, day: twoDigits, hour: twoDigits, minute: twoDigits } as const;
  return new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', year: 'numeric', ...digits, hourCycle: 'h23' });
};

/**
 * Date and time in a time zone (IANA name): `Mon 2026-11-23 09:00 Europe/Zurich`. In UTC if the browser does not know
 * the zone.
 */
export const formatMomentIn = (ms: number, timeZone: string): string => {
  try {
    const parts = new Map(
      formatIn(timeZone)
        .formatToParts(ms)
        .map(({ type, value }) => [type, value]),
    );
    const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
    return `${part('weekday')} ${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')} ${timeZone}`;
  } catch {
    return formatMomentIn(ms, 'UTC');
  }
};

/** Local time of day: `16:41:11.250`. */
export const formatClock = (ms: number): string => {
  const at = new Date(ms);
  return `${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}.${pad(at.getMilliseconds(), 3)}`;
};

/** The distance of the browser's time zone from UTC at a time: `UTC+1`. */
export const zoneOffset = (ms: number): string => {
  const minutes = -new Date(ms).getTimezoneOffset();
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${pad(rest)}`}`;
};

/** The time zone of the browser: `Europe/Zurich, UTC+1`, or `UTC`. */
export const zone = (ms: number = serviceNow()): string => {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return name === 'UTC' ? name : `${name}, ${zoneOffset(ms)}`;
};

// Converts between ms since the epoch and the wall time of an IANA time zone.

const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Cached formatters by lower-case zone name, because they are expensive to create. There are about 600 zones. */
const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  // Intl accepts names in any letter case, so without lower-casing a caller could fill the cache with spellings.
  const key = timeZone.toLowerCase();
  const cached = formats.get(key);
  if (cached !== undefined) return cached;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formats.set(key, made);
  return made;
};

/** True for the name of a time zone, like `Europe/Berlin` or `UTC`. Offsets like `+02:00` are not names. */
export const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
};

/** Wall time of a zone at a moment, represented as the ms since the epoch at which a UTC clock shows the same. */
export const wallTime = (time: number, timeZone: string): number => {
  if (timeZone === 'UTC') return time;
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return wall + (((time % SECOND) + SECOND) % SECOND);
};

/**
 * The moment at which the clocks of a zone show a wall time, or the first one if it occurs twice. A wall time that the
 * clock skips is shifted later by the length of the gap: 02:30 becomes 03:30.
 * @see RFC 5545 3.3.5
 */
export const momentOf = (wall: number, timeZone: string): number => {
  if (timeZone === 'UTC') return wall;
  const momentBy = (probe: number) => wall - (wallTime(probe, timeZone) - probe);
  // No zone changes its clock twice within two days, so only these two offsets are possible.
  const [before, after] = [momentBy(wall - DAY), momentBy(wall + DAY)];
  const moments = [before, after].filter((moment) => wallTime(moment, timeZone) === wall);
  return moments.length > 0 ? Math.min(...moments) : before;
};

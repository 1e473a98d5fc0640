// Wall time of an IANA time zone, from and to ms since the epoch.

const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Formatters are dear to make and cheap to keep; there are some 600 zones. */
const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
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
  formats.set(timeZone, made);
  return made;
};

/** Whether that is the name of a time zone here: `Europe/Berlin`, `UTC`. Offsets like `+02:00` are no names. */
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

/** Wall time of the zone at that moment, written as the ms since the epoch at which clocks in UTC show the same. */
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
 * The moment at which clocks of the zone show that wall time: the first of two when it comes twice. One that the clock
 * skips is taken as much later as the clock jumps: 02:30 is 03:30 then. @see RFC 5545 3.3.5
 */
export const momentOf = (wall: number, timeZone: string): number => {
  if (timeZone === 'UTC') return wall;
  const momentBy = (probe: number) => wall - (wallTime(probe, timeZone) - probe);
  // No zone changes its clock twice within two days, so no other offset can hold.
  const [before, after] = [momentBy(wall - DAY), momentBy(wall + DAY)];
  const moments = [before, after].filter((moment) => wallTime(moment, timeZone) === wall);
  return moments.length > 0 ? Math.min(...moments) : before;
};

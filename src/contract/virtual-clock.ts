// The virtual clock of an instance: what a start may ask for, why that is refused, and the header that shows the time.

/** Response header with the time of a virtual clock (RFC 3339). Absent: the service has the clock of its machine. */
export const VIRTUAL_CLOCK_HEADER = 'x-virtual-clock';

/** The clock that a start asks for: that of the machine, a virtual one, or a virtual one that begins at an instant (ms). */
export type ClockWish = 'machine' | 'virtual' | number;

/** The last instant that a virtual clock can show; the first one is 0, the beginning of 1970. */
export const LAST_INSTANT = Date.UTC(10_000, 0, 1) - 1;

export const formatInstant = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z');

/**
 * Undefined: the instance has this clock. It keeps the one that it was made with.
 * @param has the virtual clock of the instance; undefined: it has the clock of the machine
 */
export const otherClock = (
  has: { readonly from: number } | undefined,
  wish: ClockWish | undefined,
): string | undefined => {
  if (has === undefined) {
    if (wish === undefined || wish === 'machine') return undefined;
    return 'this instance was made with the clock of the machine and keeps it: only a new instance can have a virtual clock';
  }
  if (wish === 'machine') return 'this instance was made with a virtual clock and keeps it';
  if (typeof wish !== 'number' || wish === has.from) return undefined;
  return `the virtual clock of this instance began at ${formatInstant(has.from)}, not at ${formatInstant(wish)}: start it without an instant, then move its clock`;
};

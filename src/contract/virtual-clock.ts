// The virtual clock of an instance: the clock options of a start, why they are refused, and the response header with
// the time.

/** Response header with the time of a virtual clock (RFC 3339). Absent if the service uses the system clock. */
export const VIRTUAL_CLOCK_HEADER = 'x-virtual-clock';

/**
 * The clock that a start requests: the system clock, a virtual clock, or a virtual clock that begins at an instant
 * (ms).
 */
export type ClockWish = 'machine' | 'virtual' | number;

/** The latest instant that a virtual clock can show. The earliest is 0, the beginning of 1970. */
export const LAST_INSTANT = Date.UTC(10_000, 0, 1) - 1;

export const formatInstant = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z');

/**
 * Why the instance cannot have the requested clock. Undefined if it already has it. The clock is fixed when the
 * instance is created.
 * @param has the virtual clock of the instance; undefined if it uses the system clock
 */
export const otherClock = (
  has: { readonly from: number } | undefined,
  wish: ClockWish | undefined,
): string | undefined => {
  if (has === undefined) {
    if (wish === undefined || wish === 'machine') return undefined;
    return 'this instance was created with the system clock, which cannot be changed: only a new instance can have a virtual clock';
  }
  if (wish === 'machine') return 'this instance was created with a virtual clock, which cannot be changed';
  if (typeof wish !== 'number' || wish === has.from) return undefined;
  return `the virtual clock of this instance began at ${formatInstant(has.from)}, not at ${formatInstant(wish)}: start it without an instant, then move its clock`;
};

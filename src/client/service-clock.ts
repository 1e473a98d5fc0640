// The time of the service: the system time, unless the service has a virtual clock.

export interface ServiceClock {
  /** Milliseconds since the epoch, computed from the latest time that the service sent. */
  readonly now: () => number;
  /** Like `now`, but first asks a local daemon for its time if that is not known yet. Never rejects. */
  readonly ask: () => Promise<number>;
  /** Stores the time that the service sent: milliseconds, or the text of the response header. */
  readonly heard: (time: number | string | readonly string[] | undefined) => void;
}

/**
 * Returns the time left. Asks the service for its time only if less than `enough` (ms) seems to be left, which is
 * rare.
 */
export const timeLeft = async (
  time: number | null,
  enough: number,
  { now, ask }: Pick<ServiceClock, 'now' | 'ask'>,
): Promise<number> => {
  if (time === null) return Number.POSITIVE_INFINITY;
  const left = time - now();
  return left > enough ? left : time - (await ask());
};

/**
 * Creates the clock. It advances with the system clock, at a fixed offset from it.
 * @param learn asks the service for its time and passes it to `heard`. Called again only after a failure, and only
 * until the first time has arrived.
 */
export const createServiceClock = (machine: () => number, learn: () => Promise<unknown>): ServiceClock => {
  let distance: number | undefined;
  let learning: Promise<unknown> | undefined;
  const now = (): number => machine() + (distance ?? 0);
  const heard: ServiceClock['heard'] = (time) => {
    const at = typeof time === 'string' ? Date.parse(time) : time;
    if (typeof at === 'number' && !Number.isNaN(at)) distance = at - machine();
  };
  return {
    now,
    heard,
    ask: async () => {
      // If the service cannot be asked, its next response supplies the time.
      if (distance === undefined) {
        learning ??= learn().catch(() => {
          learning = undefined;
        });
      }
      await learning;
      return now();
    },
  };
};

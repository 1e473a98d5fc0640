// The port of time. The real one never runs backwards, whatever is done to the clock of the machine.

export interface Clock {
  /** Integer milliseconds since the epoch. */
  now(): number;
}

// Port of time. The clock never runs backwards, even when the clock of the machine is changed.

export interface Clock {
  /** Integer milliseconds since the epoch. */
  now(): number;
}

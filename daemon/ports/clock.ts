// Port of time. The clock never runs backwards, even if the machine's clock is changed.

export interface Clock {
  /** Integer milliseconds since the epoch. */
  now(): number;
}

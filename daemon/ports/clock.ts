// Port of time. The clock never runs backwards, even if the machine's clock is changed.

export interface Clock {
  /** Integer milliseconds since the epoch. */
  now(): number;
  /** The time of schedules, which goes back with the machine's clock. Absent if it is that of `now`. */
  due?(): number;
}

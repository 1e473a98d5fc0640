// Port of pruning: counts and deletes the executions and events that are older than an instant.

export interface Amount {
  readonly count: number;
  readonly bytes: number;
}

export interface Prunable {
  /** Number of executions, which are deleted with their logs and results. */
  readonly executions: Amount;
  readonly events: Amount;
  readonly deliveries: Amount;
}

/** @param before ms since the epoch, by the clock of the instance */
export interface Pruning {
  /** Counts what `prune` with the same instant deletes. Rejects when the signal fires. */
  count(before: number, signal: AbortSignal): Promise<Prunable>;
  /**
   * Deletes the executions that ended before the instant, with their logs, and earlier events and deliveries.
   * Executions that run or wait stay, and so do events with a pending delivery. Deletes in slices; if it rejects, some
   * are deleted, and a second call deletes the rest.
   * @throws Failure STORE_UNAVAILABLE, SHUTTING_DOWN; the reason of `signal`
   */
  prune(before: number, signal: AbortSignal): Promise<void>;
}

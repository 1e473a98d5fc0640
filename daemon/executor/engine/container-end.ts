// Decides whether the end of a container is the actor's own or was caused by the engine. Pure.

/**
 * The network container of the worker, which never ends on its own. Times in ms since the epoch, on the engine's clock.
 */
export interface NetworkState {
  readonly running: boolean;
  readonly startedAt: number;
  readonly finishedAt: number;
}

/**
 * What the state of the network container reveals about the engine at the end of a run:
 * - `kept`: it still runs, so the engine has ended no container
 * - `stopped later`: the engine ended it so much later that the run was over by then
 * - `stopped with it`: the engine may have ended both
 * - `gone`: the engine no longer has it, or there never was one
 */
export type NetworkEvidence = 'kept' | 'stopped later' | 'stopped with it' | 'gone';

/**
 * @param finishedAt the end of the run on the engine's clock
 * @param stopMs within this time an engine that stops ends its containers, in any order
 */
export const networkEvidence = (
  finishedAt: number,
  network: NetworkState | undefined,
  stopMs: number,
): NetworkEvidence => {
  if (network === undefined) return 'gone';
  const restarted = network.startedAt > finishedAt;
  if (network.running && !restarted) return 'kept';
  return !restarted && finishedAt + stopMs < network.finishedAt ? 'stopped later' : 'stopped with it';
};

export interface EndEvidence {
  readonly status: string;
  readonly exitCode: number;
  /** True if this instance stopped the run, or the run exceeded a limit. */
  readonly isOurs: boolean;
  /**
   * True if the engine sent the container a signal that this instance did not request: because the engine stopped, or
   * for another program.
   */
  readonly wasSignalled: boolean;
  /** True if the engine's events were received without a gap until it reported the end. */
  readonly wasWatched: boolean;
  readonly network: NetworkEvidence;
}

const BY_NETWORK: Readonly<Record<NetworkEvidence, string | undefined>> = {
  kept: undefined,
  'stopped later': undefined,
  'stopped with it': 'the container engine went down while the container ran',
  gone: 'the container engine was not watched when the container ended, and no longer has the network of its worker',
};

/**
 * Why the run did not end on its own. Undefined if its process ended on its own, was stopped by this instance, or
 * exceeded a limit.
 */
export const interruptionOf = (end: EndEvidence): string | undefined => {
  if (end.isOurs) return undefined;
  const why = end.wasSignalled
    ? 'the container engine stopped the container, because it went down or somebody asked it to'
    : !['exited', 'stopped'].includes(end.status)
      ? `the container engine reports the container status "${end.status}"`
      : end.wasWatched
        ? undefined
        : BY_NETWORK[end.network];
  return why && `${why} (the exit code was ${end.exitCode})`;
};

// Whether it is known how the process of a container ended. Pure.

/** The network container of the worker, which never ends by itself. Times in ms since the epoch, on the engine's clock. */
export interface NetworkState {
  readonly running: boolean;
  readonly startedAt: number;
  readonly finishedAt: number;
}

/**
 * What the network container says of the engine at the end of a run:
 * - `kept`: it runs on, so the engine has ended no container
 * - `stopped later`: the engine ended it so much later that the run was over by then
 * - `stopped with it`: the engine may have ended both
 * - `gone`: the engine does not have it any more, or there never was one
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
  /** This instance told the run to stop, or the run exceeded a limit. */
  readonly isOurs: boolean;
  /** The engine sent it a signal that this instance had not asked for: at its own stop, or for somebody else. */
  readonly wasSignalled: boolean;
  /** The events of the engine were received without a gap until it reported the end. */
  readonly wasWatched: boolean;
  readonly network: NetworkEvidence;
}

const BY_NETWORK: Readonly<Record<NetworkEvidence, string | undefined>> = {
  kept: undefined,
  'stopped later': undefined,
  'stopped with it': 'the container engine went down while the container ran',
  gone: 'the container engine was not watched when the container ended, and no longer has the network of its worker',
};

/** Why the end of a run is not its own; undefined if its process ended by itself, by a stop of ours, or by its limits. */
export const interruptionOf = (end: EndEvidence): string | undefined => {
  if (end.isOurs) return undefined;
  const why = end.wasSignalled
    ? 'the container engine stopped the container, because it went down or somebody asked it to'
    : !['exited', 'stopped'].includes(end.status)
      ? `the container engine calls the container "${end.status}"`
      : end.wasWatched
        ? undefined
        : BY_NETWORK[end.network];
  return why && `${why} (the exit code was ${end.exitCode})`;
};

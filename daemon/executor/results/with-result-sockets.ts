// Adds a result socket to every run of an executor, and stores the results of a run before the run is reported as
// settled.
import type { Executor, Running } from '../../ports/executor.ts';
import type { ResultSockets } from './sockets.ts';

/**
 * Wraps an executor: runs get `RunSpec.resultSocket` where a socket is possible. If the receiver is the reason
 * that it is not, `probe` reports so after the first preparation of an actor. No receiver is started before that.
 * @param options.openToAll true if runs have other users than the daemon, as containers do
 * @param options.obstacle why runs of this engine cannot reach a socket of this machine; undefined when they can
 */
export const withResultSockets = (
  executor: Executor,
  sockets: ResultSockets,
  options: { readonly openToAll: boolean; readonly obstacle?: () => Promise<string | undefined> },
): Executor => {
  const { openToAll, obstacle } = options;
  /** The execution of each run that has a socket, by ref. Undefined for a run without one. */
  const socketOwners = new Map<string, string | undefined>();

  let reason: string | undefined;

  /** Starts the receiver in advance, so that the first run does not wait for it. */
  const warmUp = async (): Promise<void> => {
    try {
      reason = (await obstacle?.()) === undefined ? await sockets.problem() : undefined;
    } catch {
      reason = undefined; // The engine became unavailable; the next preparation reports that.
    }
  };

  const open = async (executionId: string): Promise<string | undefined> =>
    obstacle !== undefined && (await obstacle()) !== undefined ? undefined : sockets.open(executionId, { openToAll });

  const reopen = async (ref: string): Promise<void> => {
    if (socketOwners.has(ref)) return;
    const executionId = (await executor.list()).find((found) => found.ref === ref)?.executionId;
    const isOpen = executionId !== undefined && (await open(executionId)) !== undefined;
    socketOwners.set(ref, isOpen ? executionId : undefined);
  };

  /** The same run, whose results are stored before it settles. */
  const drainedAtEnd = (ref: string, running: Running): Running => {
    const executionId = socketOwners.get(ref);
    if (executionId === undefined) return running;
    const drain = () => sockets.drain(executionId);
    return { ...running, settled: running.ended.then(drain, () => undefined) };
  };

  return {
    ...executor,

    async probe(signal) {
      const status = await executor.probe(signal);
      if (!status.available) return status;
      if (reason === undefined) return status;
      return { ...status, description: `${status.description}; results over HTTP only: ${reason}` };
    },

    async prepare(...input) {
      void warmUp();
      await executor.prepare(...input);
    },

    async create(spec, ...input) {
      const { executionId } = spec;
      const resultSocket = await open(executionId);
      const owner = resultSocket === undefined ? undefined : executionId;
      try {
        const ref = await executor.create(resultSocket === undefined ? spec : { ...spec, resultSocket }, ...input);
        socketOwners.set(ref, owner);
        return ref;
      } catch (error) {
        if (owner !== undefined) sockets.release(owner);
        throw error;
      }
    },

    async start(ref, ...input) {
      await reopen(ref);
      return drainedAtEnd(ref, await executor.start(ref, ...input));
    },

    async reattach(ref, ...input) {
      await reopen(ref);
      return drainedAtEnd(ref, await executor.reattach(ref, ...input));
    },

    async remove(ref) {
      await executor.remove(ref);
      const executionId = socketOwners.get(ref);
      socketOwners.delete(ref);
      if (executionId !== undefined) sockets.release(executionId);
    },
  };
};

// An executor whose runs have a result socket: whatever they send is handed over before their end is told.
import type { Executor, Running } from '../../ports/executor.ts';
import type { ResultSockets } from './sockets.ts';

/**
 * Dresses an executor. Runs get `RunSpec.resultSocket` where there can be one; where not, the description of the engine says why.
 * @param shared whether runs are of other users than the daemon, as those of containers are
 * @param obstacle why a socket of this machine cannot get into the runs of that engine; undefined when it can
 */
export const withResults = (
  executor: Executor,
  sockets: ResultSockets,
  shared: boolean,
  obstacle: () => Promise<string | undefined> = async () => undefined,
): Executor => {
  /** The runs that are known here: whose each is, or that it has no socket. */
  const owners = new Map<string, string | undefined>();

  const open = async (executionId: string): Promise<string | undefined> =>
    (await obstacle()) === undefined ? sockets.open(executionId, { shared }) : undefined;

  /** After a restart of the daemon nobody has opened the socket of that run. */
  const adopt = async (ref: string): Promise<void> => {
    if (owners.has(ref)) return;
    const executionId = (await executor.list()).find((found) => found.ref === ref)?.executionId;
    const isOpen = executionId !== undefined && (await open(executionId)) !== undefined;
    owners.set(ref, isOpen ? executionId : undefined);
  };

  const collecting = (ref: string, running: Running): Running => {
    const executionId = owners.get(ref);
    if (executionId === undefined) return running;
    const ended = running.ended.then(async (end) => {
      await sockets.drain(executionId);
      return end;
    });
    // An end that nobody waits for is no crash.
    void Promise.allSettled([ended]);
    return { ...running, ended };
  };

  return {
    ...executor,

    async probe(signal) {
      const status = await executor.probe(signal);
      if (!status.available) return status;
      const why = await obstacle().then(
        (found) => found ?? sockets.problem(),
        () => undefined, // the engine went away meanwhile: the next look says so
      );
      return why === undefined
        ? status
        : { ...status, description: `${status.description}; results over HTTP only: ${why}` };
    },

    async create(spec, signal) {
      const { executionId } = spec;
      const resultSocket = await open(executionId);
      const owner = resultSocket === undefined ? undefined : executionId;
      try {
        const ref = await executor.create(resultSocket === undefined ? spec : { ...spec, resultSocket }, signal);
        owners.set(ref, owner);
        return ref;
      } catch (error) {
        if (owner !== undefined) sockets.release(owner);
        throw error;
      }
    },

    async start(ref, sink) {
      await adopt(ref);
      return collecting(ref, await executor.start(ref, sink));
    },

    async reattach(ref, sink) {
      await adopt(ref);
      return collecting(ref, await executor.reattach(ref, sink));
    },

    async remove(ref) {
      await executor.remove(ref);
      const executionId = owners.get(ref);
      owners.delete(ref);
      if (executionId !== undefined) sockets.release(executionId);
    },
  };
};

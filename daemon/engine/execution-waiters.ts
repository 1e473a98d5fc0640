// Those who wait for an execution to be final, woken without polling.
import { isFinal } from '../domain/executions/execution-status.ts';
import type { ReadView } from '../ports/store.ts';
import { orAborted } from './background-tasks.ts';

export interface ExecutionWaiters {
  /** Resolves when the execution is final or gone; rejects when the signal fires. */
  wait(executionId: string, signal: AbortSignal): Promise<void>;
  /** The execution has become final. */
  settle(executionId: string): void;
  /** Something outside may have made executions of this actor final: a purge, a deletion. */
  recheck(actorId: string): void;
}

interface Waiting {
  readonly actorId: string;
  readonly resolvers: Set<() => void>;
}

export const createExecutionWaiters = (store: ReadView): ExecutionWaiters => {
  const waiting = new Map<string, Waiting>();

  const settle = (executionId: string): void => {
    const entry = waiting.get(executionId);
    waiting.delete(executionId);
    for (const resolve of entry?.resolvers ?? []) resolve();
  };

  return {
    settle,

    async wait(executionId, signal) {
      const execution = store.get('executions', executionId);
      if (execution === undefined || isFinal(execution.status)) return;
      const entry: Waiting = waiting.get(executionId) ?? { actorId: execution.actorId, resolvers: new Set() };
      waiting.set(executionId, entry);
      let mine: () => void = () => undefined;
      const done = new Promise<void>((resolve) => {
        mine = resolve;
        entry.resolvers.add(resolve);
      });
      await orAborted(done, signal).finally(() => {
        entry.resolvers.delete(mine);
        if (entry.resolvers.size === 0 && waiting.get(executionId) === entry) waiting.delete(executionId);
      });
    },

    recheck(actorId) {
      for (const [executionId, entry] of waiting) {
        if (entry.actorId !== actorId) continue;
        const execution = store.get('executions', executionId);
        if (execution === undefined || isFinal(execution.status)) settle(executionId);
      }
    },
  };
};

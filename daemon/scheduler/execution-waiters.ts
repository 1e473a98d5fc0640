// The callers that wait for an execution to be final, notified without polling.
import { isFinal } from '../domain/executions/execution-status.ts';
import type { ReadView } from '../ports/store.ts';
import { orAborted } from './background-tasks.ts';

export interface ExecutionWaiters {
  /** Resolves when the execution is final or no longer exists. Rejects when the signal fires. */
  wait(executionId: string, signal: AbortSignal): Promise<void>;
  settle(executionId: string): void;
}

export const createExecutionWaiters = (store: ReadView): ExecutionWaiters => {
  const waiting = new Map<string, Set<() => void>>();

  return {
    settle(executionId) {
      const resolvers = waiting.get(executionId);
      waiting.delete(executionId);
      for (const resolve of resolvers ?? []) resolve();
    },

    async wait(executionId, signal) {
      const execution = store.get('executions', executionId);
      if (execution === undefined || isFinal(execution.status)) return;
      const resolvers = waiting.get(executionId) ?? new Set();
      waiting.set(executionId, resolvers);
      let resolveThis: () => void = () => undefined;
      const done = new Promise<void>((resolve) => {
        resolveThis = resolve;
        resolvers.add(resolve);
      });
      await orAborted(done, signal).finally(() => {
        resolvers.delete(resolveThis);
        if (resolvers.size === 0 && waiting.get(executionId) === resolvers) waiting.delete(executionId);
      });
    },
  };
};

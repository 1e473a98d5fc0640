// The callers that wait for an execution to be final, notified without polling.
import { isFinal } from '../domain/executions/execution-status.ts';
import type { ReadView } from '../ports/store.ts';
import { orAborted } from './background-tasks.ts';

export type ExecutionWaiters = ReturnType<typeof createExecutionWaiters>;

export const createExecutionWaiters = (store: ReadView) => {
  const waiting = new Map<string, Set<() => void>>();

  return {
    settle(executionId: string): void {
      const resolvers = waiting.get(executionId);
      waiting.delete(executionId);
      for (const resolve of resolvers ?? []) resolve();
    },

    /** Resolves when the execution is final or no longer exists. Rejects when the signal fires. */
    async wait(executionId: string, signal: AbortSignal): Promise<void> {
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

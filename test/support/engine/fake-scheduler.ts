// A fake actor engine without executors: it records its calls, and the test plays the worker.
import { Failure } from '../../../daemon/domain/failure.ts';
import type { ExecutionRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { EngineNode } from '../../../daemon/ports/executor.ts';
import type { Scheduler } from '../../../daemon/ports/scheduler.ts';
import type { Store } from '../../../daemon/ports/store.ts';

export interface FakeScheduler extends Scheduler {
  /** The calls of the routes, in order: `actorChanged:<actorId>` and so on. */
  readonly calls: readonly string[];
  /** The nodes of its cluster; none at first. */
  readonly cluster: EngineNode[];
  /** Claims the message of an execution, as a worker would. */
  start(executionId: string, at: number): Promise<void>;
  /** Ends a running execution. */
  end(executionId: string, change: Partial<ExecutionRecord> & { readonly finishedAt: number }): Promise<void>;
}

const isFinal = (execution: ExecutionRecord | undefined): boolean =>
  execution === undefined || !['SUBMITTED', 'RUNNING'].includes(execution.status);

export const fakeScheduler = (store: Store): FakeScheduler => {
  const calls: string[] = [];
  const cluster: EngineNode[] = [];
  const waiting = new Map<() => void, string>();

  const recheck = (): void => {
    for (const [resolve, executionId] of waiting) if (isFinal(store.get('executions', executionId))) resolve();
  };
  store.watch('executions', recheck);

  const change = async (executionId: string, next: (execution: ExecutionRecord) => ExecutionRecord): Promise<void> => {
    await store.transact((tx) => {
      const execution = tx.get('executions', executionId);
      if (execution !== undefined) tx.put('executions', next(execution));
    });
  };

  const end: FakeScheduler['end'] = (executionId, fields) =>
    change(executionId, (execution) => ({
      ...execution,
      status: 'COMPLETE',
      reason: 'exited',
      exitCode: 0,
      ...fields,
    }));

  return {
    calls,
    cluster,
    end,

    async start(executionId, at) {
      await store.transact((tx) => tx.delete('messages', executionId));
      await change(executionId, (execution) => ({
        ...execution,
        status: 'RUNNING',
        workerId: 'W000000000001',
        runRef: `fake-${executionId}`,
        startedAt: at,
      }));
    },

    leastMemoryBytes: (image) => (image.startsWith('file:') ? 0 : 6 * 1024 * 1024),
    imageFault: async (image) => (image.startsWith('file:///missing') ? 'Cannot use the folder.' : undefined),
    actorChanged: (actorId) => void calls.push(`actorChanged:${actorId}`),
    scaled: (actorId, exact) => void calls.push(`scaled:${actorId}:${exact}`),
    dismissWorker: (actorId, workerId) => void calls.push(`dismissWorker:${actorId}:${workerId}`),

    standingOf: () => ({
      trouble: undefined,
      isEngineKnown: true,
      isStarting: false,
      running: 0,
      most: 1,
      isFull: false,
      ahead: 0,
    }),

    async halt(executionId) {
      calls.push(`halt:${executionId}`);
      if (store.get('executions', executionId)?.status !== 'RUNNING')
        throw new Failure('NOT_RUNNING', 'It does not run.');
      await change(executionId, (execution) => ({ ...execution, stopping: 'halted' }));
    },

    finished: (executionId, signal) =>
      new Promise((resolve, reject) => {
        const leave = () => {
          waiting.delete(done);
          signal.removeEventListener('abort', aborted);
        };
        const done = () => {
          leave();
          resolve();
        };
        const aborted = () => {
          leave();
          reject(signal.reason);
        };
        if (signal.aborted) return aborted();
        signal.addEventListener('abort', aborted, { once: true });
        waiting.set(done, executionId);
        recheck();
      }),

    async retire(actorId) {
      calls.push(`retire:${actorId}`);
      for (const { id, status, receivedAt } of store.by('executions', 'actor', actorId)) {
        if (status === 'RUNNING') await end(id, { reason: 'halted', exitCode: 143, finishedAt: receivedAt });
      }
    },

    nodes: async () => [...cluster],
    engines: async () => [],
    means: async () => undefined,
  };
};

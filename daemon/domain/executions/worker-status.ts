// The statuses of a worker and the transitions between them, from requested to shut down.
import type { WorkerRecord } from '../records/actor-records.ts';

export type WorkerStatus = WorkerRecord['status'];

/**
 * - `pull`: the engine looks for the worker's image and pulls it if it is missing
 * - `ready`: the worker can accept an execution
 * - `take`: the worker has accepted an execution
 * - `free`: the worker's execution is final
 * - `stop`: the worker stops as soon as it runs no execution
 */
export type WorkerStep = 'pull' | 'ready' | 'take' | 'free' | 'stop';

/**
 * Statuses that are not listed allow no transition: this service never sets them, though clients know them, or they are
 * final.
 */
const table: Readonly<Partial<Record<WorkerStatus, Partial<Readonly<Record<WorkerStep, WorkerStatus>>>>>> = {
  REQUESTED: { pull: 'PULLING IMAGE' },
  'PULLING IMAGE': { ready: 'READY' },
  READY: { take: 'BUSY', stop: 'SHUTDOWN_REQUESTED' },
  BUSY: { free: 'READY', stop: 'SHUTDOWN_REQUESTED' },
};

/** The status after a transition. Null if the current status does not allow it. @see docs/http-api.md#executions */
export const nextWorkerStatus = (status: WorkerStatus, step: WorkerStep): WorkerStatus | null =>
  table[status]?.[step] ?? null;

/** The worker after a transition. Null if its status does not allow it. */
export const stepWorker = (worker: WorkerRecord, step: WorkerStep): WorkerRecord | null => {
  const status = nextWorkerStatus(worker.status, step);
  return status === null ? null : { ...worker, status };
};

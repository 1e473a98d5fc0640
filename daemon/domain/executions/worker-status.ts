// The statuses of a worker and the steps between them, from requested to shut down.
import type { WorkerRecord } from '../records/actor-records.ts';

export type WorkerStatus = WorkerRecord['status'];

/**
 * - `pull`: the engine looks for the worker's image and pulls it if it is missing
 * - `ready`: the worker can take an execution
 * - `take`: the worker has taken an execution
 * - `free`: the worker's execution is final
 * - `stop`: the worker stops as soon as it runs no execution
 */
export type WorkerStep = 'pull' | 'ready' | 'take' | 'free' | 'stop';

/** A status that is not listed allows no step: clients know it, but this service never sets it, or it is the last one. */
const table: Readonly<Partial<Record<WorkerStatus, Partial<Readonly<Record<WorkerStep, WorkerStatus>>>>>> = {
  REQUESTED: { pull: 'PULLING IMAGE' },
  'PULLING IMAGE': { ready: 'READY' },
  READY: { take: 'BUSY', stop: 'SHUTDOWN_REQUESTED' },
  BUSY: { free: 'READY', stop: 'SHUTDOWN_REQUESTED' },
};

/** Null when the status does not allow the step. @see docs/http-api.md#executions */
export const nextWorkerStatus = (status: WorkerStatus, step: WorkerStep): WorkerStatus | null =>
  table[status]?.[step] ?? null;

/** Null when the status does not allow the step. */
export const stepWorker = (worker: WorkerRecord, step: WorkerStep): WorkerRecord | null => {
  const status = nextWorkerStatus(worker.status, step);
  return status === null ? null : { ...worker, status };
};

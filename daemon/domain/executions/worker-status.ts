// The status of a worker: allowed transitions as a table.
import type { WorkerRecord } from '../records/actor-records.ts';

export type WorkerStatus = WorkerRecord['status'];

/**
 * - `pull`: its image is being looked up or pulled
 * - `create`: its container is being created
 * - `ready`: it can take an execution
 * - `take`: it has taken an execution
 * - `free`: its execution is final
 * - `stop`: it ends as soon as it runs nothing
 * - `fail`: it could not be created
 */
export type WorkerStep = 'pull' | 'create' | 'ready' | 'take' | 'free' | 'stop' | 'fail';

const table: Readonly<Record<WorkerStatus, Partial<Readonly<Record<WorkerStep, WorkerStatus>>>>> = {
  REQUESTED: { pull: 'PULLING IMAGE', ready: 'READY', stop: 'SHUTDOWN_REQUESTED', fail: 'ERROR' },
  'PULLING IMAGE': { create: 'CREATING CONTAINER', ready: 'READY', stop: 'SHUTDOWN_REQUESTED', fail: 'ERROR' },
  'CREATING CONTAINER': { ready: 'READY', take: 'BUSY', stop: 'SHUTDOWN_REQUESTED', fail: 'ERROR' },
  READY: { take: 'BUSY', stop: 'SHUTDOWN_REQUESTED' },
  BUSY: { free: 'READY', stop: 'SHUTDOWN_REQUESTED' },
  SHUTDOWN_REQUESTED: {},
  ERROR: { stop: 'SHUTDOWN_REQUESTED' },
};

/** The status after a step; null when the status does not allow the step. @see facts 3.3 */
export const nextWorkerStatus = (status: WorkerStatus, step: WorkerStep): WorkerStatus | null =>
  table[status][step] ?? null;

/** The worker after a step; null when its status does not allow the step. */
export const stepWorker = (worker: WorkerRecord, step: WorkerStep): WorkerRecord | null => {
  const status = nextWorkerStatus(worker.status, step);
  return status === null ? null : { ...worker, status };
};

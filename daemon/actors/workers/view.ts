// Converts a worker record to its API representation.
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import type { ExecutionRecord, WorkerRecord } from '../../domain/records/actor-records.ts';

/** @see docs/protocol.md 22.1 */
export type WorkerView = ResultOf<Operations['workers.show']>;

/** @param run the running execution of the worker */
export const workerView = (
  { createdAt, lastExecutionAt, ...worker }: WorkerRecord,
  run?: Pick<ExecutionRecord, 'id'>,
): WorkerView => ({
  id: worker.id,
  actorId: worker.actorId,
  tenant: worker.tenant,
  status: worker.status,
  image: worker.image,
  ...(run && { executionId: run.id }),
  createTime: toWireTime(createdAt),
  ...(lastExecutionAt !== undefined && { lastExecutionTime: toWireTime(lastExecutionAt) }),
});

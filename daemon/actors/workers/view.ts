// Converts a worker record to its API representation.
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import type { WorkerRecord } from '../../domain/records/actor-records.ts';
import type { ReadView } from '../../ports/store.ts';

/** @see docs/http-api.md#executions */
export type WorkerView = ResultOf<Operations['workers.show']>;

const runOf = (view: ReadView, workerId: string): string | undefined =>
  view.by('executions', 'running', 'yes').find((execution) => execution.workerId === workerId)?.id;

export const workerView = (view: ReadView, { createdAt, lastExecutionAt, ...worker }: WorkerRecord): WorkerView => {
  const executionId = runOf(view, worker.id);
  return {
    id: worker.id,
    actorId: worker.actorId,
    tenant: worker.tenant,
    status: worker.status,
    image: worker.image,
    ...(executionId !== undefined && { executionId }),
    createTime: toWireTime(createdAt),
    ...(lastExecutionAt !== undefined && { lastExecutionTime: toWireTime(lastExecutionAt) }),
  };
};

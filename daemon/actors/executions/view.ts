// Converts execution records to their API representation: single executions and the sums of an actor.
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import { type Figures, runtimeMs, wholeSeconds } from '../../domain/executions/execution-totals.ts';
import { messageTypes } from '../../domain/executions/message.ts';
import type { ActorRecord, Cause, ExecutionRecord } from '../../domain/records/actor-records.ts';
import type { JsonList } from '../../http/response/json-text.ts';
import type { Sendable } from '../../http/route-handler.ts';
import type { Addresses } from '../addresses.ts';

/** @see docs/http-api.md#executions */
export type ExecutionView = ResultOf<Operations['executions.show']>;
/** @see docs/http-api.md#executions */
type ExecutionsSummary = ResultOf<Operations['executions.list']>;
type ExecutionRow = ExecutionsSummary['executions'][number];

/** The final state from the engine, with its two nanosecond times converted to the API's time format. */
const finalStateView = (state: NonNullable<ExecutionRecord['finalState']>): Record<string, unknown> => {
  const shown = { ...state };
  for (const name of ['StartedAt', 'FinishedAt']) {
    const ms = Date.parse(String(state[name]));
    if (!Number.isNaN(ms)) shown[name] = toWireTime(ms);
  }
  return shown;
};

const causeView = ({ event, eventOf: _, scheduledAt, ...others }: Cause): NonNullable<ExecutionView['causedBy']> => ({
  ...(event !== undefined && { event: String(event) }),
  ...others,
  ...(scheduledAt !== undefined && { scheduledTime: toWireTime(scheduledAt) }),
});

const triggerOf = ({ deliveryId, event, scheduledAt, nonceId, executionId }: Cause): ExecutionView['trigger'] => {
  if (deliveryId !== undefined) return 'webhook';
  if (event !== undefined) return 'link';
  if (scheduledAt !== undefined) return 'cron';
  if (nonceId !== undefined) return 'nonce';
  return executionId === undefined ? 'message' : 'execution';
};

/**
 * The message of an execution and the names of its variables. Values are left out, because they may be secrets of the
 * sender.
 */
export const messageView = ({ message }: ExecutionRecord): Pick<ExecutionView, 'message' | 'variables'> =>
  message === undefined
    ? {}
    : {
        message: { type: messageTypes[message.contentType], text: message.text },
        variables: Object.keys(message.variables),
      };

/** The run time of an execution. For a running execution it is counted until `now`. */
export const executionView = (execution: ExecutionRecord, addresses: Addresses, now: number): ExecutionView => {
  const {
    id,
    actorId,
    executor,
    status,
    reason,
    statusMessage,
    workerId,
    node,
    exitCode,
    lastStderr,
    rerunOf,
    finalState,
    cpuNs,
    ioBytes,
    warnings,
  } = execution;
  const ran = runtimeMs(execution, now);
  return {
    id,
    actorId,
    executor,
    apiServer: addresses.api(),
    status,
    ...(reason !== undefined && { reason }),
    ...(statusMessage !== undefined && { statusMessage }),
    ...(warnings !== undefined && { warnings: [...warnings] }),
    ...(execution.cause !== undefined && { causedBy: causeView(execution.cause) }),
    ...(rerunOf !== undefined && { rerunOf }),
    trigger: triggerOf(execution.cause ?? {}),
    messageReceivedTime: toWireTime(execution.receivedAt),
    ...(execution.startedAt !== undefined && { startTime: toWireTime(execution.startedAt) }),
    ...(execution.finishedAt !== undefined && { finishTime: toWireTime(execution.finishedAt) }),
    ...(workerId !== undefined && { workerId }),
    ...(node !== undefined && { node }),
    ...(exitCode !== undefined && { exitCode }),
    ...(lastStderr !== undefined && { lastStderr }),
    ...(finalState !== undefined && { finalState: finalStateView(finalState) }),
    ...(cpuNs !== undefined && { cpu: cpuNs }),
    ...(ioBytes !== undefined && { io: ioBytes }),
    runtime: wholeSeconds(ran),
    runtimeMs: ran,
    _links: {
      self: addresses.execution(actorId, id),
      owner: addresses.profile(executor),
      logs: addresses.logs(actorId, id),
    },
  };
};

const timeOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : toWireTime(ms));

export const executionRow = (execution: ExecutionRecord): ExecutionRow => {
  const { id, status, exitCode, reason, receivedAt, startedAt, finishedAt } = execution;
  return {
    id,
    status,
    ...(exitCode !== undefined && { exitCode }),
    ...(reason !== undefined && { reason }),
    messageReceivedTime: timeOrNull(receivedAt),
    startTime: timeOrNull(startedAt),
    finishTime: timeOrNull(finishedAt),
  };
};

/** Only the sum of the run times is rounded, so that short runs count. */
export const executionsSummary = (
  actor: ActorRecord,
  executions: JsonList<ExecutionRow>,
  totals: Figures,
  addresses: Addresses,
): Sendable<ExecutionsSummary> => ({
  actorId: actor.id,
  apiServer: addresses.api(),
  owner: actor.owner,
  executions,
  totalExecutions: totals.executions,
  totalCpu: totals.cpu,
  totalIo: totals.io,
  totalRuntime: wholeSeconds(totals.runtimeMs),
  _links: { self: addresses.executions(actor.id), owner: addresses.profile(actor.owner) },
});

// What `run` says of an execution that has ended: a line for people, an object for scripts.
import type { CommandContext } from '../../context.ts';
import { between, type Execution } from '../kernel/views.ts';
import type { MessageType } from './message-input.ts';
import { hasFailed, wordFigures, wordOutcome } from './wait-for-outcome.ts';

/** How many lines of its log a failed execution shows that were not shown before. @see cli.md R16 */
export const LOG_TAIL = 20;

/** The last lines of a text, with a line end. */
export const lastLines = (text: string, count: number): string => {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.length === 0 ? '' : `${lines.slice(-count).join('\n')}\n`;
};

/** Says how it ended; after a failure also where to look. */
export const reportRun = ({ output }: Pick<CommandContext, 'output'>, execution: Execution): void => {
  output.note([execution.id, wordOutcome(execution), wordFigures(execution)].filter((part) => part !== '').join('  '));
  if (hasFailed(execution)) output.next(`actorctl logs ${execution.actorId}/${execution.id}`);
};

/**
 * The object for scripts; keys without a value are left out.
 * @param logs the whole log, if it was asked for and not shown already
 * @see cli.md 4.5
 */
export const runValue = (
  execution: Execution,
  type: MessageType,
  logs: string | undefined,
): Readonly<Record<string, unknown>> => {
  const { id, actorId, status, exitCode, reason, statusMessage, startTime, finishTime, runtimeMs } = execution;
  const queued = between(execution.messageReceivedTime, startTime);
  return {
    execution_id: id,
    actor_id: actorId,
    status,
    ...(exitCode !== undefined && { exit_code: exitCode }),
    ...(reason !== undefined && { reason }),
    ...(statusMessage !== undefined && { status_message: statusMessage }),
    ...(startTime !== undefined && { start_time: startTime }),
    ...(finishTime !== undefined && { end_time: finishTime }),
    ...(runtimeMs !== undefined && { runtime_ms: runtimeMs }),
    ...(queued !== undefined && { queued_ms: queued }),
    message_type: type,
    ...(logs !== undefined && { logs }),
  };
};

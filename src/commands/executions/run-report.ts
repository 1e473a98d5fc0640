// Reports an ended execution of `run`: a line for people, an object for scripts.
import type { CommandContext } from '../../context.ts';
import { between, type Execution } from '../framework/views.ts';
import type { MessageType, Sent } from './message-input.ts';
import { formatFigures, formatOutcome, hasFailed } from './wait-for-outcome.ts';

/** Lines of its log that a failed execution shows with `--no-logs`. @see docs/cli.md 10.2 */
export const LOG_TAIL = 20;

export const lastLines = (text: string, count: number): string => {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.length === 0 ? '' : `${lines.slice(-count).join('\n')}\n`;
};

/** Prints the outcome and, after a failure, the command that shows the log. */
export const reportRun = ({ output }: Pick<CommandContext, 'output'>, execution: Execution): void => {
  output.note(
    [execution.id, formatOutcome(execution), formatFigures(execution)].filter((part) => part !== '').join('  '),
  );
  if (hasFailed(execution)) output.next(`actorctl logs ${execution.actorId}/${execution.id}`);
};

/** The fields of the object for scripts. `results` only if results are asked for. */
export const runFields: readonly string[] = [
  ...['execution_id', 'actor_id', 'status', 'exit_code', 'reason', 'status_message', 'start_time', 'end_time'],
  ...['runtime_ms', 'queued_ms', 'message_type', 'ignored_variables', 'logs', 'results'],
];

/**
 * Builds the object for scripts. Keys without a value are left out.
 * @param shown `logs` is the whole log, if it was asked for and not shown already; `sent` is the answer to the message
 * @see docs/cli.md 3.4
 */
export const runValue = (
  execution: Execution,
  type: MessageType,
  { logs, sent }: { readonly logs: string | undefined; readonly sent: Pick<Sent, 'ignored_variables'> },
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
    ...(sent.ignored_variables && { ignored_variables: sent.ignored_variables }),
    ...(logs !== undefined && { logs }),
  };
};

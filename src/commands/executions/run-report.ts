// What `run` prints about an execution: its outcome, and the object for scripts.
import type { CommandContext } from '../../context.ts';
import { between, type Execution } from '../framework/views.ts';
import type { MessageType, Sent } from './message-input.ts';
import { formatFigures, formatOutcome, hasFailed } from './wait-for-outcome.ts';

export const lastLines = (text: string, count: number): string => {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.length === 0 ? '' : `${lines.slice(-count).join('\n')}\n`;
};

/** Prints the outcome and, after a failure, the commands that say more. */
export const reportRun = (
  { output, address }: Pick<CommandContext, 'output' | 'address'>,
  execution: Execution,
): void => {
  output.note(
    [execution.id, formatOutcome(execution), formatFigures(execution)].filter((part) => part !== '').join('  '),
  );
  if (!hasFailed(execution)) return;
  // Only the daemon of this machine opens shells.
  const shell = typeof address === 'string' ? '' : `, or actorctl executions shell ${execution.id}`;
  output.next(`actorctl logs ${execution.actorId}/${execution.id}${shell}`);
};

/**
 * The fields of the object for scripts. `results` is present only if results are requested, and the last three only
 * with `--settle`.
 */
export const runFields: readonly string[] = [
  ...['execution_id', 'actor_id', 'status', 'exit_code', 'reason', 'status_message', 'start_time', 'end_time'],
  ...['runtime_ms', 'queued_ms', 'message_type', 'ignored_variables', 'logs', 'results'],
  ...['total', 'failures', 'effects'],
];

/**
 * Builds the object for scripts. Keys without a value are left out.
 * @param shown `logs` is the whole log, if it was requested and not already shown; `sent` is the response to the
 * message
 * @see docs/cli.md#the-result-of-run
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

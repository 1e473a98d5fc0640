// Shows new executions of an actor one after another, each with its log and outcome.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { readLog } from '../executions/logs/log-reader.ts';
import { writeLog } from '../executions/logs/log-writer.ts';
import { formatFigures, formatOutcome, isFinal, waitUntil } from '../executions/wait-for-outcome.ts';

/** Time between two checks for new executions, in milliseconds. */
const POLL_MS = 400;

const showExecution = async (
  context: CommandContext,
  actorId: string,
  executionId: string,
  signal: AbortSignal,
): Promise<void> => {
  const { call, output } = context;
  const params = { actorId, executionId };
  output.note(`${executionId}  started`);
  const pieces = readLog(context, { ...params, follow: true, until: signal });
  await writeLog(context, pieces, {
    timestamps: false,
    stdout: true,
    stderr: true,
    executionId,
    mark: { type: 'log' },
  });
  if (signal.aborted) return;
  const { state } = await waitUntil(
    { ...context, signal },
    { read: () => call('executions.show', { params }), settled: isFinal, until: context.now() + 10_000 },
  );
  const { status, exitCode, reason } = state;
  const figures = [executionId, formatOutcome(state), formatFigures(state)].filter((part) => part !== '').join('  ');
  if (output.machine) {
    await output.event('', {
      type: 'execution',
      execution_id: executionId,
      status,
      ...(exitCode !== undefined && { exit_code: exitCode }),
      ...(reason !== undefined && { reason }),
    });
  } else output.note(figures);
};

export const tailExecutions = async (context: CommandContext, actorId: string, signal: AbortSignal): Promise<void> => {
  const seen = new Set<string>();
  const quiet: CommandContext = { ...context, signal, call: context.retryingCall({ signal }) };
  try {
    while (!signal.aborted) {
      const { executions } = await quiet.call('executions.list', { params: { actorId } });
      // Executions start in order. If an execution has not started, it has no log yet, and later executions have not
      // started either.
      for (const { id, startTime, status } of executions) {
        if (seen.has(id) || (startTime === null && status === 'SUBMITTED')) continue;
        seen.add(id);
        await showExecution(quiet, actorId, id, signal);
      }
      await context.sleep(POLL_MS);
    }
  } catch (error) {
    const over = signal.aborted || (error instanceof CliFailure && error.code === 'CANCELLED');
    if (!over) throw error;
  }
};

// One log of all actors of a project: each line begins with the name of its actor, in its colour.
import type { CommandContext } from '../../context.ts';
import { followActors } from '../executions/log-follow.ts';
import { readLog } from '../executions/log-reader.ts';
import { writeLog } from '../executions/log-writer.ts';
import { formatFigures, formatOutcome, isFinal, waitUntil } from '../executions/wait-for-outcome.ts';
import type { Actor } from '../framework/views.ts';

const colors = ['cyan', 'yellow', 'green', 'bold'] as const;
/** Longest wait for the outcome of an execution whose log has ended, in milliseconds. */
const OUTCOME_MS = 10_000;

/** Shows the logs and outcomes of all executions of the actors until the signal of the context. */
export const followProject = (context: CommandContext, actors: ReadonlyMap<string, Actor>): Promise<void> => {
  const keys = new Map([...actors].map(([key, { id }]) => [id, key]));
  const width = Math.max(0, ...[...actors.keys()].map((key) => key.length));
  const order = [...keys.keys()];
  return followActors(context, [...actors.values()], async ({ id: actorId }, executionId, within) => {
    const actor = keys.get(actorId) ?? actorId;
    const prefix = `${actor.padEnd(width)} | `;
    const color = colors[order.indexOf(actorId) % colors.length] ?? 'cyan';
    const params = { actorId, executionId };
    await writeLog(within, readLog(within, { ...params, follow: true }), {
      timestamps: false,
      stdout: true,
      stderr: true,
      prefix,
      color,
      executionId,
      mark: { type: 'log', actor },
    });
    const { state } = await waitUntil(within, {
      read: () => within.call('executions.show', { params }),
      settled: isFinal,
      timeoutMs: OUTCOME_MS,
    });
    const { status, exitCode, reason } = state;
    if (!within.output.machine)
      return within.output.note(
        prefix + [executionId, formatOutcome(state), formatFigures(state)].filter((part) => part !== '').join('  '),
      );
    await within.output.event('', {
      type: 'execution',
      actor,
      execution_id: executionId,
      status,
      ...(exitCode !== undefined && { exit_code: exitCode }),
      ...(reason !== undefined && { reason }),
    });
  });
};

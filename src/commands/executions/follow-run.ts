// Follows a new execution until it ends.
import type { CommandContext } from '../../context.ts';
import { formatStatus } from '../../contract/outcome.ts';
import type { Receiver } from '../framework/resolve-actor.ts';
import type { Execution } from '../framework/views.ts';
import { readLog } from './logs/log-reader.ts';
import { writeLog } from './logs/log-writer.ts';
import { actorInError, createWaitNotes, gaveUp, isFinal, type TimeLimit, waitUntil } from './wait-for-outcome.ts';

interface Attention {
  /** Aborts when the log has ended, which means that the execution has ended. */
  readonly hurry?: AbortSignal;
  readonly check?: () => void;
}

/**
 * Prints what holds up the execution. @throws CliFailure WAIT_TIMEOUT, ACTOR_ERROR if the actor cannot
 * run it
 */
export const waitForEnd = async (
  context: CommandContext,
  params: { readonly actorId: string; readonly executionId: string },
  { timeoutMs, until }: TimeLimit,
  { hurry, check }: Attention = {},
): Promise<Execution> => {
  const { call } = context;
  const { actorId, executionId } = params;
  const tell = createWaitNotes(context);
  const { state, settled } = await waitUntil(context, {
    read: async () => {
      check?.();
      const execution = await call('executions.show', { params });
      if (execution.status === 'SUBMITTED') {
        const actor = await call('actors.show', { params });
        if (actor.status === 'ERROR') throw actorInError(actor);
      }
      tell(execution);
      return execution;
    },
    settled: isFinal,
    until,
    ...(hurry && { hurry }),
  });
  if (settled) return state;
  throw gaveUp(
    `${executionId} is still ${formatStatus(state)}`,
    timeoutMs,
    `actorctl executions wait ${actorId}/${executionId}`,
    {
      execution_id: executionId,
      actor_id: actorId,
      status: state.status,
    },
  );
};

/** Shows the log until the execution ends or the wait fails. */
export const follow = async (
  context: CommandContext,
  actor: Receiver,
  executionId: string,
  limit: TimeLimit,
): Promise<Execution> => {
  context.output.watchReader();
  const over = new AbortController();
  const ended = new AbortController();
  let trouble: unknown;
  const params = { actorId: actor.id, executionId };
  const log = writeLog(context, readLog(context, { ...params, follow: true, until: over.signal }), {
    timestamps: false,
    stdout: true,
    stderr: true,
    executionId,
    mark: { type: 'log' },
  })
    .catch((error: unknown) => {
      trouble = error;
    })
    .finally(() => ended.abort());
  try {
    const execution = await waitForEnd(context, params, limit, {
      hurry: ended.signal,
      check: () => {
        if (trouble !== undefined) throw trouble;
      },
    });
    await log;
    if (trouble !== undefined) throw trouble;
    return execution;
  } finally {
    over.abort();
  }
};

// Waits until executions and all their effects have ended. @see docs/http-api.md#settled
import type { CommandContext } from '../../context.ts';
import { failureCodes } from '../../contract/failure-codes.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { formatStatus } from '../../contract/outcome.ts';
import { plural } from '../../ui/text.ts';
import { shownUrl } from '../events/link-graph.ts';
import { createNames } from '../framework/actor-names.ts';
import { actorInError, formatOutcome, gaveUp, type Outcome, type TimeLimit } from './wait-for-outcome.ts';

export type Settlement = ResultOf<Operations['executions.settle']>;
type Effect = Settlement['effects'][number];

/** What is awaited: an execution with its effects, or everything that was sent so far. */
type Awaited = { readonly actorId: string; readonly executionId: string } | { readonly after: string };

/** Longest time in seconds that one request waits. */
const REQUEST_SECONDS = 60;
/** Time in milliseconds that a response may take beyond that. */
const RESPONSE_MS = 30_000;

const failedEffect = async (effect: Effect, nameOf: (actorId: string) => Promise<string>): Promise<string> => {
  const { kind, id, actorId, status, url = '', error, linkProblem } = effect;
  const actor = await nameOf(actorId);
  if (kind === 'delivery')
    return `delivery ${id} of ${actor} to ${shownUrl(url)}  ${formatStatus({ status })}  ${error ?? ''}`.trimEnd();
  const problem = linkProblem === undefined ? '' : `  link failed: ${linkProblem}`;
  return `execution ${id} of ${actor}  ${formatOutcome(effect as Outcome)}${problem}`;
};

/**
 * Returns the cursor of the present. A wait from it counts whatever fails from now on, even if that ends between two
 * requests.
 */
export const settleFrom = async ({ call }: Pick<CommandContext, 'call'>): Promise<{ readonly after: string }> => ({
  after: (await call('executions.settleAll', { query: { timeout: 0 } })).next,
});

/**
 * Waits until everything has ended, even across a restart of the daemon.
 * @throws CliFailure WAIT_TIMEOUT, with the tree and its failures; ACTOR_ERROR if only messages of actors in ERROR are
 * left
 */
export const waitUntilSettled = async (
  context: CommandContext,
  awaited: Awaited,
  { timeoutMs, until }: TimeLimit,
): Promise<Settlement> => {
  const call = context.retryingCall({ until });
  for (;;) {
    const seconds = Math.min(REQUEST_SECONDS, Math.max(0, Math.ceil((until - context.now()) / 1_000)));
    const timing = { timeoutMs: seconds * 1_000 + RESPONSE_MS };
    const settlement =
      'executionId' in awaited
        ? await call('executions.settle', { params: awaited, query: { timeout: seconds }, ...timing })
        : await call('executions.settleAll', { query: { ...awaited, timeout: seconds }, ...timing });
    if (settlement.settled) return settlement;
    if (settlement.blocked) {
      const waiting = settlement.effects.find(({ kind, status }) => kind === 'execution' && status === 'SUBMITTED');
      const actorId = waiting?.actorId ?? '';
      throw actorInError(await call('actors.show', { params: { actorId } }));
    }
    if (context.now() < until) continue;
    const { unfinished, failures, effects } = settlement;
    const target = 'executionId' in awaited ? `${awaited.actorId}/${awaited.executionId} ` : '';
    throw gaveUp(
      `${plural(unfinished, 'execution or delivery', 'executions or deliveries')} of ${settlement.total} still not ended`,
      timeoutMs,
      `actorctl executions wait ${target}--settle`,
      { unfinished, failures, effects },
    );
  }
};

/** The exit code of a settlement: 11 if anything failed. */
export const exitCodeOfSettlement = ({ failures }: Pick<Settlement, 'failures'>): number =>
  failures.length > 0 ? failureCodes.EXECUTION_FAILED.exit : 0;

/** The outcome as lines: one for each failure, then the totals. */
export const settlementLines = async (
  context: CommandContext,
  { total, failures }: Settlement,
): Promise<readonly string[]> => {
  const nameOf = createNames(context);
  const lines: string[] = [];
  for (const failure of failures) lines.push(`failed: ${await failedEffect(failure, nameOf)}`);
  const failed = failures.length === 0 ? '' : `, ${failures.length} failed`;
  return [...lines, `settled: ${plural(total, 'execution and delivery', 'executions and deliveries')}${failed}`];
};

export const settlementValue = ({ total, failures, effects }: Settlement) => ({ total, failures, effects });

// Causes and effects of an execution, read step by step: message, execution, event, link or webhook, execution.

import type { Outcome } from '../../../../../src/contract/outcome.ts';
import { ask } from '../../api/call.ts';
import { ApiFailure, isPassing } from '../../api/failure.ts';
import type { Answer } from '../../api/routes.ts';

export type Execution = Answer<'GET /actors/v2/executions/:executionId'>;

export interface Node {
  readonly kind: 'message' | 'execution' | 'event' | 'delivery' | 'gone';
  readonly id: string;
  readonly text: string;
  readonly actorId?: string;
  readonly outcome?: Outcome;
  readonly here?: true;
  readonly ledTo: readonly Node[];
}

/** Maximum number of executions in a tree, more than a person can follow. */
const MOST = 100;
/** An event is stored together with the end of its execution. */
const BEFORE_MS = 2_000;
const BEHIND_MS = 10_000;

/**
 * Sends a request and returns its response. Undefined if the service refuses the request.
 * @throws ApiFailure if the same request may succeed later
 */
const unlessRefused = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (!(error instanceof ApiFailure) || isPassing(error.status)) throw error;
    return undefined;
  });

const find = (executionId: string, signal: AbortSignal): Promise<Execution | undefined> =>
  unlessRefused(ask('GET /actors/v2/executions/:executionId', { params: { executionId }, signal }));

const causedBy = async (
  condition: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly Execution[]> => {
  const query = { ...condition, limit: MOST };
  const answer = await unlessRefused(
    ask('GET /actors/v2/search/:type', { params: { type: 'executions' }, query, signal }),
  );
  return (answer?.search ?? []) as unknown as readonly Execution[];
};

/** True if every execution of the tree has ended, so that few changes can follow. */
export const isSettled = ({ outcome, ledTo }: Node): boolean =>
  outcome?.status !== 'SUBMITTED' && outcome?.status !== 'RUNNING' && ledTo.every(isSettled);

export const mentions = ({ kind, id, ledTo }: Node, executionId: string): boolean =>
  (kind === 'execution' && id === executionId) || ledTo.some((next) => mentions(next, executionId));

const nodeOf = (execution: Execution, ledTo: readonly Node[], text: string): Node => ({
  kind: 'execution',
  id: execution.id,
  actorId: execution.actorId,
  outcome: execution,
  text,
  ledTo,
});

const effects = async (execution: Execution, seen: Set<string>, signal: AbortSignal): Promise<readonly Node[]> => {
  if (seen.has(execution.id) || seen.size >= MOST) return [];
  seen.add(execution.id);
  const nodes: Node[] = [];
  for (const next of await causedBy({ 'causedBy.executionId': execution.id }, signal))
    nodes.push(nodeOf(next, await effects(next, seen, signal), 'sent a message'));
  if (!execution.finishTime) return nodes;
  const end = Date.parse(execution.finishTime);
  const page = await unlessRefused(
    ask('GET /actors/v2/events', {
      query: {
        actorId: execution.actorId,
        since: new Date(end - BEFORE_MS).toISOString(),
        until: new Date(end + BEHIND_MS).toISOString(),
      },
      signal,
    }),
  );
  for (const event of page?.events.filter(({ execution_id }) => execution_id === execution.id) ?? []) {
    const led: Node[] = [];
    for (const next of await causedBy({ 'causedBy.event': event.id }, signal))
      led.push(
        nodeOf(
          next,
          await effects(next, seen, signal),
          next.causedBy?.deliveryId == null ? 'along the link' : 'by webhook',
        ),
      );
    if (event.deliveries.webhook !== null)
      led.unshift({ kind: 'delivery', id: event.deliveries.webhook, text: 'webhook', ledTo: [] });
    nodes.push({ kind: 'event', id: event.id, text: event.event_type, actorId: event.actor_id, ledTo: led });
  }
  return nodes;
};

const causes = async (execution: Execution, below: Node, seen: Set<string>, signal: AbortSignal): Promise<Node> => {
  const message = (): Node => ({
    kind: 'message',
    id: execution.id,
    text: `message from ${execution.executor}${execution.trigger === 'message' ? '' : `, by ${execution.trigger}`}`,
    ledTo: [below],
  });
  const cause = execution.causedBy;
  if (cause == null || seen.has(execution.id)) return message();
  seen.add(execution.id);
  let here = below;
  let earlierId = cause.executionId;
  if (cause.event != null) {
    const event = await unlessRefused(
      ask('GET /actors/v2/events/:eventNumber', { params: { eventNumber: cause.event }, signal }),
    );
    here = { kind: event ? 'event' : 'gone', id: cause.event, text: event?.event_type ?? 'event', ledTo: [below] };
    earlierId = event?.execution_id;
  }
  if (earlierId == null) return cause.event == null ? message() : here;
  const earlier = await find(earlierId, signal);
  if (earlier === undefined) return { kind: 'gone', id: earlierId, text: 'execution', ledTo: [here] };
  return causes(earlier, nodeOf(earlier, [here], ''), seen, signal);
};

/** The tree around an execution, from its first cause to its last effects. Undefined if there is no such execution. */
export const readWhy = async (executionId: string, signal: AbortSignal): Promise<Node | undefined> => {
  const execution = await find(executionId, signal);
  if (execution === undefined) return undefined;
  const here: Node = { ...nodeOf(execution, await effects(execution, new Set(), signal), ''), here: true };
  return causes(execution, here, new Set(), signal);
};

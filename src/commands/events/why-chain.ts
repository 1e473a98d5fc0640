// Finds the causes and effects of an execution: message → execution → event → link or webhook → execution.

import type { CommandContext } from '../../context.ts';
import type { EventView } from '../../contract/actors/events.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { ifReadable } from '../framework/if-found.ts';
import { type Conditions, searchRows } from '../framework/search-rows.ts';
import type { Execution } from '../framework/views.ts';
import { storedEvents } from './event-source.ts';

type Delivery = ResultOf<Operations['deliveries.redeliver']>;

export type Link =
  | { readonly kind: 'message'; readonly from: string; readonly at: string; readonly ledTo: readonly Link[] }
  | {
      readonly kind: 'execution';
      readonly execution: Execution;
      /** The event or execution that sent the message; absent if a person or the schedule sent it. */
      readonly by?: 'link' | 'webhook' | 'execution';
      /** True for the execution named on the command line. */
      readonly asked?: true;
      readonly ledTo: readonly Link[];
    }
  | { readonly kind: 'event'; readonly event: EventView; readonly ledTo: readonly Link[] }
  | { readonly kind: 'delivery'; readonly delivery: Delivery; readonly ledTo: readonly Link[] }
  /** An event or execution that is deleted or not readable. */
  | {
      readonly kind: 'gone';
      readonly what: 'event' | 'execution';
      readonly id: string;
      readonly ledTo: readonly Link[];
    };

type Asker = Pick<CommandContext, 'call' | 'output'>;

/** Largest number of executions of a chain that are read. It is more than a person can follow. */
const MOST = 500;
/**
 * Largest difference, in milliseconds, between the time of an event and the end of its execution, which are stored
 * together.
 */
const BEFORE_MS = 2_000;
const BEHIND_MS = 10_000;
const DELIVERIES = 1_000;

const showExecution = ({ call }: Asker, actorId: string, executionId: string): Promise<Execution | undefined> =>
  ifReadable(call('executions.show', { params: { actorId, executionId } }));

/** Lists the executions that meet the conditions, oldest first. */
const findExecutions = async (context: Asker, conditions: Conditions): Promise<readonly Execution[]> => {
  const found: Execution[] = [];
  for (const { id, actorId } of await searchRows(context, 'executions', conditions, MOST)) {
    const execution = await showExecution(context, String(actorId), String(id));
    if (execution !== undefined) found.push(execution);
  }
  return found;
};

const eventsOf = async (context: Asker, { id, actorId, finishTime }: Execution): Promise<readonly EventView[]> => {
  if (finishTime === undefined) return [];
  const end = Date.parse(finishTime);
  const found: EventView[] = [];
  const steps = storedEvents(context, {
    types: [],
    actors: [actorId],
    since: new Date(end - BEFORE_MS).toISOString(),
    until: new Date(end + BEHIND_MS).toISOString(),
  });
  for await (const { event } of steps) if (event?.execution_id === id) found.push(event);
  return found;
};

const deliveriesOf = async ({ call }: Asker, { id, actor_id, deliveries }: EventView): Promise<readonly Delivery[]> => {
  if (deliveries.webhook === null) return [];
  const answer = await ifReadable(call('deliveries.list', { query: { actorId: actor_id, limit: DELIVERIES } }));
  return (answer?.deliveries ?? []).filter(({ eventId }) => eventId === id);
};

const after = async (context: Asker, execution: Execution, seen: Set<string>): Promise<readonly Link[]> => {
  if (seen.size >= MOST || seen.has(execution.id)) return [];
  seen.add(execution.id);
  const linkTo = async (next: Execution, by: 'link' | 'webhook' | 'execution'): Promise<Link> => ({
    kind: 'execution',
    execution: next,
    by,
    ledTo: await after(context, next, seen),
  });
  const links: Link[] = [];
  for (const next of await findExecutions(context, { 'causedBy.executionId': execution.id })) {
    links.push(await linkTo(next, 'execution'));
  }
  for (const event of await eventsOf(context, execution)) {
    const woken = await findExecutions(context, { 'causedBy.event': event.id });
    const led: Link[] = [];
    for (const delivery of await deliveriesOf(context, event)) {
      const sent: Link[] = [];
      for (const next of woken) {
        if (next.causedBy?.deliveryId === delivery.id) sent.push(await linkTo(next, 'webhook'));
      }
      led.push({ kind: 'delivery', delivery, ledTo: sent });
    }
    for (const next of woken) if (next.causedBy?.deliveryId === undefined) led.push(await linkTo(next, 'link'));
    links.push({ kind: 'event', event, ledTo: led });
  }
  return links;
};

const howOf = ({ causedBy }: Execution): 'link' | 'webhook' | 'execution' | undefined => {
  if (causedBy?.deliveryId !== undefined) return 'webhook';
  if (causedBy?.event !== undefined) return 'link';
  return causedBy?.executionId === undefined ? undefined : 'execution';
};

/** Finds the causes of an execution up to the first message. `below` is the item that the execution led to. */
const before = async (context: Asker, execution: Execution, below: Link, seen: Set<string>): Promise<Link> => {
  const { causedBy, executor, messageReceivedTime } = execution;
  if (seen.has(execution.id) || causedBy === undefined) {
    return { kind: 'message', from: executor, at: messageReceivedTime, ledTo: [below] };
  }
  seen.add(execution.id);
  const { event: eventNumber, executionId } = causedBy;
  if (eventNumber !== undefined) {
    const event = await ifReadable(context.call('events.show', { params: { eventNumber } }));
    if (event === undefined) return { kind: 'gone', what: 'event', id: eventNumber, ledTo: [below] };
    const here: Link = { kind: 'event', event, ledTo: [below] };
    if (event.execution_id === undefined) return here;
    const earlier = await showExecution(context, event.actor_id, event.execution_id);
    if (earlier === undefined) return { kind: 'gone', what: 'execution', id: event.execution_id, ledTo: [here] };
    return above(context, earlier, here, seen);
  }
  if (executionId === undefined) return { kind: 'message', from: executor, at: messageReceivedTime, ledTo: [below] };
  const earlier = await ifReadable(context.call('executions.find', { params: { executionId } }));
  if (earlier === undefined) return { kind: 'gone', what: 'execution', id: executionId, ledTo: [below] };
  return above(context, earlier, below, seen);
};

const above = (context: Asker, execution: Execution, below: Link, seen: Set<string>): Promise<Link> => {
  const by = howOf(execution);
  const here: Link = { kind: 'execution', execution, ...(by !== undefined && { by }), ledTo: [below] };
  return before(context, execution, here, seen);
};

/**
 * Returns the causes of an execution, from the first message on, and all its effects. The chain ends at items that
 * are deleted or not readable.
 */
export const chainOf = async (context: Asker, execution: Execution): Promise<Link> => {
  const by = howOf(execution);
  const ledTo = await after(context, execution, new Set());
  const here: Link = { kind: 'execution', execution, ...(by !== undefined && { by }), asked: true, ledTo };
  return before(context, execution, here, new Set());
};

// `events`: tail, list, show, types, emit and redeliver.
import type { CommandContext } from '../../context.ts';
import type { EventView } from '../../contract/actors/events.ts';
import { EVENTS_PAGE_MAX, eventTypes } from '../../contract/for-client.ts';
import { CliFailure, usage } from '../../failure.ts';
import { parseWrittenData } from '../../local/written-json.ts';
import type { View } from '../../ui/format/view.ts';
import { actorNames } from '../framework/actor-names.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { choice, flag, required, text } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import { wanted } from '../framework/search-rows.ts';
import { choiceOptions, chosenEvents } from './event-flags.ts';
import { choiceOf } from './event-source.ts';
import { eventFields, eventView, type NamedEvent, wholeEventView } from './event-view.ts';
import { eventsTail } from './events-tail.ts';

/** Largest event data, in bytes. */
const DATA_LIMIT = 64 * 1024;

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List stored events, newest first',
  operations: ['events.list'],
  options: { ...choiceOptions, reverse: flag('--reverse', 'list the oldest first') },
  list: true,
  examples: [
    'actorctl events list --actor wordcount --since 1h',
    'actorctl events list --type ACTOR_ERROR --reverse --all --json',
  ],
  run: async (context, _args, options) => {
    const { query, until } = await chosenEvents(context, options);
    const most = wanted(context);
    const found: EventView[] = [];
    let place = {};
    for (;;) {
      const page = await context.call('events.list', {
        query: {
          ...choiceOf(query),
          ...(query.after !== undefined && { after: query.after }),
          ...(query.since !== undefined && { since: query.since }),
          ...(until !== undefined && { until: new Date(until).toISOString() }),
          ...place,
          order: options.reverse ? 'asc' : 'desc',
          limit: Math.min(EVENTS_PAGE_MAX, most - found.length),
        },
      });
      found.push(...page.events);
      if (!page.more || found.length >= most) break;
      place = options.reverse ? { after: page.next } : { before: page.next };
    }
    context.output.rows(await nameEvents(context, found), eventView);
    return 0;
  },
});

const nameEvents = async (context: CommandContext, events: readonly EventView[]): Promise<readonly NamedEvent[]> => {
  if (events.length === 0) return [];
  const names = await actorNames(context);
  return events.map((event) => {
    const [actorName, linkName] = [names.get(event.actor_id), names.get(event._svc_link)];
    return { ...event, ...(actorName !== undefined && { actorName }), ...(linkName !== undefined && { linkName }) };
  });
};

const newest = async ({ call }: Pick<CommandContext, 'call'>): Promise<EventView> => {
  const { events } = await call('events.list', { query: { order: 'desc', limit: 1 } });
  const [event] = events;
  if (event !== undefined) return event;
  throw new CliFailure('NOT_FOUND', 'there is no stored event of an actor that you may read', {
    hint: 'actorctl events tail',
  });
};

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Show an event and its deliveries',
  operations: ['events.show'],
  args: { event: required('event id, or @last', 'event') },
  run: async (context, { event: eventNumber }) => {
    const found =
      eventNumber === '@last' ? await newest(context) : await context.call('events.show', { params: { eventNumber } });
    const [row = found] = await nameEvents(context, [found]);
    context.output.item(row, wholeEventView);
    return 0;
  },
});

interface EventType {
  readonly type: string;
  readonly when: string;
  readonly fields: readonly string[];
}

const whenOf: Readonly<Record<(typeof eventTypes)[number], string>> = {
  ACTOR_READY: 'an actor is ready for messages',
  ACTOR_ERROR: 'the image or the worker of an actor failed; status_message has the reason',
  EXECUTION_COMPLETE: 'an execution has ended; exit_code and status have the outcome',
};

const ownFields: Readonly<Record<(typeof eventTypes)[number], readonly string[]>> = {
  ACTOR_READY: [],
  ACTOR_ERROR: ['status_message'],
  EXECUTION_COMPLETE: ['execution_id', 'exit_code', 'status', 'status_message'],
};

/** Fields that every event has. @see docs/http-api.md#events */
const sharedFields = eventFields.slice(eventFields.indexOf('actor_id'), eventFields.indexOf('status_message'));

const typeView: View<EventType> = {
  id: ({ type }) => type,
  fields: ['type', 'when', 'fields'],
  columns: [
    { header: 'TYPE', value: ({ type }) => type, role: 'name' },
    { header: 'WHEN', value: ({ when }) => when },
    { header: 'FIELDS', value: ({ fields }) => fields.join(' '), wide: true },
  ],
};

const types = command({
  name: 'types',
  summary: 'List the event types and their fields',
  details: 'Other types can be emitted by hand.',
  list: true,
  run: async ({ output }) => {
    const known = eventTypes.map((type) => ({
      type,
      when: whenOf[type],
      fields: [...sharedFields, ...ownFields[type]],
    }));
    output.rows(known, typeView);
    return 0;
  },
});

/** Parses `--data`: JSON, or `@file`. */
const dataOf = async (
  { read }: Pick<CommandContext, 'read'>,
  given: string,
): Promise<Readonly<Record<string, unknown>>> => {
  const json = given.startsWith('@') ? (await read(given.slice(1), DATA_LIMIT)).toString('utf8') : given;
  const value = parseWrittenData(json, given.startsWith('@') ? given.slice(1) : '--data');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw usage('--data must be a JSON object', `like '{"status_message":"…"}'`);
};

const receivers = ({ deliveries: { link, webhook }, linkProblem }: EventView): string =>
  [
    link === null ? 'no link' : `link as execution ${link}`,
    webhook === null ? 'no webhook' : `webhook as delivery ${webhook}`,
    ...(linkProblem === undefined ? [] : [`link failed: ${linkProblem}`]),
  ].join(', ');

const emit = command({
  name: 'emit',
  summary: 'Emit a synthetic event of an actor',
  details: 'The event is sent to the linked actor, the webhook and all event streams.',
  operations: ['events.emit'],
  args: { type: required('event type: EXECUTION_COMPLETE, or any name in capitals') },
  options: {
    actor: text('--actor <actor>', 'actor that the event belongs to (required)', 'actor'),
    data: text('--data <json>', 'JSON with status_message, execution_id, exit_code, status, or @file; @- reads stdin'),
  },
  examples: [
    'actorctl events emit ACTOR_READY --actor wordcount',
    `actorctl events emit EXECUTION_COMPLETE --actor wordcount --data '{"exit_code":3,"status":"COMPLETE"}'`,
  ],
  run: async (context, { type }, { actor: reference, data }) => {
    if (reference === undefined) throw usage('--actor is missing', `actorctl events emit ${type} --actor ACTOR`);
    const body = { ...(data !== undefined && (await dataOf(context, data))), event_type: type };
    const { id: actorId } = await resolveActor(context, reference);
    const emitted = await context.call('events.emit', { params: { actorId }, body });
    context.output.result(`Emitted ${emitted.id} (${receivers(emitted)})`, emitted, emitted.id);
    return 0;
  },
});

const redeliver = command({
  name: 'redeliver',
  summary: 'Send an event to its link or webhook again',
  details: 'Uses the current link or webhook of its actor.',
  operations: ['events.redeliver'],
  args: { event: required('event id', 'event') },
  options: { to: choice('--to <receiver>', 'link or webhook (required)', ['link', 'webhook']) },
  examples: ['actorctl events redeliver 4711 --to webhook'],
  run: async ({ call, output }, { event: eventNumber }, { to }) => {
    if (to === undefined) throw usage('--to is missing', `actorctl events redeliver ${eventNumber} --to link`);
    const again = await call('events.redeliver', { params: { eventNumber }, body: { to } });
    const { executionId, actorId, deliveryId } = again;
    const where = executionId === undefined ? `delivery ${deliveryId}` : `execution ${executionId} of actor ${actorId}`;
    output.result(`Sent ${again.event} to the ${to} again: ${where}`, again, executionId ?? deliveryId ?? again.event);
    return 0;
  },
});

export const eventsCommand: readonly LeafEntry[] = [eventsTail, list, show, types, emit, redeliver];

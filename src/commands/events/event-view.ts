// Formats events as lines of a tail, as table rows and as details.
import type { EventView } from '../../contract/actors/events.ts';
import { fields } from '../../contract/for-client.ts';
import { formatEventOutcome } from '../../contract/outcome.ts';
import type { Paint } from '../../ui/color.ts';
import { snakeName } from '../../ui/format/names.ts';
import type { View } from '../../ui/format/view.ts';
import { oneLine } from '../../ui/format/width.ts';

export const eventFields = fields.event;

/** An event with the names of its actor and of the linked actor, if they are known. */
export type NamedEvent = EventView & { readonly actorName?: string; readonly linkName?: string };

export type LineEvent = Pick<EventView, 'id' | 'actor_id' | 'event_type' | 'event_time_display'> &
  Partial<Pick<EventView, 'execution_id' | 'exit_code' | 'status' | 'reason' | 'status_message' | 'synthetic'>>;

/** Reads the event from a posted body; undefined if the body is not an event. */
export const lineEventOf = (posted: unknown, id: string): LineEvent | undefined => {
  if (typeof posted !== 'object' || posted === null) return undefined;
  const field = (name: string): unknown => Reflect.get(posted, name);
  const textOf = (name: string): string | undefined => {
    const value = field(name);
    return typeof value === 'string' ? value : undefined;
  };
  const [actor_id, event_type, event_time_display] = ['actor_id', 'event_type', 'event_time_display'].map(textOf);
  if (actor_id === undefined || event_type === undefined || event_time_display === undefined) return undefined;
  if (Number.isNaN(Date.parse(event_time_display))) return undefined;
  const [execution_id, status, status_message] = ['execution_id', 'status', 'status_message'].map(textOf);
  const exitCode = field('exit_code');
  return {
    id,
    actor_id,
    event_type,
    event_time_display,
    ...(execution_id !== undefined && { execution_id }),
    ...(typeof exitCode === 'number' && { exit_code: exitCode }),
    ...(status !== undefined && { status }),
    ...(status_message !== undefined && { status_message }),
    ...(field('synthetic') === true && { synthetic: true }),
  };
};

/** `complete`, `failed, exit 3`, or the message of another event. */
const detailOf = (event: LineEvent): string =>
  [formatEventOutcome(event), event.status_message ?? '', event.synthetic ? 'synthetic' : '']
    .filter((part) => part !== '')
    .join('  ');

const timeOf = ({ event_time_display }: EventView): string => event_time_display;

export const eventView: View<NamedEvent> = {
  id: ({ id }) => id,
  name: ({ event_type }) => event_type,
  fields: [...eventFields, 'actorName', 'linkName'],
  columns: [
    { header: 'EVENT', value: ({ id }) => id, role: 'id' },
    { header: 'TIME', value: timeOf, kind: 'time' },
    { header: 'TYPE', value: ({ event_type }) => event_type, role: 'name' },
    { header: 'ACTOR', value: ({ actorName, actor_id }) => actorName ?? actor_id, role: 'name' },
    { header: 'EXECUTION', value: ({ execution_id }) => execution_id, role: 'id' },
    { header: 'DETAIL', value: detailOf },
    { header: 'ACTOR ID', value: ({ actor_id }) => actor_id, role: 'id', wide: true },
    { header: 'LINKED TO', value: ({ linkName, _svc_link }) => linkName ?? _svc_link, role: 'name', wide: true },
    { header: 'LINK', value: ({ deliveries }) => deliveries.link, role: 'id', wide: true },
    { header: 'WEBHOOK', value: ({ deliveries }) => deliveries.webhook, role: 'id', wide: true },
    { header: 'NOT LINKED', value: ({ linkProblem }) => linkProblem, wide: true },
  ],
};

export const wholeEventView: View<NamedEvent> = {
  id: ({ id }) => id,
  name: ({ event_type }) => event_type,
  fields: eventView.fields ?? eventFields,
  columns: eventFields
    .filter((field) => field !== 'deliveries')
    .map((field): View<NamedEvent>['columns'][number] => ({
      header: snakeName(field),
      value: (row) => {
        const value: unknown = Reflect.get(row, field);
        return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
      },
    }))
    .concat([
      { header: 'actor', value: ({ actorName }) => actorName },
      { header: 'linked to', value: ({ linkName }) => linkName },
      { header: 'execution by link', value: ({ deliveries }) => deliveries.link },
      { header: 'delivery to webhook', value: ({ deliveries }) => deliveries.webhook },
    ]),
};

const two = (value: number): string => String(value).padStart(2, '0');

/** Local time: `12:01:07.412` for today, else with the date. */
const clockTime = (iso: string, now: number): string => {
  const time = new Date(iso);
  const day = (date: Date): string => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  const whole = `${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`;
  return day(time) === day(new Date(now)) ? whole : `${day(time)} ${whole}`;
};

const toned = ({ event_type, exit_code, status, reason }: LineEvent, paint: Paint): string => {
  const type = oneLine(event_type);
  if (event_type === 'ACTOR_ERROR' || status === 'ERROR') return paint.red(type);
  return (exit_code ?? 0) === 0 || reason === 'halted' ? paint.green(type) : paint.yellow(type);
};

export interface EventLineInput {
  readonly actorName: string;
  readonly tty: boolean;
  readonly paint: Paint;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Formats an event as a line without a line break: aligned columns on a terminal, otherwise tab-separated with the
 * full time.
 */
export const eventLine = (event: LineEvent, { actorName, tty, paint, now }: EventLineInput): string => {
  const { event_type, execution_id = '', event_time_display } = event;
  if (!tty) {
    return [event.id, event_time_display, event_type, actorName, execution_id, detailOf(event)].map(oneLine).join('\t');
  }
  const cells = [
    paint.dim(clockTime(event_time_display, now)),
    toned(event, paint) + ' '.repeat(Math.max(0, 'EXECUTION_COMPLETE'.length - event_type.length)),
    paint.bold(oneLine(actorName)),
    oneLine(execution_id),
    oneLine(detailOf(event)),
  ];
  return cells.filter((cell) => cell !== '').join('  ');
};

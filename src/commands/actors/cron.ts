// `cron`: set, show, on, off, unset, list and next for the schedules of actors.
import { inWordsOf } from '../../client/field-words.ts';
import type { CommandContext } from '../../context.ts';
import { fields } from '../../contract/for-client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { usage } from '../../failure.ts';
import { formatAgo, formatMoment } from '../../ui/format/time.ts';
import type { View } from '../../ui/format/view.ts';
import { ACTOR, ACTOR_ID, type OfActor } from '../framework/actor-names.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { actorHere, integer, optional, required, text } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import type { Actor } from '../framework/views.ts';
import { ID, NAME } from './actor-view.ts';

type Cron = ResultOf<Operations['cron.show']>;

const MOST_TIMES = 100;

/**
 * Formats a time of a schedule. On a terminal it is readable text in the time zone of the schedule, otherwise the
 * unchanged timestamp.
 */
const moment = (time: string | undefined, zone: string | undefined, tty: boolean): string | undefined =>
  tty && time !== undefined ? formatMoment(Date.parse(time), zone || 'UTC') : time;

const planView = (tty: boolean): View<Cron & OfActor> => ({
  id: ({ actorId }) => actorId,
  name: ({ actorName, actorId }) => actorName ?? actorId,
  fields: [...fields.cron, 'actorName'],
  columns: [
    ACTOR,
    ACTOR_ID,
    { header: 'SCHEDULE', value: ({ cronSchedule }) => cronSchedule || 'none' },
    { header: 'ON', value: ({ cronOn }) => cronOn },
    { header: 'TIME ZONE', value: ({ cronTimeZone }) => cronTimeZone },
    { header: 'MESSAGE', value: ({ cronMessage }) => cronMessage },
    { header: 'NEXT', value: ({ cronNextTime, cronTimeZone }) => moment(cronNextTime, cronTimeZone, tty), whole: true },
  ],
});

const plannedView = (tty: boolean): View<Actor> => ({
  id: ({ id }) => id,
  name: ({ name }) => name,
  fields: ['id', 'name', 'cronSchedule', 'cronOn', 'cronTimeZone', 'cronMessage', 'cronNextTime'],
  columns: [
    NAME,
    ID,
    { header: 'SCHEDULE', value: ({ cronSchedule }) => cronSchedule },
    { header: 'ON', value: ({ cronOn }) => cronOn },
    { header: 'NEXT', value: ({ cronNextTime, cronTimeZone }) => moment(cronNextTime, cronTimeZone, tty), whole: true },
    { header: 'TIME ZONE', value: ({ cronTimeZone }) => cronTimeZone, wide: true },
    { header: 'MESSAGE', value: ({ cronMessage }) => cronMessage, wide: true },
  ],
});

const timeView = (zone: string | undefined, tty: boolean): View<{ readonly time: string }> => ({
  id: ({ time }) => time,
  fields: ['time'],
  columns: [
    { header: 'TIME', value: ({ time }) => moment(time, zone, tty), whole: true },
    { header: 'IN', value: ({ time }) => time, kind: 'time' },
  ],
});

const called = ({ id, name }: Actor): string => name || id;

const words = { cronSchedule: 'the schedule', cronTimeZone: '--tz', cronMessage: '--message' };

const change = async (
  { call, output, serviceClock }: CommandContext,
  actor: Actor,
  body: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const plan = await call('cron.set', { params: { actorId: actor.id }, body }).catch(inWordsOf(words));
  const { cronSchedule, cronNextTime, cronTimeZone } = plan;
  const until =
    cronNextTime !== undefined && output.tty ? ` (${formatAgo(Date.parse(cronNextTime), serviceClock.now())})` : '';
  const when = cronNextTime === undefined ? 'off' : `next ${moment(cronNextTime, cronTimeZone, output.tty)}${until}`;
  const said = cronSchedule === '' ? 'no schedule' : `${cronSchedule}, ${when}`;
  output.result(`${called(actor)}: ${said}`, plan, actor.id);
};

/** Prints when the schedule would send which message. */
const preview = async (
  { call, output }: CommandContext,
  actor: Actor,
  body: Readonly<Record<string, unknown>>,
): Promise<number> => {
  const asked = call('cron.set', { params: { actorId: actor.id }, query: { dryRun: true }, body });
  const plan = await asked.catch(inWordsOf(words));
  const { cronMessage, cronTimeZone, next } = plan;
  const what = cronMessage === undefined ? 'the default message' : JSON.stringify(cronMessage);
  const sent = next.map((time) => `send ${what} to ${called(actor)}: ${moment(time, cronTimeZone, output.tty)}`);
  return tellDryRun({ output }, sent, plan, actor.id);
};

const set = command({
  name: 'set',
  summary: 'Set the schedule of an actor',
  details:
    'SCHEDULE is a cron expression of five fields, a shorthand like @hourly, or a start in UTC with an interval: "2026-12-31 12 + 1 day". "now + 2 hours" runs for the first time in two hours.',
  operations: ['cron.set'],
  args: {
    actor: required('actor', 'actor'),
    schedule: required('when to run: "0 9 * * mon-fri", @hourly, "now + 2 hours"'),
  },
  options: {
    tz: text('--tz <zone>', 'time zone of a five-field schedule, like Europe/Berlin (default: UTC)', 'time zone'),
    message: text('--message <text>', 'message that the schedule sends'),
    dryRun,
  },
  examples: [
    'actorctl cron set wordcount "0 9 * * mon-fri" --tz Europe/Berlin --message "good morning"',
    'actorctl cron set wordcount @hourly',
    'actorctl cron set wordcount "2026-12-31 12 + 1 month"',
  ],
  run: async (context, { actor: reference, schedule }, { tz, message, dryRun }) => {
    if (schedule.trim() === '')
      throw usage('the schedule is empty', 'to remove the schedule: actorctl cron unset ACTOR');
    const actor = await resolveActor(context, reference);
    const body = {
      cronSchedule: schedule,
      cronOn: true,
      ...(tz !== undefined && { cronTimeZone: tz }),
      ...(message !== undefined && { cronMessage: message }),
    };
    if (dryRun) return preview(context, actor, body);
    await change(context, actor, body);
    return 0;
  },
});

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Show the schedule of an actor',
  operations: ['cron.show'],
  args: { actor: actorHere },
  run: async (context, { actor: reference }) => {
    const { id: actorId, name } = await resolveActor(context, reference);
    const plan = await context.call('cron.show', { params: { actorId } });
    context.output.item({ ...plan, ...(name !== '' && { actorName: name }) }, planView(context.output.tty));
    return 0;
  },
});

const next = command({
  name: 'next',
  summary: 'List the next times of a schedule',
  operations: ['cron.show'],
  args: { actor: actorHere },
  options: { count: integer('-n, --count <n>', 'number of times (default 5)', { min: 1, max: MOST_TIMES }) },
  list: true,
  run: async (context, { actor: reference }, { count }) => {
    const { id: actorId } = await resolveActor(context, reference);
    const plan = await context.call('cron.show', { params: { actorId }, query: count === undefined ? {} : { count } });
    context.output.rows(
      plan.next.map((time) => ({ time })),
      timeView(plan.cronTimeZone, context.output.tty),
    );
    if (plan.cronSchedule !== '' && !plan.cronOn)
      context.output.warn('the schedule is off, so the actor will not run at these times');
    return 0;
  },
});

const toggle = (name: 'enable' | 'disable', summary: string) =>
  command({
    name,
    summary,
    operations: ['cron.set'],
    args: { actor: actorHere },
    run: async (context, { actor: reference }) => {
      await change(context, await resolveActor(context, reference), { cronOn: name === 'enable' });
      return 0;
    },
  });

const unset = command({
  name: 'unset',
  summary: 'Remove the schedule of an actor',
  operations: ['cron.set'],
  args: { actor: actorHere },
  run: async (context, { actor: reference }) => {
    const actor = await resolveActor(context, reference);
    if (actor.cronSchedule === undefined) {
      const plan = await context.call('cron.show', { params: { actorId: actor.id } });
      context.output.result(`${called(actor)}: there was no schedule`, plan, actor.id);
    } else await change(context, actor, { cronSchedule: '' });
    return 0;
  },
});

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the actors that have a schedule',
  operations: ['actors.list'],
  list: true,
  args: { actor: optional('actor', 'actor') },
  run: async (context, { actor: reference }) => {
    const actors =
      reference === undefined ? await context.call('actors.list') : [await resolveActor(context, reference)];
    context.output.rows(
      actors.filter(({ cronSchedule }) => cronSchedule !== undefined),
      plannedView(context.output.tty),
    );
    return 0;
  },
});

export const cronCommand: readonly LeafEntry[] = [
  set,
  show,
  toggle('enable', 'Enable a schedule'),
  toggle('disable', 'Disable a schedule and keep it'),
  unset,
  list,
  next,
];

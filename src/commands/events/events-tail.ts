// `events tail`: prints events live. It can resume where an earlier tail ended.

import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import type { EventView } from '../../contract/actors/events.ts';
import { eventTypes } from '../../contract/for-client.ts';
import { CliFailure } from '../../failure.ts';
import { type CursorFile, cursorFile } from '../../local/cursor-file.ts';
import { timeoutSignal } from '../../local/timeout-signal.ts';
import { snakeKeys } from '../../ui/format/names.ts';
import { formatDuration } from '../../ui/format/time.ts';
import { createNames } from '../framework/actor-names.ts';
import { command } from '../framework/command.ts';
import { duration, flag, integer, parsed, text, texts } from '../framework/option.ts';
import { followTimeout } from '../framework/time-limit.ts';
import { choiceOptions, chosenEvents } from './event-flags.ts';
import { eventFilterOf, eventGoalOf } from './event-goal.ts';
import { type EventQuery, type EventStep, followEvents, storedEvents, tellOldest } from './event-source.ts';
import { eventFields, eventLine } from './event-view.ts';

const tailOptions = {
  ...choiceOptions,
  filter: texts(
    '--filter <key=value>',
    'only events that match (= != ~= >= <=); = and ~= filters on one field are alternatives, all others must match',
  ),
  follow: flag('--no-follow', 'print the stored events and exit (without --since: from the oldest event)'),
  alwaysFollow: flag('-f, --follow', 'wait for new events (the default)'),
  cursorFile: text(
    '--cursor-file <path>',
    'start after the cursor in this file, and save the last cursor to it',
    'files',
  ),
  exitOn: parsed(
    '--exit-on <goal>',
    'exit after the first event of this type, or for which this jq expression is true',
    (goal) => goal,
    { like: eventTypes },
  ),
  max: integer('--max <n>', 'exit after this many events', { min: 1 }),
  timeout: followTimeout,
  reconnectTimeout: duration(
    '--reconnect-timeout <duration>',
    'give up if the service is unreachable for this long (default: never; 60s with --max or --exit-on)',
  ),
};

/** Returns a function that prints an event as a line, a template, an id, or JSON with a cursor to resume from. */
const createPrinter = (context: CommandContext) => {
  const { output, serviceClock } = context;
  const nameOf = createNames(context);
  const onlyId = output.quiet || output.format === 'id';
  return async (event: EventView, cursor: string): Promise<void> => {
    if (output.machine || onlyId) return output.event(`${event.id}\n`, { cursor, ...event });
    const { tty, paint } = output;
    const line = eventLine(event, { actorName: await nameOf(event.actor_id), tty, paint, now: serviceClock.now() });
    // The line contains no control characters except those of its colours.
    await output.event('\n', { cursor, ...event }, line);
  };
};

interface Span {
  readonly query: EventQuery;
  /** Milliseconds since the epoch. */
  readonly until: number | undefined;
  readonly stop: AbortSignal;
  /** Undefined for the default of streams. */
  readonly reconnectMs: number | undefined;
}

const live = (
  context: CommandContext,
  { query, stop, reconnectMs }: Omit<Span, 'until'>,
): AsyncGenerator<EventStep, void, void> =>
  followEvents(context, query, {
    signal: stop,
    ...(reconnectMs !== undefined && { reconnectMs }),
  });

/**
 * Follows events until a time, then reads the stored events up to that time, in case the last events had not arrived
 * yet.
 */
async function* liveUntil(
  context: CommandContext,
  until: number,
  span: Omit<Span, 'until'>,
): AsyncGenerator<EventStep, void, void> {
  const over = timeoutSignal(until - context.serviceClock.now());
  let cursor = span.query.after;
  try {
    if (until > context.serviceClock.now()) {
      for await (const step of live(context, { ...span, stop: AbortSignal.any([span.stop, over]) })) {
        if (step.event !== undefined && Date.parse(step.event.event_time_display) > until) return;
        cursor = step.cursor;
        yield step;
      }
    }
  } catch (error) {
    if (!over.aborted || span.stop.aborted) throw error;
  }
  const rest = cursor === undefined ? span.query : { ...span.query, after: cursor };
  yield* storedEvents(context, { ...rest, until: new Date(until).toISOString() });
}

const stepsOf = (context: CommandContext, span: Span, follow: boolean): AsyncGenerator<EventStep, void, void> => {
  const { query, until } = span;
  if (!follow) {
    return storedEvents(context, { ...query, ...(until !== undefined && { until: new Date(until).toISOString() }) });
  }
  return until === undefined ? live(context, span) : liveUntil(context, until, span);
};

/** Returns the query that starts after the event in the cursor file, if the file has one. */
const beginning = async (query: EventQuery, kept: CursorFile | undefined): Promise<EventQuery> => {
  const cursor = await kept?.read();
  return cursor === undefined ? query : { ...query, after: cursor };
};

const timeIsOver = (timeoutMs: number, shown: number, goal: string | undefined): CliFailure => {
  const count = shown === 1 ? '1 event' : `${shown} events`;
  const missed = goal === undefined ? '' : `, but none matched ${goal}`;
  return new CliFailure('WAIT_TIMEOUT', `${count} in ${formatDuration(timeoutMs)}${missed}`, {
    hint: 'raise or remove --timeout',
    details: { events: shown },
  });
};

export const eventsTail = command({
  name: 'tail',
  summary: 'Print events as they happen',
  details: 'After a disconnect it reconnects and continues without gaps or duplicates.',
  operations: ['events.list'],
  options: tailOptions,
  examples: [
    'actorctl events tail --type EXECUTION_COMPLETE --actor wordcount --cursor-file wordcount.cursor',
    'actorctl events tail --since 10m --no-follow --json',
    "actorctl events tail --exit-on '.exit_code != 0' --timeout 5m",
  ],
  run: async (context, _args, options) => {
    const fields = ['cursor', ...eventFields];
    if (!context.output.allowFields(fields)) return 0;
    const exitOn = options.exitOn === undefined ? undefined : await eventGoalOf(options.exitOn);
    const makeFilter = () => eventFilterOf(options.filter, fields, context.serviceClock.now());
    // A wrong filter is reported before the first request.
    makeFilter();
    let passes: ReturnType<typeof makeFilter> | undefined;
    const chosen = await chosenEvents(context, options);
    const kept =
      options.cursorFile === undefined ? undefined : cursorFile(path.resolve(context.cwd, options.cursorFile));
    const query = await beginning(chosen.query, kept);
    if (query.after === undefined && query.since !== undefined) await tellOldest(context, query.since);
    const print = createPrinter(context);
    if (options.follow) context.output.watchReader();
    const timeout = timeoutSignal(options.timeout);
    const stop = AbortSignal.any([context.signal, timeout]);
    // A command with a goal reports that the service is away. A tail without one outlasts any interruption.
    const hasGoal = options.max !== undefined || options.exitOn !== undefined;
    const reconnectMs = options.reconnectTimeout ?? (hasGoal ? undefined : Number.POSITIVE_INFINITY);
    const span = { query, until: chosen.until, stop, reconnectMs };
    let shown = 0;
    try {
      for await (const { cursor, event } of stepsOf(context, span, options.follow)) {
        // Relative times of the filter count from now on the clock of the service, which its first response has shown.
        passes ??= makeFilter();
        const prints = event !== undefined && passes(event);
        if (prints) await print(event, cursor);
        // The cursor is saved after the event is printed. If the process is killed in between, the event is printed
        // again rather than lost.
        await kept?.keep(cursor);
        if (!prints) continue;
        shown += 1;
        if (shown === options.max || exitOn?.reached(snakeKeys(event)) === true) return 0;
      }
      return 0;
    } catch (error) {
      const cancelled = error instanceof CliFailure && error.code === 'CANCELLED';
      if (cancelled && context.signal.aborted) return 0;
      if (cancelled && timeout.aborted) throw timeIsOver(options.timeout ?? 0, shown, exitOn?.text);
      throw error;
    }
  },
});

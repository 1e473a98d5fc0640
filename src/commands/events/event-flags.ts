// The flags that choose events, on whatever command shows some.
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import { parseDuration, parseTime } from '../../ui/format/time.ts';
import { parsed, text, texts, type ValuesOf } from '../kernel/option.ts';
import { resolveActor } from '../kernel/resolve-actor.ts';
import type { EventQuery } from './event-source.ts';

/** The flags that `events tail` and `events list` share. */
export const choiceOptions = {
  since: text(
    '--since <when>',
    'from then on: 10m, 2026-01-31T12:00:00Z, @<unix seconds>, or behind the id of an event',
  ),
  until: text('--until <time>', 'up to then: 10m, 2026-01-31T12:00:00Z, @<unix seconds>'),
  type: texts('--type <types>', 'only these types; several are taken, also with commas between'),
  actor: texts('--actor <actors>', 'only of these actors; several are taken, also with commas between'),
};

type ChoiceOptions = ValuesOf<typeof choiceOptions>;

/** An option whose value is a duration, in milliseconds. */
export const duration = (flags: string, description: string) =>
  parsed(flags, description, (value, name) => parseDuration(value, `a duration for ${name}`));

/** Longest time a timer can wait, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Fires after so many milliseconds; never where that is longer than any timer, or undefined. */
export const firesAfter = (ms: number | undefined): AbortSignal =>
  ms === undefined || ms > LONGEST_TIMER_MS ? new AbortController().signal : AbortSignal.timeout(Math.max(0, ms));

/** Commas and spaces both separate, because PowerShell turns the one into the other. */
const wordsOf = (given: readonly string[]): readonly string[] =>
  given.flatMap((each) => each.split(/[\s,]+/)).filter((word) => word !== '');

const eventId = /^\d{1,15}$/;

/** The id of an event, or a time. @throws CliFailure USAGE */
const beginOf = (since: string, now: number): Pick<EventQuery, 'after' | 'since'> =>
  eventId.test(since) ? { after: since } : { since: new Date(parseTime(since, now)).toISOString() };

/**
 * The id of an actor; what looks like one may be that of an actor that is gone, whose events are still there.
 * @throws CliFailure NOT_FOUND
 */
const idOf = async (context: Pick<CommandContext, 'call' | 'prompt'>, reference: string): Promise<string> => {
  try {
    return (await resolveActor(context, reference)).id;
  } catch (error) {
    const id = reference.replace(/^id:/, '');
    const perhapsGone =
      error instanceof CliFailure && error.code === 'NOT_FOUND' && /^[A-Za-z][A-Za-z0-9]{12}$/.test(id);
    if (!perhapsGone) throw error;
    return id;
  }
};

/**
 * What the flags ask for. `until` is in milliseconds since the epoch.
 * @throws CliFailure USAGE; NOT_FOUND for an actor that there is not: an empty tail would hide the mistake (cli.md R18)
 */
export const chosenEvents = async (
  context: Pick<CommandContext, 'call' | 'prompt' | 'now'>,
  { since, until, type, actor }: ChoiceOptions,
): Promise<{ readonly query: EventQuery; readonly until: number | undefined }> => {
  const now = context.now();
  if (type.length > 0 && wordsOf(type).length === 0) throw usage('--type must not be empty');
  if (actor.length > 0 && wordsOf(actor).length === 0) throw usage('--actor must not be empty');
  const begin = since === undefined ? {} : beginOf(since, now);
  const end = until === undefined ? undefined : parseTime(until, now);
  const actors: string[] = [];
  for (const reference of wordsOf(actor)) actors.push(await idOf(context, reference));
  return { query: { ...begin, types: wordsOf(type).map((word) => word.toUpperCase()), actors }, until: end };
};

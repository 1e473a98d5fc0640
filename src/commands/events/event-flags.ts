// The flags that select events, shared by all commands that show events.
import type { CommandContext } from '../../context.ts';
import { parseCursor } from '../../contract/event-cursor.ts';
import { eventTypes } from '../../contract/for-client.ts';
import { CliFailure } from '../../failure.ts';
import { parseTime } from '../../ui/format/time.ts';
import { text, type ValuesOf, words } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import type { EventQuery } from './event-source.ts';

export const choiceOptions = {
  since: text(
    '--since <when>',
    'events since: 10m, 2026-01-31T12:00:00Z, @<unix seconds>, or after this event id or cursor',
  ),
  until: text('--until <time>', 'events until: 10m, 2026-01-31T12:00:00Z, @<unix seconds>'),
  type: words('--type <types>', 'only these types, separated by commas, repeatable', { like: eventTypes }),
  actor: words('--actor <actors>', 'only events of these actors, separated by commas, repeatable', 'actor'),
};

type ChoiceOptions = ValuesOf<typeof choiceOptions>;

const beginOf = (since: string, now: number): Pick<EventQuery, 'after' | 'since'> =>
  parseCursor(since) !== undefined ? { after: since } : { since: new Date(parseTime(since, now)).toISOString() };

/**
 * Resolves an actor for a filter. If no actor is found, a text in the format of an id is accepted, because events
 * of a deleted actor still exist.
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
 * Returns the selection that the flags describe. `until` is in milliseconds since the epoch.
 * @throws CliFailure USAGE; NOT_FOUND for an unknown actor, because an empty result would hide the mistake
 */
export const chosenEvents = async (
  context: Pick<CommandContext, 'call' | 'prompt' | 'serviceClock'>,
  { since, until, type, actor }: ChoiceOptions,
): Promise<{ readonly query: EventQuery; readonly until: number | undefined }> => {
  const now = since === undefined && until === undefined ? 0 : await context.serviceClock.ask();
  const begin = since === undefined ? {} : beginOf(since, now);
  const end = until === undefined ? undefined : parseTime(until, now);
  const actors: string[] = [];
  for (const reference of actor) actors.push(await idOf(context, reference));
  return { query: { ...begin, types: type.map((word) => word.toUpperCase()), actors }, until: end };
};

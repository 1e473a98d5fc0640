// Changes an actor in part, and finds the caller's actors by name. Shared by `actors create` and `actors update`.
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import type { Actor } from '../kernel/views.ts';
import { bodyOf, changeDescription, changedFields, type Description, descriptionOf } from './actor-flags.ts';
import { titleOf } from './wait-until-ready.ts';

/** The actors with this name that belong to the caller. */
export const ownActors = async ({ call }: Pick<CommandContext, 'call'>, name: unknown): Promise<readonly Actor[]> => {
  if (typeof name !== 'string' || name === '') return [];
  const named = (await call('actors.list')).filter((actor) => actor.name === name);
  if (named.length === 0) return [];
  const { username } = await call('profiles.me');
  return named.filter(({ owner }) => owner === username);
};

export const nameTaken = (actors: readonly Actor[], name: unknown, hint: string): CliFailure =>
  new CliFailure(
    'ALREADY_EXISTS',
    `you already own an actor named "${name}": ${actors.map(({ id }) => id).join(', ')}`,
    {
      hint,
      details: { name, actors: actors.map(({ id }) => id) },
    },
  );

/** What to change of an actor. */
interface Change {
  readonly asked: Description;
  readonly unset?: readonly string[];
  readonly force?: boolean;
  readonly form: boolean;
  /** The version that the actor must have; by default the version that was read. */
  readonly version?: number | undefined;
}

/** Changes some fields of an actor and keeps the rest. Returns the names of the fields that changed. */
export const changeActor = async (
  { call }: Pick<CommandContext, 'call'>,
  actor: Actor,
  { asked, unset = [], force = false, form, version = actor.version }: Change,
): Promise<{ readonly actor: Actor; readonly changed: readonly string[] }> => {
  const before = descriptionOf(actor);
  const after = changeDescription(before, asked, unset);
  const updated = await call('actors.update', {
    params: { actorId: actor.id },
    headers: { 'if-match': `"${version}"` },
    ...bodyOf({ ...after, ...(force && { force }) }, form),
  });
  return { actor: updated, changed: changedFields(before, after) };
};

/** Updates the actor with the description of a new one. @throws CliFailure USAGE if `stateless` differs */
export const updateExisting = async (
  context: CommandContext,
  actor: Actor,
  description: Description,
  form: boolean,
): Promise<{ readonly actor: Actor; readonly changed: readonly string[] }> => {
  const { stateless, ...asked } = description;
  if (stateless !== undefined && String(stateless) !== String(actor.stateless)) {
    throw usage(
      `cannot make ${titleOf(actor)} ${actor.stateless ? 'stateful' : 'stateless'}: this is fixed when an actor is created`,
      `choose another name, or delete it: actorctl actors delete ${actor.id}`,
    );
  }
  return changeActor(context, actor, { asked, form });
};

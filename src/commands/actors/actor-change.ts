// Changes some fields of an actor, and finds the caller's actors by name. Shared by the commands in actors.ts.

import type { FieldWords } from '../../client/field-words.ts';
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import type { Description } from '../../local/project/actor-values.ts';
import type { Actor } from '../framework/views.ts';
import { changeDescription, changedFields, descriptionOf } from './actor-description.ts';
import { bodyOf } from './actor-flags.ts';
import { showWarnings, titleOf } from './wait-until-ready.ts';

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

/** For `catch`: `inWordsOf`, which is loaded only for a failure. */
export const worded =
  (words: FieldWords) =>
  async (error: unknown): Promise<never> =>
    (await import('../../client/field-words.ts')).inWordsOf(words)(error);

interface Change {
  readonly asked: Description;
  readonly unset?: readonly string[];
  readonly force?: boolean;
  readonly form: boolean;
  /** The version that the actor must have; by default the version that was read. */
  readonly version?: number | undefined;
  readonly words: FieldWords;
}

/** Changes some fields of an actor. The other fields stay unchanged. Returns the names of the changed fields. */
export const changeActor = async (
  context: Pick<CommandContext, 'call' | 'output'>,
  actor: Actor,
  { asked, unset = [], force = false, form, version = actor.version, words }: Change,
): Promise<{ readonly actor: Actor; readonly changed: readonly string[] }> => {
  const before = descriptionOf(actor);
  const after = changeDescription(before, asked, unset);
  const updated = await context
    .call('actors.update', {
      params: { actorId: actor.id },
      headers: { 'if-match': `"${version}"` },
      ...bodyOf({ ...after, ...(force && { force }) }, form),
    })
    .then(showWarnings(context), worded(words));
  return { actor: updated, changed: changedFields(before, after) };
};

/** Number of attempts to change one field while other callers keep changing the actor. */
const MOST_TRIES = 5;

type FieldChange = Partial<Pick<Actor, 'link' | 'webhook'>> | undefined;

/**
 * Changes fields that do not depend on other fields. The other fields stay unchanged. If another caller has changed
 * the actor since it was read, the actor is read again and the change is retried, so that no change is lost.
 * @param changeOf returns the changed fields for the current actor; undefined changes nothing. May throw
 * @returns the actor before and after the change
 * @throws CliFailure STALE_VERSION if all attempts fail; every error of the service and of `changeOf`
 */
export const changeFields = async (
  { call }: Pick<CommandContext, 'call'>,
  actor: Actor,
  changeOf: (now: Actor) => FieldChange | Promise<FieldChange>,
  signal?: AbortSignal,
): Promise<{ readonly before: Actor; readonly after: Actor }> => {
  const params = { actorId: actor.id };
  const within = signal && { signal };
  let before = actor;
  for (let tries = 1; ; tries += 1) {
    const change = await changeOf(before);
    if (change === undefined) return { before, after: before };
    try {
      const headers = { 'if-match': `"${before.version}"` };
      const body = { ...descriptionOf(before), ...change };
      return { before, after: await call('actors.update', { params, headers, body, ...within }) };
    } catch (error) {
      if (!(error instanceof CliFailure) || error.code !== 'STALE_VERSION' || tries === MOST_TRIES) throw error;
      before = await call('actors.show', { params, ...within });
    }
  }
};

/**
 * Updates an existing actor with the description given for a new one.
 * @throws CliFailure USAGE if `stateless` or `dialect` differs
 */
export const updateExisting = async (
  context: CommandContext,
  actor: Actor,
  description: Description,
  { form, words }: Pick<Change, 'form' | 'words'>,
): Promise<{ readonly actor: Actor; readonly changed: readonly string[] }> => {
  const { stateless, dialect, ...asked } = description;
  if (stateless !== undefined && String(stateless) !== String(actor.stateless)) {
    throw usage(
      `cannot make ${titleOf(actor)} ${actor.stateless ? 'stateful' : 'stateless'}: this is fixed when an actor is created`,
      `choose another name, or delete it: actorctl actors delete ${actor.id}`,
    );
  }
  if (dialect !== undefined && dialect !== (actor.dialect ?? 'modern')) {
    throw usage(
      `cannot change the dialect of ${titleOf(actor)} to ${String(dialect)}: it is fixed when an actor is created`,
      `choose another name, or delete it: actorctl actors delete ${actor.id}`,
    );
  }
  return changeActor(context, actor, { asked, form, words });
};

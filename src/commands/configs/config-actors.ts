// Resolves typed actors to the ids and aliases in the actor list of a config.
import type { CommandContext } from '../../context.ts';
import { ifReadable } from '../framework/if-found.ts';
import { resolveActor, wholeId } from '../framework/resolve-actor.ts';

/** Removes the prefix `id:` or `alias:`, which the actor list does not use. */
const bare = (reference: string): string => reference.replace(/^(?:id|alias):/, '');

/**
 * The names under which a config stores actors. An alias is stored as an alias, so that the config follows it. An actor
 * given by name is stored by its id.
 */
export const sharedNames = async (
  context: Pick<CommandContext, 'call' | 'prompt'>,
  references: readonly string[],
): Promise<readonly string[]> => {
  const given = references.flatMap((words) => words.split(/[\s,]+/)).filter((word) => word !== '');
  const names = await Promise.all(
    given.map(async (reference) => {
      const actor = await resolveActor(context, reference);
      const name = bare(reference);
      if (wholeId.test(name)) return actor.id;
      // If the text is neither the name nor an id prefix of the actor, it is an alias. An alias may also equal the
      // name or an id prefix.
      const isAlias = reference.startsWith('alias:') || (name !== actor.name && !actor.id.startsWith(name));
      if (isAlias) return name;
      const alias = await ifReadable(context.call('aliases.show', { params: { alias: name } }));
      return alias?.actorId === actor.id ? name : actor.id;
    }),
  );
  return [...new Set(names)];
};

/** The list entries for these actors. An actor given by its alias may be listed by its id. */
export const entriesOf = async (
  context: Pick<CommandContext, 'call' | 'prompt'>,
  references: readonly string[],
  present: readonly string[],
): Promise<readonly string[]> =>
  Promise.all(
    (await sharedNames(context, references)).map(async (name) => {
      if (present.includes(name) || wholeId.test(name)) return name;
      const { id } = await resolveActor(context, `alias:${name}`);
      return present.includes(id) ? id : name;
    }),
  );

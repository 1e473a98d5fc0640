// Resolves typed actors to the ids and aliases in the actor list of a config.
import type { CommandContext } from '../../context.ts';
import { resolveActor } from '../kernel/resolve-actor.ts';

/** Removes the prefix `id:` or `alias:`, which the list does not contain. */
const bare = (reference: string): string => reference.replace(/^(?:id|alias):/, '');

/**
 * Returns the id or alias of each actor. An alias stays an alias, so that the config follows it. An actor given by name
 * is listed by its id.
 * @throws CliFailure NOT_FOUND, USAGE if several actors match
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
      // If the text is not the id, the name or an id prefix of the actor, it is an alias.
      const isAlias = name !== actor.id && name !== actor.name && !actor.id.startsWith(name);
      return isAlias || reference.startsWith('alias:') ? name : actor.id;
    }),
  );
  return [...new Set(names)];
};

// The actors of a config: from what a person typed to the id or alias that stands in its list.
import type { CommandContext } from '../../context.ts';
import { resolveActor } from '../kernel/resolve-actor.ts';

/** `id:` and `alias:` say what a name is; in a list it stands alone. */
const bare = (reference: string): string => reference.replace(/^(?:id|alias):/, '');

/**
 * The id or alias of each actor that is meant. An alias stays an alias, so that the config goes where it points; an actor that
 * was called by its name is written by its id.
 * @throws CliFailure NOT_FOUND, USAGE when several could be meant
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
      // What is neither its id, its name nor a beginning of its id has found it as an alias.
      const isAlias = name !== actor.id && name !== actor.name && !actor.id.startsWith(name);
      return isAlias || reference.startsWith('alias:') ? name : actor.id;
    }),
  );
  return [...new Set(names)];
};

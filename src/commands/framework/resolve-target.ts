// Resolves a target named on the command line: an actor, an alias or a config that has permissions or nonces.
// @see docs/cli.md#permissions-and-nonces
import type { CommandContext } from '../../context.ts';
import { usage } from '../../failure.ts';
import { resolveActor } from './resolve-actor.ts';

/**
 * An actor, alias or config that has permissions or nonces. `words` is its name for people. `called` is the name of the
 * actor, possibly empty. `alias` is the alias that was typed in place of the actor.
 */
export type Target =
  | {
      readonly kind: 'actor';
      readonly name: string;
      readonly words: string;
      readonly called: string;
      readonly alias?: string;
    }
  | { readonly kind: 'alias'; readonly name: string; readonly words: string }
  | { readonly kind: 'config'; readonly name: string; readonly words: string };

/** Resolves a target. An actor is looked up, and its `name` becomes its id. An alias or config is not looked up yet. */
export const resolveTarget = async (
  context: Pick<CommandContext, 'call' | 'prompt'>,
  reference: string,
): Promise<Target> => {
  const [, kind, name = ''] = /^(alias|config):(.*)$/s.exec(reference) ?? [];
  if (kind === 'alias' || kind === 'config') {
    if (name === '') throw usage(`"${reference}" has no name after the colon`, `write ${kind}:NAME`);
    return { kind, name, words: reference };
  }
  const { id, name: called } = await resolveActor(context, reference);
  const typed = reference.replace(/^id:/, '');
  // If neither the id nor the name matches the typed text, the service found the actor by an alias.
  const isAlias = called !== typed && !id.startsWith(typed);
  const words = called === '' ? id : `${called} (${id})`;
  return { kind: 'actor', name: id, words, called, ...(isAlias && { alias: typed }) };
};

/**
 * Resolves an id, a name, or a bare alias. A bare alias means the alias itself, not its actor. The `name` of an
 * actor is its id.
 */
export const resolveActorOrAlias = async (
  context: Pick<CommandContext, 'call' | 'prompt'>,
  reference: string,
): Promise<Exclude<Target, { readonly kind: 'config' }>> => {
  const target = await resolveTarget(context, reference);
  if (target.kind === 'alias') return target;
  if (target.kind === 'config') throw usage(`"${reference}" is a config`, 'give an actor, or alias:NAME');
  const { alias } = target;
  return alias === undefined ? target : { kind: 'alias', name: alias, words: `alias:${alias}` };
};

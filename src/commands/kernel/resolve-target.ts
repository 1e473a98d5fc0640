// From what a person typed to the thing that has permissions or nonces: `alias:NAME`, `config:NAME`, or an actor. @see cli.md 4.6
import type { CommandContext } from '../../context.ts';
import { usage } from '../../failure.ts';
import { resolveActor } from './resolve-actor.ts';

/** A thing that has permissions, or nonces. `words` is for people; `called` is the name of an actor, maybe empty. */
export type Target =
  | { readonly kind: 'actor'; readonly name: string; readonly words: string; readonly called: string }
  | { readonly kind: 'alias'; readonly name: string; readonly words: string }
  | { readonly kind: 'config'; readonly name: string; readonly words: string };

/**
 * The thing that is meant. Of an alias or a config nothing is asked yet; the `name` of an actor is its id.
 * @throws CliFailure NOT_FOUND (actor), USAGE
 */
export const resolveTarget = async (
  context: Pick<CommandContext, 'call' | 'prompt'>,
  reference: string,
): Promise<Target> => {
  const [, kind, name = ''] = /^(alias|config):(.*)$/s.exec(reference) ?? [];
  if (kind === 'alias' || kind === 'config') {
    if (name === '') throw usage(`'${reference}' names no ${kind}`, `write ${kind}:NAME`);
    return { kind, name, words: reference };
  }
  const { id, name: called } = await resolveActor(context, reference);
  return { kind: 'actor', name: id, words: called === '' ? id : `${called} (${id})`, called };
};

/**
 * The actor or alias that is meant: `alias:NAME`, an id, the name of an actor, and a bare alias last, which here stands for
 * itself and not for its actor. The `name` of an actor is its id.
 * @throws CliFailure NOT_FOUND, USAGE
 */
export const resolveActorOrAlias = async (
  context: Pick<CommandContext, 'call' | 'prompt'>,
  reference: string,
): Promise<Exclude<Target, { readonly kind: 'config' }>> => {
  const target = await resolveTarget(context, reference);
  if (target.kind === 'alias') return target;
  if (target.kind === 'config') throw usage(`'${reference}' is a config`, 'name an actor, or alias:NAME');
  const typed = reference.replace(/^id:/, '');
  // What the service found by neither id nor name, it found by an alias.
  const isAlias = target.called !== typed && !target.name.startsWith(typed);
  return isAlias ? { kind: 'alias', name: typed, words: `alias:${typed}` } : target;
};

// From what a person typed to the thing that has permissions: `alias:NAME`, `config:NAME`, or an actor. @see cli.md 4.6
import type { Context } from '../context.ts';
import { usage } from '../failure.ts';
import { resolveActor } from './identify.ts';

/** A thing that has permissions. */
export type Target =
  | { readonly kind: 'actor'; readonly name: string; readonly words: string }
  | { readonly kind: 'alias'; readonly name: string; readonly words: string }
  | { readonly kind: 'config'; readonly name: string; readonly words: string };

/**
 * The thing that is meant. Of an alias or a config nothing is asked yet; the `name` of an actor is its id.
 * @throws CliFailure NOT_FOUND (actor), USAGE
 */
export const resolveTarget = async (context: Pick<Context, 'call' | 'prompt'>, reference: string): Promise<Target> => {
  const [, kind, name = ''] = /^(alias|config):(.*)$/s.exec(reference) ?? [];
  if (kind === 'alias' || kind === 'config') {
    if (name === '') throw usage(`'${reference}' names no ${kind}`, `write ${kind}:NAME`);
    return { kind, name, words: reference };
  }
  const { id, name: called } = await resolveActor(context, reference);
  return { kind: 'actor', name: id, words: called === '' ? id : `${called} (${id})` };
};

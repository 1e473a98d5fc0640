// Resolves the actor named on the command line. @see docs/cli.md#actors
import type { CommandContext } from '../../context.ts';
import { failureCodes } from '../../contract/failure-codes.ts';
import { ACTOR_NAME_HEADER } from '../../contract/operation.ts';
import { CliFailure, usage } from '../../failure.ts';
import { actorNames, orDidYouMean } from './did-you-mean.ts';
import { ifFound, ifReadable } from './if-found.ts';
import type { Actor } from './views.ts';

/** Largest number of candidates in an error about an ambiguous name. */
export const MOST_NAMED = 5;
/** The format of every id of the service. */
export const wholeId = /^[A-Za-z][A-Za-z0-9]{12}$/;
/** Characters of every id of the service. */
export const ID_LENGTH = 13;

export type Asker = Pick<CommandContext, 'call' | 'prompt'>;

const noActor = (reference: string): CliFailure =>
  new CliFailure('NOT_FOUND', `there is no actor "${reference}"`, {
    hint: 'actorctl actors list',
    details: { actor: reference },
  });

export const ambiguous = (kind: string, reference: string, ids: readonly string[]): CliFailure =>
  usage(`"${reference}" could be ${ids.length} ${kind}`, `give an id instead: ${ids.slice(0, MOST_NAMED).join(', ')}`);

/** `id:X` and `alias:X` state what X is. Without a prefix X may be an id, an alias or a name. */
const forcedOf = (reference: string): { readonly kind: 'id' | 'alias' | undefined; readonly name: string } => {
  const [, kind, name = ''] = /^(id|alias):(.*)$/s.exec(reference) ?? [];
  if (kind === 'id' || kind === 'alias') return { kind, name };
  return { kind: undefined, name: reference };
};

/**
 * Header that allows an actor name in the path. A service that ignores the header responds "not found" for a name;
 * then the name is looked up in the list of actors.
 */
const readAsName: Readonly<Record<string, string>> = { [ACTOR_NAME_HEADER]: 'true' };
/**
 * The header of `readAsName` with the value `own`: the service treats an actor of another user as if it did not exist.
 */
export const readAsOwnName: Readonly<Record<string, string>> = { [ACTOR_NAME_HEADER]: 'own' };

/** The actor with a name: the only actor with that name, or the caller's own actor among several. */
const oneNamed = async (
  { call }: Pick<CommandContext, 'call'>,
  reference: string,
  named: readonly Actor[],
): Promise<Actor | undefined> => {
  if (named.length < 2) return named[0];
  const { username } = await call('profiles.me', { authentication: 'bearer' });
  const own = named.filter(({ owner }) => owner === username);
  if (own.length === 1) return own[0];
  const ids = (own.length > 0 ? own : named).map(({ id }) => id);
  throw ambiguous('actors', reference, ids);
};

/** Finds an actor by id or alias, then by name (the caller's own actor first), then, on a terminal, by an id prefix. */
export const findActor = async ({ call, prompt }: Asker, reference: string): Promise<Actor | undefined> => {
  const { kind, name: id } = forcedOf(reference);
  if (id === '') throw usage('the name of the actor must not be empty');
  // No alias has the format of an id, so the format shows how the service will interpret the text.
  if (kind !== undefined && wholeId.test(id) !== (kind === 'id')) return undefined;
  const headers = kind === undefined ? readAsName : {};
  const shown = await ifFound(call('actors.show', { params: { actorId: id }, headers }));
  // For a reserved path segment, such as "aliases", the service returns something other than an actor.
  const exact = typeof shown?.id === 'string' ? shown : undefined;
  if (exact !== undefined || kind !== undefined) return exact;
  const actors = await call('actors.list');
  const named = actors.filter(({ name }) => name === reference);
  const one = await oneNamed({ call }, reference, named);
  if (one !== undefined) return one;
  // In a script an id prefix could match another actor after a new one is created. So prefixes work on terminals only.
  if (!prompt.allowed || id.length >= ID_LENGTH) return undefined;
  const begun = actors.filter((each) => each.id.startsWith(id));
  if (begun.length > 1)
    throw ambiguous(
      'actors',
      reference,
      begun.map((each) => each.id),
    );
  return begun[0];
};

/** Finds an actor by id or alias (`id:X`, `alias:X`), by a unique name, or, on a terminal, by an id prefix. */
export const resolveActor = async (context: Asker, reference: string): Promise<Actor> => {
  const found = async (): Promise<Actor> => {
    const actor = await findActor(context, reference);
    if (actor === undefined) throw noActor(reference);
    return actor;
  };
  return orDidYouMean(found(), forcedOf(reference).name, () => actorNames(context));
};

/** The facts about an actor that a sender receives. */
export type ActorInBrief = Pick<Actor, 'id' | 'name' | 'status' | 'statusMessage'>;

/**
 * Returns the text for use in the path of a request if the service can find the actor by it. Undefined if the actor
 * must be looked up first: with a nonce, and for a text with a prefix such as `id:`.
 */
export const textForPath = ({ settings }: Pick<CommandContext, 'settings'>, reference: string): string | undefined =>
  settings.nonce === undefined && reference !== '' && forcedOf(reference).kind === undefined ? reference : undefined;

export interface Receiver extends Pick<Actor, 'id' | 'name'> {
  /** Absent with a nonce, because a look-up of the actor would consume a use of the nonce. */
  readonly actor?: ActorInBrief;
}

/**
 * The id or alias to which a message is sent with a nonce. The name of an actor is looked up with the login, because
 * the nonce cannot list actors. Without a working login, the text is returned unchanged.
 */
const nonceReceiver = async (
  { call, session }: Pick<CommandContext, 'call' | 'session'>,
  reference: string,
): Promise<string> => {
  const { kind, name } = forcedOf(reference);
  if (kind !== undefined || wholeId.test(name)) return name;
  const authentication = 'bearer';
  try {
    if ((await session.identity()) === undefined) return name;
    if ((await ifReadable(call('aliases.show', { params: { alias: name }, authentication }))) !== undefined)
      return name;
    const named = (await call('actors.list', { authentication })).filter((each) => each.name === name);
    return (await oneNamed({ call }, reference, named))?.id ?? name;
  } catch (error) {
    if (error instanceof CliFailure && failureCodes[error.code].category === 'auth') return name;
    throw error;
  }
};

/**
 * Finds the actor. With a nonce, it finds the id or alias for the nonce, without consuming a use of it. Prints the
 * owner if the actor belongs to another user, who may have published it under a misleading name.
 */
export const resolveReceiver = async (
  context: Asker & Pick<CommandContext, 'settings' | 'session' | 'output'>,
  reference: string,
): Promise<Receiver> => {
  if (context.settings.nonce !== undefined) return { id: await nonceReceiver(context, reference), name: '' };
  const actor = await resolveActor(context, reference);
  const username =
    (await context.session.identity())?.username ?? (await ifReadable(context.call('profiles.me', {})))?.username;
  if (actor.owner !== username) {
    const called = actor.name === '' ? actor.id : `${actor.name} (${actor.id})`;
    context.output.note(`sending to ${called}, an actor of ${actor.owner}`);
  }
  return { id: actor.id, name: actor.name, actor };
};

// Names of actors for rows that have only ids, and ids for names that a person types.
import { signal } from '@preact/signals';
import { ask } from '../api/call.ts';
import { safe } from './text.ts';

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** The actors by id, and what else a text can mean. */
export interface Known {
  readonly actors: ReadonlyMap<string, Named>;
  /** The id of the only actor with a name. Undefined if several actors have it. */
  readonly ids: ReadonlyMap<string, string | undefined>;
  readonly aliases: ReadonlySet<string>;
}

export const knownOf = (all: readonly Named[], aliases: readonly string[]): Known => {
  const ids = new Map<string, string | undefined>();
  for (const { id, name } of all) ids.set(name, ids.has(name) ? undefined : id);
  return { actors: new Map(all.map((actor) => [actor.id, actor])), ids, aliases: new Set(aliases) };
};

/** The id of the only actor with this name. An id, an alias, and a name of several actors are returned unchanged. */
const idIn = ({ actors, ids, aliases }: Known, text: string): string =>
  text === '' || actors.has(text) || aliases.has(text) ? text : (ids.get(text) ?? text);

/** A text of this form is an id, for commands. */
const ID = /^[A-Za-z][A-Za-z0-9]{12}$/;

/** How commands and addresses name an actor: by its name if that means no other actor, else by its id. */
export const wordIn = (known: Known, actorId: string): string => {
  const name = known.actors.get(actorId)?.name ?? '';
  return name !== '' && !name.startsWith('-') && !ID.test(name) && idIn(known, name) === actorId ? name : actorId;
};

const known = signal(knownOf([], []));
let reading: Promise<void> | undefined;
let readAt = Number.NEGATIVE_INFINITY;

const EVERY_MS = 10_000;

/** Ids that were looked up without a name. Each causes one read: an actor may be new, or may have been deleted. */
const lookedUp = new Set<string>();

const read = (): void => {
  if (reading !== undefined) return;
  readAt = performance.now();
  reading = Promise.all([ask('GET /actors/v2', {}), ask('GET /actors/v2/aliases', {})])
    .then(([actors, aliases]) => {
      if (!Array.isArray(actors)) return;
      const named = actors.map(({ id, name }) => ({ id, name }));
      known.value = knownOf(
        named,
        aliases.map(({ alias }) => alias),
      );
    })
    .catch(() => undefined)
    .finally(() => {
      reading = undefined;
    });
};

/** Reads the names again, at most every ten seconds. */
export const readNames = (): void => {
  if (performance.now() - readAt >= EVERY_MS) read();
};

const lookUp = async (actorId: string): Promise<void> => {
  if (lookedUp.has(actorId)) return;
  lookedUp.add(actorId);
  // A read that has begun may have missed the actor.
  await reading;
  read();
};

export const nameOf = (actorId: string): string => {
  const name = known.value.actors.get(actorId)?.name;
  if (name === undefined) void lookUp(actorId);
  return safe(name === undefined || name === '' ? actorId : name);
};

export const knownActors = (): readonly Named[] => [...known.value.actors.values()];

/** Names of the actors, or ids of those without a name. */
export const knownNames = (): readonly string[] =>
  [...new Set([...known.value.actors.values()].map(({ id, name }) => name || id))].toSorted();

/** `idIn` among the names that were read. */
export const idOfName = (text: string): string => idIn(known.value, text);

/** The same after the names have been read, for the text of an address. */
export const resolveName = async (text: string): Promise<string> => {
  if (idOfName(text) === text) {
    readNames();
    await reading;
  }
  return idOfName(text);
};

/** `wordIn` among the names that were read. */
export const wordOf = (actorId: string): string => wordIn(known.value, actorId);

// Names of actors for rows that have only ids, and ids for names that a person types.
import { signal } from '@preact/signals';
import { ask } from '../api/call.ts';
import { idIn, knownOf, type Named, wordIn } from './known-names.ts';
import { safe } from './text.ts';

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

// Names of actors for rows that have only ids, and ids for names that a person types.
import { signal } from '@preact/signals';
import { ask } from '../api/call.ts';
import { safe } from './text.ts';

export interface Named {
  readonly id: string;
  readonly name: string;
}

const actors = signal<ReadonlyMap<string, Named>>(new Map());
let reading: Promise<void> | undefined;
let readAt = Number.NEGATIVE_INFINITY;

const EVERY_MS = 10_000;

/** Ids that were looked up without a name. Each causes one read: an actor may be new, or may have been deleted. */
const lookedUp = new Set<string>();

const read = (): void => {
  if (reading !== undefined) return;
  readAt = performance.now();
  reading = ask('GET /actors/v2', {})
    .then((found) => {
      if (Array.isArray(found)) actors.value = new Map(found.map(({ id, name }) => [id, { id, name }]));
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
  const name = actors.value.get(actorId)?.name;
  if (name === undefined) void lookUp(actorId);
  return safe(name === undefined || name === '' ? actorId : name);
};

export const knownActors = (): readonly Named[] => [...actors.value.values()];

/** Names of the actors, or ids of those without a name. */
export const knownNames = (): readonly string[] =>
  [...new Set([...actors.value.values()].map(({ id, name }) => name || id))].toSorted();

/** The id of the only actor with this name. An id, an alias, and a name of several actors are returned unchanged. */
export const idOfName = (text: string): string => {
  if (actors.value.has(text)) return text;
  const [found, ...others] = [...actors.value.values()].filter(({ name }) => name === text);
  return found === undefined || others.length > 0 ? text : found.id;
};

/** How the command line names an actor: by its name if no other actor has it, else by its id. */
export const wordOf = (actorId: string): string => {
  const name = actors.value.get(actorId)?.name ?? '';
  return name !== '' && !name.startsWith('-') && idOfName(name) === actorId ? name : actorId;
};

// Names of actors for rows that have only ids.
import { signal } from '@preact/signals';
import { ask } from '../api/call.ts';
import { safe } from './text.ts';

const names = signal<ReadonlyMap<string, string>>(new Map());
let reading: Promise<void> | undefined;
let readAt = Number.NEGATIVE_INFINITY;

/** Reads the names again, at most every ten seconds. */
export const readNames = (): void => {
  if (reading !== undefined || performance.now() - readAt < 10_000) return;
  readAt = performance.now();
  reading = ask('GET /actors/v2', {})
    .then((actors) => {
      if (Array.isArray(actors)) names.value = new Map(actors.map(({ id, name }) => [id, name]));
    })
    .catch(() => undefined)
    .finally(() => {
      reading = undefined;
    });
};

export const nameOf = (actorId: string): string => {
  const name = names.value.get(actorId);
  if (name === undefined) readNames();
  return safe(name === undefined || name === '' ? actorId : name);
};

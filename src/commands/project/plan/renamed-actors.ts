// Actors whose key in the file differs from their key in the project record.

import type { DesiredActor } from './desired-state.ts';
import type { ProjectRecord } from './record.ts';

/**
 * Updates the record to the keys of the file. A new key in the file is matched with a recorded key that the file no
 * longer has, if the actor has the same name at the service. Such keys arise because an export uses the names at the
 * service.
 * @param names names at the service by id
 */
export const withKeysOf = (
  record: ProjectRecord,
  wanted: readonly Pick<DesiredActor, 'key' | 'name'>[],
  names: ReadonlyMap<string, string>,
): ProjectRecord => {
  const actors = new Map(Object.entries(record.actors));
  for (const { key, name } of wanted) {
    if (actors.has(key)) continue;
    const before = [...actors].filter(
      ([old, { id }]) => names.get(id) === name && !wanted.some((each) => each.key === old),
    );
    const [found] = before;
    if (found === undefined || before.length > 1) continue;
    actors.delete(found[0]);
    actors.set(key, found[1]);
  }
  return { ...record, actors: Object.fromEntries(actors) };
};

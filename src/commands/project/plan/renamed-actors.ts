// Actors that have another key in the file than in the record of the project.

import type { DesiredActor } from './desired-state.ts';
import type { ProjectRecord } from './record.ts';

/**
 * The record with the keys of the file. An actor with a new key is the one that the record has under a key that the file
 * no longer has, if its name at the service is that of the file: an export names actors as the service does.
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

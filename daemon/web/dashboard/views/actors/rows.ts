// Rows of the list of actors.
import type { Answer } from '../../api/routes.ts';
import { hasWords } from '../../parts/search/has-words.ts';

export type Actor = Answer<'GET /actors/v2/:actorId'>;

export interface Statistics {
  readonly running: number;
  readonly waiting: number;
  readonly recent: readonly number[];
}

type Listed = 'id' | 'name' | 'status' | 'stateless' | 'image' | 'owner' | 'lastExecutionTime' | 'aliases';

export interface ActorRow extends Pick<Actor, Listed> {
  readonly now: Statistics | undefined;
}

/** True if every word occurs in the name, an alias, the id, the image, the owner or the status. */
export const matches = (
  { id, name, image, owner, status, aliases = [] }: Omit<ActorRow, 'now' | 'stateless'>,
  q: string,
): boolean => hasWords([id, name, image, owner, status, ...aliases], q);

// The permission level of the logged-in user on an actor.
import type { Level } from '../../../../../src/contract/operation.ts';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { mapConcurrently } from '../../parts/actions/map-concurrently.ts';
import { me } from '../../shell/me.ts';

const EVERY_MS = 60_000;

const RANKS: readonly Level[] = ['NONE', 'READ', 'EXECUTE', 'UPDATE'];

/** Why a button is disabled. Undefined if it is not, and while the level is unknown: the service checks it anyway. */
export const refusalOf = (has: Level | undefined, needs: Level): string | undefined =>
  has === undefined || RANKS.indexOf(has) >= RANKS.indexOf(needs)
    ? undefined
    : `This needs the permission ${needs}. You have ${has}.`;

const readLevel = async (actorId: string, username: string, signal: AbortSignal): Promise<Level> =>
  (await ask('GET /actors/v2/:actorId/permissions/:username', { params: { actorId, username }, signal })).has;

/** @param actorId undefined while it is not known */
export const useLevel = (actorId: string | undefined) => {
  const user = me.value?.username;
  const { value } = usePolled(
    `level ${actorId} ${user}`,
    async (signal): Promise<Level | undefined> =>
      user === undefined || actorId === undefined ? undefined : readLevel(actorId, user, signal),
    { every: EVERY_MS },
  );
  return value;
};

/** The level of the logged-in user on a config. */
export const useConfigLevel = (configName: string): Level | undefined => {
  const username = me.value?.username;
  const { value } = usePolled(
    `level of config ${configName} ${username}`,
    async (signal): Promise<Level | undefined> =>
      username === undefined
        ? undefined
        : (
            await ask('GET /actors/v2/configs/:configName/permissions/:username', {
              params: { configName, username },
              signal,
            })
          ).has,
    { every: EVERY_MS },
  );
  return value.value;
};

/** Most actors whose levels are read at once. The service checks the others. */
const MOST = 50;

/** The levels of the logged-in user on several actors. A level that was not read yet is missing. */
export const useLevels = (actorIds: readonly string[]): ReadonlyMap<string, Level> => {
  const user = me.value?.username;
  const ids = [...new Set(actorIds)].toSorted().slice(0, MOST);
  const { value } = usePolled(
    `levels ${ids.join(' ')} ${user}`,
    async (signal): Promise<ReadonlyMap<string, Level>> =>
      new Map(
        user === undefined
          ? []
          : await mapConcurrently(ids, async (id) => [id, await readLevel(id, user, signal)] as const),
      ),
    { every: EVERY_MS },
  );
  return value.value ?? new Map();
};

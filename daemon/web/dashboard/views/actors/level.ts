// The permission level of the logged-in user on an actor.
import type { Level } from '../../../../../src/contract/operation.ts';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { me } from '../../shell/me.ts';

const EVERY_MS = 60_000;

const RANKS: readonly Level[] = ['NONE', 'READ', 'EXECUTE', 'UPDATE'];

/** Why a button is disabled. Undefined if it is not, and while the level is unknown: the service checks it anyway. */
export const refusalOf = (has: Level | undefined, needs: Level): string | undefined =>
  has === undefined || RANKS.indexOf(has) >= RANKS.indexOf(needs)
    ? undefined
    : `This needs the permission ${needs}. You have ${has}.`;

export const useLevel = (actorId: string) => {
  const user = me.value?.username;
  const { value } = usePolled(
    `level ${actorId} ${user}`,
    async (signal): Promise<Level | undefined> =>
      user === undefined
        ? undefined
        : (await ask('GET /actors/v2/:actorId/permissions/:username', { params: { actorId, username: user }, signal }))
            .has,
    { every: EVERY_MS },
  );
  return value;
};

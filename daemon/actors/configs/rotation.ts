// Changing the key of the secret configs: at every moment, and after every crash, each of them opens.
import { nameKey } from '../../domain/records/resource-records.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Seal } from '../../ports/seal.ts';
import type { Store } from '../../ports/store.ts';

interface Dependencies {
  readonly store: Store;
  readonly seal: Seal;
  readonly logger: Logger;
}

/** Seals one config under the current key, if it still needs that. */
const resealOne = ({ store, seal }: Dependencies, key: string): Promise<boolean> =>
  store.transact((tx) => {
    const config = tx.get('configs', key);
    if (config === undefined || !config.isSecret || seal.isCurrent(config.value)) return false;
    tx.put('configs', { ...config, value: seal.seal(seal.open(config.value, config), config) });
    return true;
  });

/**
 * Seals every secret under the current key and then forgets the older keys; answers how many it was. What a crash or a full
 * disk cut short, the next call takes up: the older keys stay until nothing needs them.
 * @throws Failure STORE_UNAVAILABLE when one cannot be opened or written; the older keys stay then
 */
const reseal = async (deps: Dependencies): Promise<number> => {
  let resealed = 0;
  // In a decision, which sees what is not on the disk yet: a secret that was sealed a moment ago needs the new key as well.
  const present = await deps.store.transact((tx) => [...tx.all('configs')]);
  for (const { tenant, name } of present) {
    if (await resealOne(deps, nameKey(tenant, name))) resealed += 1;
  }
  await deps.seal.dropOldKeys();
  return resealed;
};

export interface Rotation {
  /** Makes a new key and seals every secret under it; answers how many there were. One after another when asked twice. */
  rotate(): Promise<number>;
  /** Ends a change of keys that was cut short; nothing to do answers 0. */
  resume(): Promise<number>;
}

export const keyRotation = (deps: Dependencies): Rotation => {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<number>): Promise<number> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    rotate: () =>
      inTurn(async () => {
        await deps.seal.addKey();
        const resealed = await reseal(deps);
        deps.logger.info({ event: 'config-key-rotated', resealed }, 'the key of the secret configs was changed');
        return resealed;
      }),
    resume: () => inTurn(async () => (deps.seal.hasOldKeys() ? reseal(deps) : 0)),
  };
};

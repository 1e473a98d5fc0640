// Rotates the key of secret configs. Every secret stays readable throughout, also after a crash.
import { nameKey } from '../../domain/records/resource-records.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Seal } from '../../ports/seal.ts';
import type { Store } from '../../ports/store.ts';

interface Dependencies {
  readonly store: Store;
  readonly seal: Seal;
  readonly logger: Logger;
}

/** Encrypts one config with the current key. Returns false if it needs no change. */
const resealOne = ({ store, seal }: Dependencies, key: string): Promise<boolean> =>
  store.transact((tx) => {
    const config = tx.get('configs', key);
    if (config === undefined || !config.isSecret || seal.isCurrent(config.value)) return false;
    tx.put('configs', { ...config, value: seal.seal(seal.open(config.value, config), config) });
    return true;
  });

/**
 * Encrypts every secret with the current key, then deletes the older keys. Returns the number of secrets that were
 * encrypted again. The older keys stay until no secret needs them, so the next call completes a run that a crash or a
 * full disk interrupted.
 * @throws Failure STORE_UNAVAILABLE if a secret cannot be opened or written
 */
const reseal = async (deps: Dependencies): Promise<number> => {
  let resealed = 0;
  // Read in a transaction, which also sees records that are not on disk yet: their secrets need the new key as well.
  const present = await deps.store.transact((tx) => [...tx.all('configs')]);
  for (const { tenant, name } of present) {
    if (await resealOne(deps, nameKey(tenant, name))) resealed += 1;
  }
  await deps.seal.dropOldKeys();
  return resealed;
};

export interface Rotation {
  /**
   * Creates a key and encrypts every secret with it. Returns the number of secrets. Concurrent calls run one after
   * another.
   */
  rotate(): Promise<number>;
  /** Completes an interrupted rotation. Returns 0 if there was none. */
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
        deps.logger.info({ event: 'config-key-rotated', resealed }, 'rotated the key of secret configs');
        return resealed;
      }),
    resume: () => inTurn(async () => (deps.seal.hasOldKeys() ? reseal(deps) : 0)),
  };
};

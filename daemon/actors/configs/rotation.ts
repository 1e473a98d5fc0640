// Rotates the key of secret configs and of sealed nonces. Every secret stays readable throughout, even after a crash.
import { Failure } from '../../domain/failure.ts';
import { nameKey } from '../../domain/records/resource-records.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Seal } from '../../ports/seal.ts';
import type { Store } from '../../ports/store.ts';
import { sealedFor } from '../nonces/secrets.ts';
import { sealedFor as sealedForExecution } from './injection.ts';

interface Dependencies {
  readonly store: Store;
  readonly seal: Seal;
  readonly logger: Logger;
}

/** Returns false if the config needs no change. */
const resealConfig = ({ store, seal }: Dependencies, key: string): Promise<boolean> =>
  store.transact((tx) => {
    const config = tx.get('configs', key);
    if (config === undefined || !config.isSecret || seal.isCurrent(config.value)) return false;
    tx.put('configs', { ...config, value: seal.seal(seal.open(config.value, config), config) });
    return true;
  });

/**
 * Returns false if the nonce needs no change. A secret that cannot be decrypted is dropped: the nonce stays valid, but
 * its secret is no longer shown.
 */
const resealNonce = ({ store, seal }: Dependencies, id: string): Promise<boolean> =>
  store.transact((tx) => {
    const nonce = tx.get('nonces', id);
    if (nonce?.sealed === undefined || seal.isCurrent(nonce.sealed)) return false;
    const { sealed, ...unsealed } = nonce;
    const owner = sealedFor(nonce);
    try {
      tx.put('nonces', { ...nonce, sealed: seal.seal(seal.open(sealed, owner), owner) });
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      tx.put('nonces', unsealed);
      return false;
    }
  });

/** The secrets that a running execution received. Returns false if they need no change. */
const resealExecution = ({ store, seal }: Dependencies, id: string): Promise<boolean> =>
  store.transact((tx) => {
    const execution = tx.get('executions', id);
    if (execution?.secrets === undefined || seal.isCurrent(execution.secrets)) return false;
    const owner = sealedForExecution(execution);
    tx.put('executions', { ...execution, secrets: seal.seal(seal.open(execution.secrets, owner), owner) });
    return true;
  });

/**
 * Encrypts every secret with the current key, then deletes the older keys. Returns the number of re-encrypted secrets.
 * Older keys stay until no secret needs them, so the next call completes a rotation that a crash or a full disk
 * interrupted.
 */
const reseal = async (deps: Dependencies): Promise<number> => {
  let resealed = 0;
  // Read inside a transaction, which includes records that are not on disk yet: their secrets need the new key too.
  const { configs, nonces, executions } = await deps.store.transact((tx) => ({
    configs: [...tx.all('configs')].filter(({ isSecret }) => isSecret),
    nonces: [...tx.all('nonces')].filter(({ sealed }) => sealed !== undefined),
    executions: tx.by('executions', 'running', 'yes').filter(({ secrets }) => secrets !== undefined),
  }));
  for (const { tenant, name } of configs) {
    if (await resealConfig(deps, nameKey(tenant, name))) resealed += 1;
  }
  for (const { id } of nonces) {
    if (await resealNonce(deps, id)) resealed += 1;
  }
  for (const { id } of executions) await resealExecution(deps, id);
  await deps.seal.dropOldKeys();
  return resealed;
};

export const keyRotation = (deps: Dependencies) => {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<number>): Promise<number> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    /**
     * Creates a key and encrypts every secret with it. Returns the number of secrets. Concurrent calls run one by one.
     */
    rotate: (): Promise<number> =>
      inTurn(async () => {
        await deps.seal.addKey();
        const resealed = await reseal(deps);
        deps.logger.info({ event: 'config-key-rotated', resealed }, 'rotated the key of secret configs');
        return resealed;
      }),
    /** Completes an interrupted rotation. Returns 0 if there was none. */
    resume: (): Promise<number> => inTurn(async () => (deps.seal.hasOldKeys() ? reseal(deps) : 0)),
  };
};

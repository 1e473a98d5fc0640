// Opens the encryption of secret configs.
import { replaceFile } from '../../src/local/atomic-file.ts';
import { configsOf } from '../actors/configs/injection.ts';
import { keyRotation } from '../actors/configs/rotation.ts';
import type { Configs } from '../ports/configs.ts';
import type { Logger } from '../ports/logger.ts';
import type { Seal } from '../ports/seal.ts';
import type { Store } from '../ports/store.ts';
import { openSeal } from '../vault/seal.ts';

export interface ConfigSecrets {
  readonly seal: Seal;
  readonly configs: Configs;
  /** Encrypts every secret config with a new key; resolves with their number. */
  readonly rotateKey: () => Promise<number>;
}

/**
 * Opens the key file, creating it on the first start, and finishes an interrupted change of keys.
 * A missing key does not reject; the secret configs are locked then.
 */
export const openConfigSecrets = async ({
  file,
  store,
  logger,
}: {
  /** Path of the key file. */
  readonly file: string;
  readonly store: Store;
  readonly logger: Logger;
}): Promise<ConfigSecrets> => {
  const inUse = [...store.all('configs')].some(({ isSecret }) => isSecret);
  const seal = await openSeal({ file, inUse, replace: (path, text) => replaceFile(path, (append) => append(text)) });
  if (seal.locked !== undefined) logger.warn({ reason: seal.locked }, 'secret configs are locked');
  const rotation = keyRotation({ store, seal, logger });
  await rotation.resume().catch((error: unknown) => logger.warn({ error }, 'cannot finish a change of keys'));
  return {
    seal,
    configs: configsOf({ store, seal }),
    rotateKey: rotation.rotate,
  };
};

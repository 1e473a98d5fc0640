// Opens the encryption of secret configs, and defines the management actions on them.
import * as z from 'zod/mini';
import { configsOf } from '../actors/configs/injection.ts';
import { keyRotation } from '../actors/configs/rotation.ts';
import { Failure } from '../domain/failure.ts';
import type { Actions } from '../management/server.ts';
import type { Configs } from '../ports/configs.ts';
import type { Logger } from '../ports/logger.ts';
import type { Seal } from '../ports/seal.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import { replaceFile } from '../store/durable-files.ts';
import { openSeal } from '../vault/seal.ts';

export interface Secrets {
  readonly seal: Seal;
  readonly configs: Configs;
  /** Called by `src/local/daemon/management-client.ts`. */
  readonly actions: Actions;
}

/**
 * The digest proves that the service has already returned the sealed text to the caller, so the caller has a permission
 * on the config.
 */
const revealed = z.object({ name: z.string(), digest: z.string() });

/**
 * Opens the key file, creating it on the first start, and finishes an interrupted change of keys.
 * A missing key does not reject; the secret configs are locked then.
 */
export const openSecrets = async ({
  file,
  store,
  vault,
  logger,
}: {
  /** Path of the key file. */
  readonly file: string;
  readonly store: Store;
  readonly vault: Pick<Vault, 'digest'>;
  readonly logger: Logger;
}): Promise<Secrets> => {
  const inUse = [...store.all('configs')].some(({ isSecret }) => isSecret);
  const seal = await openSeal({ file, inUse, replace: (path, text) => replaceFile(path, (append) => append(text)) });
  if (seal.locked !== undefined) logger.warn({ reason: seal.locked }, 'secret configs are locked');
  const rotation = keyRotation({ store, seal, logger });
  await rotation.resume().catch((error: unknown) => logger.warn({ error }, 'cannot finish a change of keys'));
  return {
    seal,
    configs: configsOf({ store, seal }),
    actions: {
      'POST /manage/config-value': (input) => {
        const asked = z.safeParse(revealed, input);
        if (!asked.success) throw new Failure('VALIDATION', 'name and digest must be texts');
        const { name, digest } = asked.data;
        const found = [...store.all('configs')].find(
          (config) => config.name === name && config.isSecret && vault.digest(config.value) === digest,
        );
        if (found === undefined)
          throw new Failure('NOT_FOUND', `there is no secret config "${name}" with this sealed text`);
        const text = seal.open(found.value, found);
        logger.info(
          { event: 'config-revealed', tenant: found.tenant, config: name },
          'a secret config was shown in clear text',
        );
        return { text };
      },
      'POST /manage/rotate-config-key': async () => ({ resealed: await rotation.rotate() }),
    },
  };
};

// Puts together what seals and opens the secret configs, and what the owner of the files may do with them over the management socket.
import * as z from 'zod/mini';
import { replaceFile } from '../../src/local/atomic-file.ts';
import { configsOf } from '../actors/configs/injection.ts';
import { keyRotation } from '../actors/configs/rotation.ts';
import { Failure } from '../domain/failure.ts';
import type { Actions } from '../management/server.ts';
import type { Configs } from '../ports/configs.ts';
import type { Logger } from '../ports/logger.ts';
import type { Seal } from '../ports/seal.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import { openSeal } from '../vault/seal.ts';

export interface Secrets {
  readonly seal: Seal;
  readonly configs: Configs;
  /** `src/local/daemon/management-client.ts` is their client. */
  readonly actions: Actions;
}

/** The digest shows that who asks was answered the config by the service: a level on it is needed even here. */
const revealed = z.object({ name: z.string(), digest: z.string() });

/**
 * Opens the seal, making its key on the first start, and ends a change of keys that was cut short.
 * Never rejects for a key that is not to be had: secrets are locked then.
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
  await rotation.resume().catch((error: unknown) => logger.warn({ error }, 'a change of keys could not be ended'));
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
          throw new Failure('NOT_FOUND', `there is no secret config ${name} with that sealed text`);
        const text = seal.open(found.value, found);
        logger.info({ event: 'config-revealed', tenant: found.tenant, config: name }, 'a secret was shown in clear');
        return { text };
      },
      'POST /manage/rotate-config-key': async () => ({ resealed: await rotation.rotate() }),
    },
  };
};

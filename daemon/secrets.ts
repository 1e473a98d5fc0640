// Puts together what seals and opens the secret configs, and what the owner of the files may do with them over the management socket.
import * as z from 'zod/mini';
import { clearText, configsOf } from './actors/configs/injection.ts';
import { keyRotation } from './actors/configs/rotation.ts';
import { Failure } from './domain/failure.ts';
import type { Actions } from './management.ts';
import type { Configs } from './ports/configs.ts';
import type { Logger } from './ports/logger.ts';
import type { Seal } from './ports/seal.ts';
import type { Store } from './ports/store.ts';
import { replaceFile } from './store/files.ts';
import { openSeal } from './vault/seal.ts';

export interface Secrets {
  readonly seal: Seal;
  readonly configs: Configs;
  /** `src/local/manage.ts` is their client. */
  readonly actions: Actions;
}

const named = z.object({ tenant: z.string(), name: z.string() });

/**
 * Opens the seal, making its key on the first start, and ends a change of keys that was cut short.
 * Never rejects for a key that is not to be had: secrets are locked then.
 */
export const openSecrets = async ({
  file,
  store,
  logger,
}: {
  /** Path of the key file. */
  readonly file: string;
  readonly store: Store;
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
        const asked = z.safeParse(named, input);
        if (!asked.success) throw new Failure('VALIDATION', 'tenant and name must be texts');
        const { tenant, name } = asked.data;
        const text = clearText({ store, seal }, tenant, name);
        if (text === undefined) throw new Failure('NOT_FOUND', `there is no config ${name}`);
        logger.info({ event: 'config-revealed', tenant, config: name }, 'a config was shown in clear');
        return { text };
      },
      'POST /manage/rotate-config-key': async () => ({ resealed: await rotation.rotate() }),
    },
  };
};

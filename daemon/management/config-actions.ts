// The actions of the management socket on secret configs: show a value, change the key.
import * as z from 'zod/mini';
import { Failure } from '../domain/failure.ts';
import type { Logger } from '../ports/logger.ts';
import type { Seal } from '../ports/seal.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import { readInput } from './read-input.ts';
import type { Actions } from './server.ts';

/**
 * The digest proves that the service has already returned the sealed text to the caller, so the caller has a permission
 * on the config.
 */
const valueInput = z.object({ name: z.string(), digest: z.string() });

/** Creates the actions. Their client is `src/local/daemon/management-client.ts`. */
export const configActions = (deps: {
  readonly store: Store;
  readonly seal: Seal;
  readonly vault: Pick<Vault, 'digest'>;
  /** Encrypts every secret config with a new key; resolves with their number. */
  readonly rotateKey: () => Promise<number>;
  readonly logger: Logger;
}): Actions => {
  const { store, seal, vault, rotateKey, logger } = deps;
  return {
    'POST /manage/config-value': (input) => {
      const { name, digest } = readInput(valueInput, input);
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
    'POST /manage/rotate-config-key': async () => ({ resealed: await rotateKey() }),
  };
};

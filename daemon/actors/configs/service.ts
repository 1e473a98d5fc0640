// Creates, lists, replaces and deletes configs. Each change is checked and written in one transaction.
import { CONFIG_VALUE_LIMIT } from '../../../src/contract/actors/configs.ts';
import { demandConfigName, haveSameNames, readActorList, valueChange } from '../../domain/actors/config.ts';
import { Failure } from '../../domain/failure.ts';
import { type ConfigRecord, nameKey } from '../../domain/records/resource-records.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { Transaction } from '../../ports/store.ts';
import { canRead, resourceAccess } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { demandOwner } from '../quotas.ts';

export interface Description {
  readonly name: string;
  readonly value: unknown;
  /** Value as JSON text, exactly as sent. */
  readonly valueText: string;
  readonly actors: string;
  readonly is_secret: boolean;
}

/** The caller needs UPDATE on every actor of the list. @see docs/http-api.md#configs */
const demandActors = (tx: Transaction, caller: Caller, actors: string): void => {
  const access = resourceAccess({ store: tx });
  for (const name of readActorList(actors)) {
    try {
      access.actor(caller, name, 'UPDATE');
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const shown = name.replace(/\p{C}/gu, '\u{fffd}').slice(0, 64);
      throw new Failure(error.code, `actors: "${shown}": ${error.message}`, { ...error.detail, field: 'actors' });
    }
  }
};

const demandSize = ({ valueText }: Description): void => {
  const size = Buffer.byteLength(valueText);
  if (size <= CONFIG_VALUE_LIMIT) return;
  throw new Failure(
    'PAYLOAD_TOO_LARGE',
    `The value has ${size} bytes of JSON, but a config may have at most ${CONFIG_VALUE_LIMIT}. Split it, or store it elsewhere and put its address into the config.`,
    { limit: CONFIG_VALUE_LIMIT },
  );
};

const refuseStale = ({ name, revision }: ConfigRecord, expected: number | undefined): void => {
  if (expected === undefined || expected === revision) return;
  throw new Failure(
    'STALE_VERSION',
    `The config "${name}" was not changed: it is at revision ${revision}, not ${expected}. Read it again before you change it.`,
    { revision },
  );
};

export const configs = ({
  store,
  seal,
  clock,
  quotas,
  logger,
}: Pick<ActorsDependencies, 'store' | 'seal' | 'clock' | 'logger' | 'quotas'>) => {
  const log = (event: string, { tenant, username }: Caller, config: string): void =>
    logger.info({ event, by: username, tenant, config }, event);

  return {
    async create(caller: Caller, description: Description): Promise<ConfigRecord> {
      const { name, valueText, actors, is_secret: isSecret } = description;
      demandConfigName(name);
      demandSize(description);
      valueChange(description.value, isSecret, undefined);
      const { tenant, username } = caller;
      const made = await store.transact((tx) => {
        // Permissions are checked before the name, so that a caller cannot find out which names exist.
        demandActors(tx, caller, actors);
        if (tx.get('configs', nameKey(tenant, name)) !== undefined) {
          throw new Failure('ALREADY_EXISTS', `A config "${name}" already exists. Choose another name.`, { name });
        }
        demandOwner(tx, caller, 'configs', quotas);
        const now = clock.now();
        const config: ConfigRecord = {
          tenant,
          name,
          value: isSecret ? seal.seal(valueText, { tenant, name }) : valueText,
          isSecret,
          actors,
          owner: username,
          permissions: { [username]: 'UPDATE' },
          revision: 1,
          createdAt: now,
          updatedAt: now,
        };
        tx.put('configs', config);
        return config;
      });
      log('config-created', caller, name);
      return made;
    },

    /** The configs on which the caller or the world has READ, oldest first. Roles do not count. */
    list: (caller: Caller): readonly ConfigRecord[] =>
      store.by('configs', 'tenant', caller.tenant).filter((config) => canRead(config, caller)),

    /** @param expected revision that the caller has read; undefined skips the check */
    async replace(
      caller: Caller,
      name: string,
      description: Description,
      expected: number | undefined,
    ): Promise<ConfigRecord> {
      const { valueText, actors, is_secret: isSecret } = description;
      if (description.name !== name) {
        throw new Failure('VALIDATION', 'name cannot be changed. Create another config instead.', { field: 'name' });
      }
      demandSize(description);
      const replaced = await store.transact((tx) => {
        // Checked again in the transaction: since the guard ran, the config may have been deleted and created by
        // another user.
        const present = resourceAccess({ store: tx }).config(caller, name, 'UPDATE');
        refuseStale(present, expected);
        const change = valueChange(description.value, isSecret, present.isSecret ? present.value : undefined);
        const isSameList = haveSameNames(actors, present.actors);
        if (!isSameList) demandActors(tx, caller, actors);
        const { tenant } = present;
        const value = change === 'keep' ? present.value : isSecret ? seal.seal(valueText, { tenant, name }) : valueText;
        const revision = present.revision + 1;
        const config: ConfigRecord = {
          ...present,
          value,
          isSecret,
          actors,
          ...(!isSameList && { listSetBy: caller.username }),
          revision,
          updatedAt: clock.now(),
        };
        tx.put('configs', config);
        return config;
      });
      log('config-replaced', caller, name);
      return replaced;
    },

    async remove(caller: Caller, name: string): Promise<void> {
      await store.transact((tx) => {
        const { tenant } = resourceAccess({ store: tx }).config(caller, name, 'UPDATE');
        tx.delete('configs', nameKey(tenant, name));
      });
      log('config-deleted', caller, name);
    },
  };
};

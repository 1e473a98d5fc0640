// Which configs an execution finds in its environment.
import { configsText, namesIn } from '../../domain/config.ts';
import type { ConfigRecord } from '../../domain/resource-records.ts';
import type { Configs } from '../../ports/configs.ts';
import type { Seal } from '../../ports/seal.ts';
import type { ReadView } from '../../ports/store.ts';

/**
 * The configs of an actor as an execution gets them: those whose list has its id, or an alias that points to it now.
 * Names are compared whole. @see spec 8.4, facts 11
 */
export const configsOf = ({ store, seal }: { readonly store: ReadView; readonly seal: Seal }): Configs => {
  /** Lists are read at every start of an execution, and records never change. */
  const read = new WeakMap<ConfigRecord, ReadonlySet<string>>();
  const namesOf = (config: ConfigRecord): ReadonlySet<string> => {
    const known = read.get(config) ?? namesIn(config.actors);
    read.set(config, known);
    return known;
  };
  return {
    textFor({ id, tenant }) {
      const aliases = store
        .by('aliases', 'actor', id)
        // An id wins over an alias of the same letters, here as everywhere.
        .filter((alias) => alias.tenant === tenant && store.get('actors', alias.alias)?.tenant !== tenant);
      const names = [id, ...aliases.map(({ alias }) => alias)];
      return configsText(
        store
          .by('configs', 'tenant', tenant)
          .filter((config) => names.some((name) => namesOf(config).has(name)))
          .map(({ name, value, isSecret }) => [name, isSecret ? seal.open(value, { tenant, name }) : value] as const),
      );
    },
  };
};

// Which configs an execution finds in its environment.
import { configsText, namesIn } from '../../domain/actors/config.ts';
import { effectiveLevel, includesLevel, passesChecks } from '../../domain/actors/permission.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import type { ConfigRecord } from '../../domain/records/resource-records.ts';
import type { Configs } from '../../ports/configs.ts';
import type { Seal } from '../../ports/seal.ts';
import type { ReadView } from '../../ports/store.ts';

/**
 * Whether a config may follow an alias to where it points now: whoever may move an alias could otherwise move it to an actor
 * of their own and read what nobody shared with them. @see spec 5.6
 */
const mayFollowAlias = (store: ReadView, config: ConfigRecord, { tenant, permissions }: ActorRecord): boolean => {
  const setter = config.listSetBy ?? config.owner;
  const user = store.get('users', joinKey(tenant, setter));
  if (user === undefined) return false;
  return passesChecks(user.roles) || includesLevel(effectiveLevel(permissions, setter), 'UPDATE');
};

/**
 * The configs of an actor as an execution gets them: those whose list has its id, or an alias that points to it now if
 * whoever set the list may update the actor. Names are compared whole. @see spec 8.4, facts 11
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
      const actor = store.get('actors', id);
      const isShared = (config: ConfigRecord): boolean => {
        const names = namesOf(config);
        if (names.has(id)) return true;
        const isNamed = aliases.some(({ alias }) => names.has(alias));
        return isNamed && actor !== undefined && mayFollowAlias(store, config, actor);
      };
      return configsText(
        store
          .by('configs', 'tenant', tenant)
          .filter(isShared)
          .map(({ name, value, isSecret }) => [name, isSecret ? seal.open(value, { tenant, name }) : value] as const),
      );
    },
  };
};

// Selects the configs that an execution receives in its environment.
import { configsText, namesIn } from '../../domain/actors/config.ts';
import { effectiveLevel, includesLevel, passesChecks } from '../../domain/actors/permission.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import type { ConfigRecord } from '../../domain/records/resource-records.ts';
import type { Configs } from '../../ports/configs.ts';
import type { Seal } from '../../ports/seal.ts';
import type { ReadView } from '../../ports/store.ts';

/**
 * True if a config may reach the actor through an alias: the user who set the config's list must hold UPDATE on the
 * actor. Otherwise a user could point the alias to an own actor and read a config that was not shared with that user.
 * @see docs/protocol.md 5.6
 */
const mayFollowAlias = (store: ReadView, config: ConfigRecord, { tenant, permissions }: ActorRecord): boolean => {
  const setter = config.listSetBy ?? config.owner;
  const user = store.get('users', joinKey(tenant, setter));
  if (user === undefined) return false;
  return passesChecks(user.roles) || includesLevel(effectiveLevel(permissions, setter), 'UPDATE');
};

/**
 * Makes the lookup of an actor's configs. A config reaches the actor if its list names the actor's id. It also reaches the
 * actor if its list names an alias of the actor and the user who set the list holds UPDATE on the actor.
 * @see docs/protocol.md 6.4, 24.3
 */
export const configsOf = ({ store, seal }: { readonly store: ReadView; readonly seal: Seal }): Configs => {
  /** Parsed lists by record. Lists are read at every start of an execution, and a record never changes. */
  const read = new WeakMap<ConfigRecord, ReadonlySet<string>>();
  const namesOf = (config: ConfigRecord): ReadonlySet<string> => {
    const known = read.get(config) ?? namesIn(config.actors);
    read.set(config, known);
    return known;
  };
  const sharedWith = ({ id, tenant }: Pick<ActorRecord, 'id' | 'tenant'>): readonly ConfigRecord[] => {
    const aliases = store
      .by('aliases', 'actor', id)
      // An id wins over an alias of the same letters, here as everywhere.
      .filter((alias) => alias.tenant === tenant && store.get('actors', alias.alias)?.tenant !== tenant);
    const actor = store.get('actors', id);
    return store.by('configs', 'tenant', tenant).filter((config) => {
      const names = namesOf(config);
      if (names.has(id)) return true;
      const isNamed = aliases.some(({ alias }) => names.has(alias));
      return isNamed && actor !== undefined && mayFollowAlias(store, config, actor);
    });
  };
  return {
    textFor: (actor) => {
      const { tenant } = actor;
      return configsText(
        sharedWith(actor).map(
          ({ name, value, isSecret }) => [name, isSecret ? seal.open(value, { tenant, name }) : value] as const,
        ),
      );
    },
    hasSecrets: (actor) => sharedWith(actor).some(({ isSecret }) => isSecret),
  };
};

// Selects the configs that an execution receives in its environment.
import { configsText, namesIn } from '../../domain/actors/config.ts';
import { effectiveLevel, includesLevel, type Permissions, passesChecks } from '../../domain/actors/permission.ts';
import type { ActorRecord, ExecutionRecord } from '../../domain/records/actor-records.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import type { AliasRecord, ConfigRecord } from '../../domain/records/resource-records.ts';
import type { Configs } from '../../ports/configs.ts';
import type { Seal, SealedFor } from '../../ports/seal.ts';
import type { ReadView } from '../../ports/store.ts';

const holdsUpdate = ({ permissions }: { readonly permissions: Permissions }, username: string): boolean =>
  includesLevel(effectiveLevel(permissions, username), 'UPDATE');

/**
 * True if a config may reach the actor through an alias. Pointing an alias shares every config that lists it, so the
 * user who pointed the alias must hold UPDATE on the config. The user who set the config's list must hold UPDATE on the
 * actor. The role admin replaces that level only if the same user pointed the alias; any other user has not seen the
 * actor.
 * @see docs/http-api.md#configs
 */
const mayFollow = (store: ReadView, config: ConfigRecord, { pointedBy }: AliasRecord, actor: ActorRecord): boolean => {
  if (pointedBy === undefined || !holdsUpdate(config, pointedBy)) return false;
  const setter = config.listSetBy ?? config.owner;
  const user = store.get('users', joinKey(config.tenant, setter));
  if (user === undefined) return false;
  return holdsUpdate(actor, setter) || (setter === pointedBy && passesChecks(user.roles));
};

/**
 * True if some config would follow the alias for this user but not for the user who pointed it. A request that repeats
 * the current target then has an effect: it shares the config.
 */
export const sharesMore = (store: ReadView, { tenant, alias, pointedBy }: AliasRecord, username: string): boolean =>
  pointedBy === undefined ||
  store
    .by('configs', 'tenant', tenant)
    .some(
      (config) => holdsUpdate(config, username) && !holdsUpdate(config, pointedBy) && namesIn(config.actors).has(alias),
    );

/** The execution to which the secrets that it received are bound. */
export const sealedFor = ({ tenant, id }: Pick<ExecutionRecord, 'tenant' | 'id'>): SealedFor => ({
  kind: 'execution',
  tenant,
  name: id,
});

/**
 * True if the config's list contains the actor's id, or an alias of the actor through which the config may reach it.
 * @see docs/http-api.md#configs
 */
export const configsOf = ({ store, seal }: { readonly store: ReadView; readonly seal: Seal }): Configs => {
  /** Cache of parsed lists by record. Every start of an execution reads the lists, and a record never changes. */
  const read = new WeakMap<ConfigRecord, ReadonlySet<string>>();
  const namesOf = (config: ConfigRecord): ReadonlySet<string> => {
    const known = read.get(config) ?? namesIn(config.actors);
    read.set(config, known);
    return known;
  };
  const sharedWith = ({ id, tenant }: Pick<ActorRecord, 'id' | 'tenant'>): readonly ConfigRecord[] => {
    const aliases = store
      .by('aliases', 'actor', id)
      // An actor id takes precedence over an alias with the same characters.
      .filter((alias) => alias.tenant === tenant && store.get('actors', alias.alias)?.tenant !== tenant);
    const actor = store.get('actors', id);
    return store.by('configs', 'tenant', tenant).filter((config) => {
      const names = namesOf(config);
      if (names.has(id)) return true;
      return (
        actor !== undefined && aliases.some((alias) => names.has(alias.alias) && mayFollow(store, config, alias, actor))
      );
    });
  };
  return {
    receivedBy: (actor) => {
      const { tenant } = actor;
      const received = sharedWith(actor).map(({ name, value, isSecret }) => ({
        name,
        isSecret,
        text: isSecret ? seal.open(value, { tenant, name }) : value,
      }));
      return {
        text: configsText(received.map(({ name, text }) => [name, text] as const)),
        secrets: received.flatMap(({ isSecret, text }) => (isSecret ? [text] : [])),
        all: received,
      };
    },
    seal: (execution, secrets) => seal.seal(JSON.stringify(secrets), sealedFor(execution)),
    open: (execution, sealed) => JSON.parse(seal.open(sealed, sealedFor(execution))) as string[],
  };
};

// Reading, giving and explaining levels on actors, aliases and configs: one way for all three.

import { WORLD } from '../../../src/contract/actors/permissions.ts';
import type { Level } from '../../../src/contract/operation.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import {
  checkPermission,
  explainVerdict,
  type Permissions,
  type UserExists,
  type Verdict,
  withLevel,
} from '../../domain/actors/permission.ts';
import { Failure } from '../../domain/failure.ts';
import { isReservedUsername } from '../../domain/people/username.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { ReadView, Transaction } from '../../ports/store.ts';
import { type ActorAccess, actorAccess, type Shared } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';

/** What is given to whom. */
interface Grant {
  readonly user: string;
  readonly level: Level;
}

/** One of the three kinds of things that have permissions. */
interface Kind<T extends Shared> {
  /** The thing of that name, for a caller who may change it. @throws Failure NOT_FOUND, FORBIDDEN */
  readonly demand: (access: ActorAccess, caller: Caller, name: string) => T;
  readonly put: (tx: Transaction, thing: T, permissions: Permissions) => void;
}

const kind = <T extends Shared>(demand: Kind<T>['demand'], put: Kind<T>['put']): Kind<T> => ({ demand, put });

/** What is changed by a grant, by the kind of the thing. */
export const shared = {
  actor: kind(
    (access, caller, name) => access.actor(caller, name, 'UPDATE'),
    (tx, actor, permissions) => tx.put('actors', { ...actor, permissions }),
  ),
  alias: kind(
    (access, caller, name) => access.alias(caller, name, 'UPDATE'),
    (tx, alias, permissions) => tx.put('aliases', { ...alias, permissions }),
  ),
  config: kind(
    (access, caller, name) => access.config(caller, name, 'UPDATE'),
    (tx, config, permissions) => tx.put('configs', { ...config, permissions }),
  ),
};

const rolesOf = (view: ReadView, tenant: string, username: string): readonly Role[] | undefined =>
  view.get('users', joinKey(tenant, username))?.roles;

const isUserOf =
  (view: ReadView, tenant: string): UserExists =>
  (username) =>
    rolesOf(view, tenant, username) !== undefined;

/** A name that no user can ever have would only look like a permission. */
const demandUsername = (user: string): void => {
  if (user === WORLD || !isReservedUsername(user)) return;
  throw new Failure('VALIDATION', `user ${user} is reserved and no user has it. ${WORLD} stands for everybody.`, {
    field: 'user',
  });
};

export interface Sharing {
  /**
   * Gives a level and answers all permissions after that. A name that no user has yet is taken, as the real service does.
   * @throws Failure VALIDATION, LAST_HOLDER, NOT_FOUND, FORBIDDEN
   */
  grant<T extends Shared>(kind: Kind<T>, caller: Caller, name: string, grant: Grant): Promise<Permissions>;
  /** Whether a user of the thing's tenant has a level on it, and why. @param thing in words: `actor X` */
  can(
    on: Shared,
    thing: string,
    asked: Grant & { readonly rolesCount: boolean },
  ): Verdict & { readonly user: string; readonly why: string };
}

export const sharing = ({ store }: Pick<ActorsDependencies, 'store'>): Sharing => ({
  grant: (kind, caller, name, { user, level }) =>
    store.transact((tx) => {
      demandUsername(user);
      // Asked again in here: of two who take UPDATE from each other at once, the second has none any more.
      const thing = kind.demand(actorAccess({ store: tx }), caller, name);
      const permissions = withLevel(thing.permissions, user, level, isUserOf(tx, thing.tenant));
      if (permissions !== thing.permissions) kind.put(tx, thing, permissions);
      return permissions;
    }),

  can: ({ tenant, permissions }, thing, { user, level, rolesCount }) => {
    const asked = { username: user, roles: rolesOf(store, tenant, user) };
    const verdict = checkPermission(permissions, asked, level, rolesCount);
    return { user, ...verdict, why: explainVerdict(user, thing, verdict) };
  },
});

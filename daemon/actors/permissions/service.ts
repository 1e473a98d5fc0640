// Lists, grants and explains levels on actors, aliases and configs.

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
import type { ResourceAccess } from '../../http/guard.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { ReadView, Transaction } from '../../ports/store.ts';
import { type PermissionHolder, resourceAccess } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';

interface Grant {
  readonly user: string;
  readonly level: Level;
}

interface ResourceKind<T extends PermissionHolder> {
  /** Finds the object by name if the caller may change it. @throws Failure NOT_FOUND, FORBIDDEN */
  readonly demand: (access: ResourceAccess, caller: Caller, name: string) => T;
  readonly put: (tx: Transaction, thing: T, permissions: Permissions) => void;
}

const kind = <T extends PermissionHolder>(
  demand: ResourceKind<T>['demand'],
  put: ResourceKind<T>['put'],
): ResourceKind<T> => ({ demand, put });

export const resourceKinds = {
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

const userLookup =
  (view: ReadView, tenant: string): UserExists =>
  (username) =>
    rolesOf(view, tenant, username) !== undefined;

/** Refuses reserved names. No user can have one, so an entry for it would have no effect. */
const demandUsername = (user: string): void => {
  if (user === WORLD || !isReservedUsername(user)) return;
  throw new Failure(
    'VALIDATION',
    `user "${user}" is a reserved name, so no user has it. Use ${WORLD} to mean everybody.`,
    {
      field: 'user',
    },
  );
};

export interface PermissionService {
  /**
   * Sets a user's level. A name without a user is accepted, as in the original service.
   * @throws Failure VALIDATION, LAST_HOLDER, NOT_FOUND, FORBIDDEN
   */
  grant<T extends PermissionHolder>(
    kind: ResourceKind<T>,
    caller: Caller,
    name: string,
    grant: Grant,
  ): Promise<Permissions>;
  /** @param thing label of the object in the explanation: `actor X` */
  can(
    on: PermissionHolder,
    thing: string,
    asked: Grant & { readonly rolesCount: boolean },
  ): Verdict & { readonly user: string; readonly why: string };
}

export const permissionService = ({ store }: Pick<ActorsDependencies, 'store'>): PermissionService => ({
  grant: (kind, caller, name, { user, level }) =>
    store.transact((tx) => {
      demandUsername(user);
      // Checked again in the transaction: if two callers revoke each other's UPDATE at the same time, the second one
      // fails.
      const thing = kind.demand(resourceAccess({ store: tx }), caller, name);
      const permissions = withLevel(thing.permissions, user, level, userLookup(tx, thing.tenant));
      if (permissions !== thing.permissions) kind.put(tx, thing, permissions);
      return permissions;
    }),

  can: ({ tenant, permissions }, thing, { user, level, rolesCount }) => {
    const asked = { username: user, roles: rolesOf(store, tenant, user) };
    const verdict = checkPermission(permissions, asked, level, rolesCount);
    return { user, ...verdict, why: explainVerdict(user, thing, verdict) };
  },
});

// Handlers of permissions of actors, aliases and configs: list, grant and can.
import type { Level } from '../../../src/contract/operation.ts';
import type { Permissions } from '../../domain/actors/permission.ts';
import type { Handlers } from '../../http/route-handler.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { permissionService, resourceKinds } from './service.ts';

type Verb = 'list' | 'grant' | 'can';
type PermissionOperation = `permissions.${Verb}` | `alias-permissions.${Verb}` | `config-permissions.${Verb}`;

const reply = (permissions: Permissions, message: string) => ({ result: { ...permissions }, message });

const LISTED = 'Permissions retrieved.';
const grantedMessage = ({ level }: { readonly level: Level }): string =>
  level === 'NONE' ? 'Permission revoked.' : 'Permission added successfully.';
const JUDGED = 'Permission checked.';

/** @see docs/http-api.md#permissions */
export const permissionsHandlers = (deps: ActorsDependencies): Handlers<PermissionOperation> => {
  const service = permissionService(deps);
  return {
    'permissions.list': ({ actor }) => reply(actor.permissions, LISTED),
    'permissions.grant': async ({ caller, actor, input }) =>
      // Uses the id that the guard resolved: an alias in the path may point elsewhere by now.
      reply(await service.grant(resourceKinds.actor, caller, actor.id, input), grantedMessage(input)),
    'permissions.can': ({ actor, params, query }) => ({
      result: service.can(actor, `actor ${actor.id}`, { user: params.username, level: query.level, rolesCount: true }),
      message: JUDGED,
    }),

    'alias-permissions.list': ({ alias }) => reply(alias.permissions, LISTED),
    'alias-permissions.grant': async ({ caller, alias, input }) =>
      reply(await service.grant(resourceKinds.alias, caller, alias.alias, input), grantedMessage(input)),
    'alias-permissions.can': ({ alias, params, query }) => ({
      result: service.can(alias, `alias ${alias.alias}`, {
        user: params.username,
        level: query.level,
        rolesCount: true,
      }),
      message: JUDGED,
    }),

    'config-permissions.list': ({ config }) => reply(config.permissions, LISTED),
    'config-permissions.grant': async ({ caller, config, input }) =>
      reply(await service.grant(resourceKinds.config, caller, config.name, input), grantedMessage(input)),
    'config-permissions.can': ({ config, params, query }) => ({
      result: service.can(config, `config ${config.name}`, {
        user: params.username,
        level: query.level,
        // Roles do not count for configs. @see docs/http-api.md#permissions
        rolesCount: false,
      }),
      message: JUDGED,
    }),
  };
};

// Permissions of actors, aliases and configs: the level of each user, and the reason for it.
// @see docs/http-api.md#permissions
import * as z from 'zod/mini';
import { levels, operation } from '../operation.ts';
import { username } from '../people/users.ts';
import { nothing } from '../wire.ts';

/** Pseudo-user whose permission entry applies to every user of the tenant. @see docs/http-api.md#permissions */
export const WORLD = 'ABACO_WORLD';

const level = z.enum(levels);

/** User name (or `ABACO_WORLD`) → level. A revoked user stays in the map with NONE. */
const permissionMap = z.record(z.string(), level);

const grant = z.object({ user: username, level });

const verdict = z.object({
  user: z.string(),
  allowed: z.boolean(),
  /** The effective level of the user. An admin has UPDATE on objects where roles apply. */
  has: level,
  needs: level,
  /**
   * Source of the level. `entry`: the entry of the user. `world`: the entry of `ABACO_WORLD`. `role`: the role admin.
   * `nothing`: no source gives the user a level. `nobody`: there is no such user.
   */
  by: z.enum(['entry', 'world', 'role', 'nothing', 'nobody']),
  why: z.string(),
});

const question = z.object({ level: z._default(level, 'READ') });

const listed = {
  method: 'GET',
  body: 'none',
  answer: 'envelope',
  query: nothing,
  input: nothing,
  result: permissionMap,
  failures: [],
} as const;

const granted = {
  method: 'POST',
  body: 'form-or-json',
  answer: 'envelope',
  query: nothing,
  input: grant,
  result: permissionMap,
  failures: ['VALIDATION', 'LAST_HOLDER'],
} as const;

const explained = {
  method: 'GET',
  body: 'none',
  answer: 'envelope',
  query: question,
  input: nothing,
  result: verdict,
  failures: ['VALIDATION'],
} as const;

export const permissionOperations = {
  'permissions.list': operation({
    ...listed,
    id: 'permissions.list',
    path: '/actors/v2/:actorId/permissions',
    guard: 'actor:READ',
    summary: 'List the permissions of an actor',
  }),
  'permissions.grant': operation({
    ...granted,
    id: 'permissions.grant',
    path: '/actors/v2/:actorId/permissions',
    guard: 'actor:UPDATE',
    summary: 'Set the level of a user on an actor',
    description: 'Replaces the previous level. NONE revokes it.',
  }),
  'permissions.can': operation({
    ...explained,
    id: 'permissions.can',
    path: '/actors/v2/:actorId/permissions/:username',
    guard: 'actor:READ',
    summary: 'Explain whether a user has a level on an actor',
  }),
  'alias-permissions.list': operation({
    ...listed,
    id: 'alias-permissions.list',
    path: '/actors/v2/aliases/:alias/permissions',
    guard: 'alias:READ',
    summary: 'List the permissions of an alias',
  }),
  'alias-permissions.grant': operation({
    ...granted,
    id: 'alias-permissions.grant',
    path: '/actors/v2/aliases/:alias/permissions',
    guard: 'alias:UPDATE',
    summary: 'Set the level of a user on an alias',
    description: 'Replaces the previous level. NONE revokes it.',
  }),
  'alias-permissions.can': operation({
    ...explained,
    id: 'alias-permissions.can',
    path: '/actors/v2/aliases/:alias/permissions/:username',
    guard: 'alias:READ',
    summary: 'Explain whether a user has a level on an alias',
  }),
  'config-permissions.list': operation({
    ...listed,
    id: 'config-permissions.list',
    path: '/actors/v2/configs/:configName/permissions',
    guard: 'config:READ',
    summary: 'List the permissions of a config',
  }),
  'config-permissions.grant': operation({
    ...granted,
    body: 'json',
    id: 'config-permissions.grant',
    path: '/actors/v2/configs/:configName/permissions',
    guard: 'config:UPDATE',
    summary: 'Set the level of a user on a config',
    description: 'Replaces the previous level. NONE revokes it.',
  }),
  'config-permissions.can': operation({
    ...explained,
    id: 'config-permissions.can',
    path: '/actors/v2/configs/:configName/permissions/:username',
    guard: 'config:READ',
    summary: 'Explain whether a user has a level on a config',
  }),
} as const;

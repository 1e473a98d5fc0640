// Users in the daemon's own user store. Only admins may call these operations. @see docs/http-api.md#permissions
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { nothing, text } from '../wire.ts';
import { profile } from './profiles.ts';

export const roles = ['admin', 'privileged', 'user', 'limited'] as const;
export type Role = (typeof roles)[number];

export const user = z.extend(profile, { roles: z.array(z.enum(roles)), tenant: z.string() });

/** A JSON array. A form sends one field per role, or one comma-separated field. */
const roleList = z.pipe(
  z.transform((value: unknown) => (typeof value === 'string' ? value.split(',').map((word) => word.trim()) : value)),
  z.array(z.enum(roles)).check(z.minLength(1, 'must name at least one role')),
);

export const username = text(128).check(
  z.regex(
    /^[A-Za-z0-9][A-Za-z0-9._@-]*$/,
    'must begin with a letter or digit and hold only letters, digits, dots, dashes, underscores and @',
  ),
);

const password = text(1_024).check(z.minLength(8, 'must have at least 8 characters'));

const description = {
  roles: z.optional(roleList),
  email: z.optional(text(320)),
  first_name: z.optional(text(256)),
  last_name: z.optional(text(256)),
  phone: z.optional(text(64)),
  mobile_phone: z.optional(text(64)),
};

export const userRegistration = z.object({ username, password, tenant: z.optional(text(64)), ...description });

/** Only admins of the first tenant may name another tenant. */
const ofTenant = z.object({ tenant: z.optional(text(64)) });

export const userOperations = {
  'users.create': operation({
    id: 'users.create',
    method: 'POST',
    path: '/users/v2',
    guard: 'admin',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Create a user',
    query: nothing,
    input: userRegistration,
    result: user,
    failures: ['VALIDATION', 'ALREADY_EXISTS', 'NOT_FOUND'],
  }),
  'users.list': operation({
    id: 'users.list',
    method: 'GET',
    path: '/users/v2',
    guard: 'admin',
    body: 'none',
    answer: 'envelope',
    summary: 'List the users of a tenant',
    description: 'Lists the users of your tenant. Admins of the first tenant can select another tenant with `tenant`.',
    query: ofTenant,
    input: nothing,
    result: z.array(user),
    failures: ['NOT_FOUND'],
  }),
  'users.show': operation({
    id: 'users.show',
    method: 'GET',
    path: '/users/v2/:username',
    guard: 'admin',
    body: 'none',
    answer: 'envelope',
    summary: 'Show a user',
    query: ofTenant,
    input: nothing,
    result: user,
    failures: ['NOT_FOUND'],
  }),
  'users.update': operation({
    id: 'users.update',
    method: 'PUT',
    path: '/users/v2/:username',
    guard: 'admin',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Update a user',
    description: 'Omitted fields stay unchanged. A new password revokes the tokens and sessions of the user.',
    query: ofTenant,
    input: z.object({ username: z.optional(text(128)), password: z.optional(password), ...description }),
    /** `revoked`: number of tokens revoked together with the old password. Present only if the password changed. */
    result: z.extend(user, { revoked: z.optional(z.number()) }),
    failures: ['VALIDATION', 'NOT_FOUND', 'LAST_ADMIN'],
  }),
  'users.delete': operation({
    id: 'users.delete',
    method: 'DELETE',
    path: '/users/v2/:username',
    guard: 'admin',
    body: 'none',
    answer: 'envelope',
    summary: 'Delete a user',
    description:
      'Also deletes the clients, tokens, nonces and sessions of the user. The user named by `reassignTo` becomes the owner of the actors, aliases and configs.',
    query: z.extend(ofTenant, { reassignTo: z.optional(text(128)) }),
    input: nothing,
    /** Numbers of deleted tokens, clients and nonces, and of actors, aliases and configs with a new owner. */
    result: z.object({
      deleted: z.string(),
      revoked: z.number(),
      clients: z.number(),
      nonces: z.number(),
      reassigned: z.number(),
      reassignedAliases: z.number(),
      reassignedConfigs: z.number(),
    }),
    failures: ['VALIDATION', 'NOT_FOUND', 'LAST_ADMIN', 'IN_USE'],
  }),
} as const;

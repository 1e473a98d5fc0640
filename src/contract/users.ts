// The local user store; admin role only. @see wire.md "Clients, users, tenants"
import * as z from 'zod/mini';
import { operation } from './operation.ts';
import { profile } from './profiles.ts';
import { nothing, text } from './wire.ts';

export const roles = ['admin', 'privileged', 'user', 'limited'] as const;
export type Role = (typeof roles)[number];

export const user = z.extend(profile, { roles: z.array(z.enum(roles)), tenant: z.string() });

/** JSON array, or in a form one text per role or several with commas between. */
const roleList = z.pipe(
  z.transform((value: unknown) => (typeof value === 'string' ? value.split(',').map((word) => word.trim()) : value)),
  z.array(z.enum(roles)).check(z.minLength(1, 'must name at least one role')),
);

export const userRegistration = z.object({
  username: text(128).check(
    z.regex(
      /^[A-Za-z0-9][A-Za-z0-9._@-]*$/,
      'must begin with a letter or digit and hold letters, digits, dots, dashes, underscores, @',
    ),
  ),
  password: text(1_024).check(z.minLength(8, 'must have at least 8 characters')),
  tenant: z.optional(text(64)),
  roles: z.optional(roleList),
  email: z.optional(text(320)),
  first_name: z.optional(text(256)),
  last_name: z.optional(text(256)),
  phone: z.optional(text(64)),
  mobile_phone: z.optional(text(64)),
});

export const userOperations = {
  'users.create': operation({
    id: 'users.create',
    method: 'POST',
    path: '/users/v2',
    guard: 'admin',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Creates a user.',
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
    summary: 'Lists the users of the tenant of the caller.',
    query: nothing,
    input: nothing,
    result: z.array(user),
    failures: [],
  }),
} as const;

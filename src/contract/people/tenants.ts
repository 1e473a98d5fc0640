// Tenants: separate sets of users, clients, tokens and actors in one daemon. @see docs/http-api.md#permissions
import * as z from 'zod/mini';
import { perFlow } from '../oauth/grants.ts';
import { operation } from '../operation.ts';
import { formInteger, nothing, text } from '../wire.ts';

/** A tenant in the public list, which needs no login. The Python client agavepy reads these fields. */
export const tenantEntry = z.object({ code: z.string(), name: z.string(), baseUrl: z.string() });

const chosenLifetimes = z.strictObject(perFlow(() => z.optional(formInteger(1))));

/** Token lifetimes by flow. The names may be in camelCase. */
const lifetimes = z.pipe(
  z.transform((value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value).map(([name, entry]) => [
            name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
            entry,
          ]),
        )
      : value,
  ),
  chosenLifetimes,
);

export const tenant = z.extend(tenantEntry, {
  /** Lifetime of access tokens in seconds, by flow. @see docs/oauth.md#lifetimes */
  lifetimes: z.object(perFlow(() => z.number())),
});

const name = text(256);

export const tenantOperations = {
  'tenants.list': operation({
    id: 'tenants.list',
    method: 'GET',
    path: '/tenants',
    guard: 'public',
    body: 'none',
    answer: 'envelope',
    summary: 'List the tenants and their addresses',
    query: nothing,
    input: nothing,
    result: z.array(tenantEntry),
    failures: [],
  }),
  'tenants.create': operation({
    id: 'tenants.create',
    method: 'POST',
    path: '/tenants',
    guard: 'admin',
    body: 'json',
    answer: 'envelope',
    summary: 'Create a tenant',
    description:
      'Only for admins of the first tenant. To create the first user of the new tenant, use `POST /users/v2` with `tenant`.',
    query: nothing,
    input: z.object({
      id: text(32).check(
        z.regex(
          /^[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*$/,
          'must begin with a letter and hold letters, digits, dashes and single dots',
        ),
      ),
      name: z.optional(name),
      lifetimes: z.optional(lifetimes),
    }),
    result: tenant,
    failures: ['VALIDATION', 'ALREADY_EXISTS'],
  }),
  'tenants.show': operation({
    id: 'tenants.show',
    method: 'GET',
    path: '/tenants/:tenantId',
    guard: 'admin',
    body: 'none',
    answer: 'envelope',
    summary: 'Show a tenant and its token lifetimes',
    description: 'Only for admins of this tenant and of the first tenant.',
    query: nothing,
    input: nothing,
    result: tenant,
    failures: ['NOT_FOUND'],
  }),
  'tenants.update': operation({
    id: 'tenants.update',
    method: 'PUT',
    path: '/tenants/:tenantId',
    guard: 'admin',
    body: 'json',
    answer: 'envelope',
    summary: 'Update a tenant',
    description: 'Changes the name or some token lifetimes. Tokens that exist already are not affected.',
    query: nothing,
    input: z.object({ name: z.optional(name), lifetimes: z.optional(lifetimes) }),
    result: tenant,
    failures: ['VALIDATION', 'NOT_FOUND'],
  }),
} as const;

// OAuth clients: registration. @see wire.md "Clients, users, tenants", facts 9.1
import * as z from 'zod/mini';
import { operation } from './operation.ts';
import { links, nothing, text } from './wire.ts';

export const client = z.object({
  name: z.string(),
  description: z.string(),
  consumerKey: z.string(),
  /** Only in the answer to the creation and to a rotation. */
  consumerSecret: z.optional(z.string()),
  tier: z.string(),
  /** Comma-separated. */
  callbackUrl: z.string(),
  grants: z.array(z.string()),
  _links: links,
});

const clientRegistration = z.object({
  clientName: text(128).check(
    z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be letters, digits, dots, dashes and underscores'),
  ),
  callbackUrl: z.optional(text(8_192)),
  description: z.optional(text(4_096)),
  tier: z.optional(text(64)),
  grants: z.optional(z.union([text(1_024), z.array(text(64))])),
});

export const clientOperations = {
  'clients.create': operation({
    id: 'clients.create',
    method: 'POST',
    path: '/clients/v2',
    guard: 'basic-or-caller',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Registers an OAuth client; its secret is shown in this answer only.',
    query: nothing,
    input: clientRegistration,
    result: client,
    failures: ['VALIDATION', 'FORBIDDEN', 'ALREADY_EXISTS'],
  }),
  'clients.list': operation({
    id: 'clients.list',
    method: 'GET',
    path: '/clients/v2',
    guard: 'basic-or-caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Lists the OAuth clients of the caller.',
    query: nothing,
    input: nothing,
    result: z.array(client),
    failures: [],
  }),
} as const;

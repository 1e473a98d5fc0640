// OAuth clients: registration, changes, rotation of the secret. @see docs/oauth.md#register-a-client
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { formBoolean, formInteger, links, nothing, text, time } from '../wire.ts';

export const client = z.object({
  name: z.string(),
  description: z.string(),
  consumerKey: z.string(),
  /** Present only in the response to a creation or a rotation. A public client has no secret. */
  consumerSecret: z.optional(z.string()),
  tier: z.string(),
  /** Comma-separated URIs. */
  callbackUrl: z.string(),
  grants: z.array(z.string()),
  /** True if the client has no secret and must use PKCE. */
  public: z.boolean(),
  createTime: time,
  /** End of the grace period of the previous secret. Absent if the previous secret is no longer valid. */
  previousValidUntil: z.optional(time),
  _links: links,
});

export const clientDetail = z.extend(client, { tokens: z.object({ access: z.number(), refresh: z.number() }) });

const description = {
  /** Comma-separated absolute URIs without fragment, wildcard or user name. */
  callbackUrl: z.optional(text(8_192)),
  description: z.optional(text(4_096)),
  tier: z.optional(text(64)),
  grants: z.optional(z.union([text(1_024), z.array(text(64))])),
  public: z.optional(formBoolean),
};

const clientName = text(128).check(
  z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be letters, digits, dots, dashes and underscores'),
);

/** Longest grace period of a rotation, in seconds: 30 days. */
const LONGEST_GRACE = 2_592_000;

export const clientOperations = {
  'clients.create': operation({
    id: 'clients.create',
    method: 'POST',
    path: '/clients/v2',
    guard: 'basic-or-caller',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Register an OAuth client',
    description: 'The response contains the client secret. It is not shown again.',
    query: nothing,
    input: z.object({ clientName, ...description }),
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
    summary: 'List the OAuth clients of the caller',
    query: nothing,
    input: nothing,
    result: z.array(client),
    failures: [],
  }),
  'clients.show': operation({
    id: 'clients.show',
    method: 'GET',
    path: '/clients/v2/:clientName',
    guard: 'basic-or-caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Show an OAuth client of the caller',
    description: 'The secret is not included.',
    query: nothing,
    input: nothing,
    result: clientDetail,
    failures: ['NOT_FOUND'],
  }),
  'clients.update': operation({
    id: 'clients.update',
    method: 'PUT',
    path: '/clients/v2/:clientName',
    guard: 'basic-or-caller',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Update an OAuth client',
    description: 'Omitted fields stay unchanged. Removing a grant type revokes the tokens issued with that grant type.',
    query: nothing,
    input: z.object({ clientName: z.optional(clientName), ...description }),
    result: client,
    failures: ['VALIDATION', 'FORBIDDEN', 'NOT_FOUND'],
  }),
  'clients.delete': operation({
    id: 'clients.delete',
    method: 'DELETE',
    path: '/clients/v2/:clientName',
    guard: 'basic-or-caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Delete an OAuth client and revoke its tokens',
    query: nothing,
    input: nothing,
    result: z.object({ deleted: z.string(), revoked: z.number() }),
    failures: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  'clients.rotate': operation({
    id: 'clients.rotate',
    method: 'POST',
    path: '/clients/v2/:clientName/secret',
    guard: 'basic-or-caller',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Replace the secret of an OAuth client',
    description:
      'The response contains the new secret, which is not shown again. With `grace`, the old secret stays valid for that many seconds and no token is revoked. Without `grace`, the old secret and all tokens are revoked immediately.',
    query: nothing,
    input: z.object({ grace: z.optional(formInteger(0, LONGEST_GRACE)) }),
    /** `revoked`: number of tokens revoked together with the old secret. */
    result: z.extend(client, { revoked: z.number() }),
    failures: ['VALIDATION', 'FORBIDDEN', 'NOT_FOUND'],
  }),
} as const;

// Token endpoint, revocation and introspection. Their bodies follow the RFCs and have no envelope.
// @see docs/oauth.md#flows, RFC 7009, RFC 7662
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { nothing } from '../wire.ts';

/** The only scope. @see docs/oauth.md#scopes */
export const SCOPE = 'PRODUCTION';

export const tokenResponse = z.object({
  access_token: z.string(),
  token_type: z.string(),
  expires_in: z.number(),
  refresh_token: z.optional(z.string()),
  scope: z.optional(z.string()),
});

/** The response for an expired token, or for a token of another client, is only `active: false`. @see RFC 7662 2.2 */
const introspection = z.object({
  active: z.boolean(),
  scope: z.optional(z.string()),
  client_id: z.optional(z.string()),
  username: z.optional(z.string()),
  /** Present only for access tokens. */
  token_type: z.optional(z.string()),
  /** Seconds since the epoch. Absent for refresh tokens. */
  exp: z.optional(z.number()),
  iat: z.optional(z.number()),
  /** `TENANT/username`. */
  sub: z.optional(z.string()),
  iss: z.optional(z.string()),
});

export const tokenOperations = {
  'token.create': operation({
    id: 'token.create',
    method: 'POST',
    path: '/token',
    guard: 'public',
    body: 'form',
    answer: 'bare',
    summary: 'Issue tokens for a grant',
    description:
      'The response has no refresh token if the client is not registered for the grant type `refresh_token`.',
    query: nothing,
    input: z.record(z.string(), z.string()),
    result: tokenResponse,
    failures: ['AUTH_FAILED', 'THROTTLED'],
  }),
  'token.revoke': operation({
    id: 'token.revoke',
    method: 'POST',
    path: '/revoke',
    guard: 'public',
    body: 'form',
    answer: 'bare',
    summary: 'Revoke a token (RFC 7009)',
    description: 'Revokes a token of the calling client. Revoking a refresh token ends its whole grant.',
    query: nothing,
    input: z.record(z.string(), z.string()),
    result: nothing,
    failures: ['AUTH_FAILED'],
  }),
  'token.introspect': operation({
    id: 'token.introspect',
    method: 'POST',
    path: '/introspect',
    guard: 'public',
    body: 'form',
    answer: 'bare',
    summary: 'Inspect a token (RFC 7662)',
    description: 'Returns `active: false` for a token of another client.',
    query: nothing,
    input: z.record(z.string(), z.string()),
    result: introspection,
    failures: ['AUTH_FAILED'],
  }),
} as const;

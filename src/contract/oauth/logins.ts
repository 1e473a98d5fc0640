// Logins of a user: what holds tokens, and the browsers that are logged in. Addition to Abaco.
// @see docs/oauth.md#revocation
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { formInteger, nothing, text, time } from '../wire.ts';
import { timedFlows } from './grants.ts';

/** Most logins in one response. */
export const LOGINS_LIMIT = 1_000;

export const login = z.object({
  id: z.string(),
  /** `grant`: tokens of a client. `browser`: the session of the login page in one browser. */
  kind: z.enum(['grant', 'browser']),
  /** The flow that issued the tokens. Only for grants, like the client and the scope. */
  flow: z.optional(z.enum(timedFlows)),
  clientId: z.optional(z.string()),
  clientName: z.optional(z.string()),
  scope: z.optional(z.string()),
  createTime: time,
  /** For a grant: when its tokens were last renewed. Uses of a token are not recorded. */
  lastRenewTime: z.optional(time),
  /** For a browser: its last use, to the minute. */
  lastUseTime: z.optional(time),
  /** When the login ends by itself. Absent if it does not. */
  expireTime: z.optional(time),
  /** The id of the browser in which the grant was approved, if that browser is still logged in. */
  browser: z.optional(z.string()),
  /** True for the login of this request, and for the browser in which it was approved. */
  current: z.boolean(),
});

const ended = z.object({
  ended: z.string(),
  /** Number of valid tokens that ended. */
  revoked: z.number(),
  /** True if a browser is logged out. */
  browser: z.boolean(),
});

const limit = z.optional(formInteger(1, LOGINS_LIMIT));

const ofUser = z.object({ tenant: z.optional(text(64)) });

export const loginOperations = {
  'logins.list': operation({
    id: 'logins.list',
    method: 'GET',
    path: '/logins',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'List the logins of the caller',
    description:
      'Returns the grants and the logged-in browsers of the caller, newest first, and at most `limit` of them (default 200).',
    query: z.object({ limit }),
    input: nothing,
    result: z.array(login),
    failures: ['FORBIDDEN'],
  }),
  'logins.end': operation({
    id: 'logins.end',
    method: 'DELETE',
    path: '/logins/:loginId',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'End a login of the caller',
    description:
      'Revokes all tokens of a grant, or logs a browser out. A browser and the dashboard pages in it end together. A login that has ended already is not found.',
    query: nothing,
    input: nothing,
    result: ended,
    failures: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  'logins.listOfUser': operation({
    id: 'logins.listOfUser',
    method: 'GET',
    path: '/users/v2/:username/logins',
    guard: 'admin',
    body: 'none',
    answer: 'envelope',
    summary: 'List the logins of a user',
    query: z.extend(ofUser, { limit }),
    input: nothing,
    result: z.array(login),
    failures: ['NOT_FOUND'],
  }),
  'logins.endOfUser': operation({
    id: 'logins.endOfUser',
    method: 'DELETE',
    path: '/users/v2/:username/logins/:loginId',
    guard: 'admin',
    body: 'none',
    answer: 'envelope',
    summary: 'End a login of a user',
    query: ofUser,
    input: nothing,
    result: ended,
    failures: ['NOT_FOUND'],
  }),
} as const;

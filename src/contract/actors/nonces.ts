// Nonces: tokens that allow using one actor or alias without logging in. @see docs/http-api.md#nonces
import * as z from 'zod/mini';
import { levels, operation } from '../operation.ts';
import { formInteger, links, nothing, text, time } from '../wire.ts';

/** Largest `maxUses`. A nonce that needs more uses is created without a limit. @see docs/conformance/security.md R127 */
const MOST_USES = 1_000_000_000;

/** Longest lifetime in seconds: ten years. */
const LONGEST_LIFE = 315_360_000;

export const nonce = z.object({
  /** The public name. The response to the creation has the public name followed by the secret part. */
  id: z.string(),
  owner: z.string(),
  level: z.enum(levels),
  /** Roles of requests with this nonce, limited to roles that the owner still has. */
  roles: z.array(z.string()),
  /** -1: no limit. */
  maxUses: z.number(),
  currentUses: z.number(),
  /** -1: no limit. */
  remainingUses: z.number(),
  description: z.string(),
  apiServer: z.string(),
  createTime: time,
  lastUseTime: z.optional(time),
  /** Addition to Abaco, where nonces do not expire. */
  expireTime: z.optional(time),
  /** A nonce has either `actorId` or `alias`. */
  actorId: z.optional(z.string()),
  alias: z.optional(z.string()),
  _links: links,
});

const maxUses = z.pipe(
  formInteger(-1, MOST_USES).check(
    z.refine((value: number) => value !== 0, `must be -1 (no limit) or a whole number from 1 to ${MOST_USES}`),
  ),
  z.number(),
);

const creation = z.object({
  /** Default: EXECUTE. */
  level: z.optional(z.enum(levels)),
  /** Default: -1, no limit. */
  maxUses: z.optional(maxUses),
  description: z.optional(text(4_096)),
  /** Lifetime in seconds. Absent: the nonce does not expire. */
  expiresIn: z.optional(formInteger(1, LONGEST_LIFE)),
});

export const nonceOperations = {
  'nonces.list': operation({
    id: 'nonces.list',
    method: 'GET',
    path: '/actors/v2/:actorId/nonces',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'List the nonces of an actor',
    description: 'The secrets of the nonces are not included.',
    query: nothing,
    input: nothing,
    result: z.array(nonce),
    failures: [],
  }),
  'nonces.create': operation({
    id: 'nonces.create',
    method: 'POST',
    path: '/actors/v2/:actorId/nonces',
    guard: 'actor:UPDATE',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Create a nonce for an actor',
    description: 'The returned id is the secret. It is not shown again.',
    query: nothing,
    input: creation,
    result: nonce,
    failures: ['VALIDATION', 'MALFORMED_BODY', 'QUOTA_EXCEEDED'],
  }),
  'nonces.show': operation({
    id: 'nonces.show',
    method: 'GET',
    path: '/actors/v2/:actorId/nonces/:nonceId',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Show a nonce of an actor',
    query: nothing,
    input: nothing,
    result: nonce,
    failures: ['NOT_FOUND'],
  }),
  'nonces.delete': operation({
    id: 'nonces.delete',
    method: 'DELETE',
    path: '/actors/v2/:actorId/nonces/:nonceId',
    guard: 'actor:UPDATE',
    body: 'none',
    answer: 'envelope',
    summary: 'Delete a nonce of an actor',
    description: 'The nonce stops working at once.',
    query: nothing,
    input: nothing,
    result: z.null(),
    failures: ['NOT_FOUND'],
  }),
  'alias-nonces.list': operation({
    id: 'alias-nonces.list',
    method: 'GET',
    path: '/actors/v2/aliases/:alias/nonces',
    guard: 'alias+actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'List the nonces of an alias',
    description: 'The secrets of the nonces are not included.',
    query: nothing,
    input: nothing,
    result: z.array(nonce),
    failures: [],
  }),
  'alias-nonces.create': operation({
    id: 'alias-nonces.create',
    method: 'POST',
    path: '/actors/v2/aliases/:alias/nonces',
    guard: 'alias+actor:UPDATE',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Create a nonce for an alias',
    description: 'The level UPDATE is not allowed. The returned id is the secret. It is not shown again.',
    query: nothing,
    input: creation,
    result: nonce,
    failures: ['VALIDATION', 'MALFORMED_BODY', 'ALIAS_NONCE_LEVEL', 'QUOTA_EXCEEDED'],
  }),
  'alias-nonces.show': operation({
    id: 'alias-nonces.show',
    method: 'GET',
    path: '/actors/v2/aliases/:alias/nonces/:nonceId',
    guard: 'alias+actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Show a nonce of an alias',
    query: nothing,
    input: nothing,
    result: nonce,
    failures: ['NOT_FOUND'],
  }),
  'alias-nonces.delete': operation({
    id: 'alias-nonces.delete',
    method: 'DELETE',
    path: '/actors/v2/aliases/:alias/nonces/:nonceId',
    guard: 'alias+actor:UPDATE',
    body: 'none',
    answer: 'envelope',
    summary: 'Delete a nonce of an alias',
    description: 'The nonce stops working at once.',
    query: nothing,
    input: nothing,
    result: z.null(),
    failures: ['NOT_FOUND'],
  }),
} as const;

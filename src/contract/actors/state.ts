// The state of a stateful actor and its versions. @see docs/http-api.md#state
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { nothing, time } from '../wire.ts';
import { actor } from './actors.ts';

/** Largest state in bytes. @see docs/conformance/security.md R112 */
export const STATE_LIMIT = 10 * 1024 * 1024;

const about = {
  /** Number of changes since the actor was created. 0 is the initial state. */
  version: z.number(),
  updatedAt: time,
  updatedBy: z.string(),
  /** The execution that set the state with its own token. Absent if a user set the state. */
  executionId: z.optional(z.string()),
};

const stateVersion = z.object({ ...about, state: z.unknown() });

export const stateEntry = z.object({ ...about, bytes: z.number() });

/**
 * `as=text` returns `state` as a string that contains the original JSON text, for clients whose JSON parser would
 * round numbers.
 */
const asked = z.object({ as: z.optional(z.enum(['value', 'text'])) });

const changed = z.extend(actor, { stateVersion: z.number() });

export const stateOperations = {
  'state.show': operation({
    id: 'state.show',
    method: 'GET',
    path: '/actors/v2/:actorId/state',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Show the state of an actor',
    description: 'Returns the JSON as it was sent. The header ETag contains the version.',
    query: asked,
    input: nothing,
    result: stateVersion,
    failures: ['VALIDATION'],
  }),
  'state.set': operation({
    id: 'state.set',
    method: 'POST',
    path: '/actors/v2/:actorId/state',
    guard: 'actor:UPDATE',
    body: 'message',
    answer: 'envelope',
    summary: 'Set the state of a stateful actor',
    description:
      'Accepts any JSON value. With the header If-Match, the state is set only if its current version matches.',
    query: nothing,
    input: z.unknown(),
    result: changed,
    failures: [
      'VALIDATION',
      'ACTOR_STATELESS',
      'STALE_VERSION',
      'MALFORMED_BODY',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
    ],
  }),
  'state.versions': operation({
    id: 'state.versions',
    method: 'GET',
    path: '/actors/v2/:actorId/state/versions',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'List the stored versions of the state',
    description: 'Newest first.',
    query: nothing,
    input: nothing,
    result: z.array(stateEntry),
    failures: [],
  }),
  'state.version': operation({
    id: 'state.version',
    method: 'GET',
    path: '/actors/v2/:actorId/state/versions/:version',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Show an earlier version of the state',
    query: asked,
    input: nothing,
    result: stateVersion,
    failures: ['VALIDATION', 'NOT_FOUND'],
  }),
  'state.restore': operation({
    id: 'state.restore',
    method: 'POST',
    path: '/actors/v2/:actorId/state/versions/:version',
    guard: 'actor:UPDATE',
    body: 'none',
    answer: 'envelope',
    summary: 'Restore an earlier version of the state',
    description: 'Creates a new version with the earlier value. The header If-Match works as for setting the state.',
    query: nothing,
    input: nothing,
    result: changed,
    failures: ['VALIDATION', 'NOT_FOUND', 'ACTOR_STATELESS', 'STALE_VERSION'],
  }),
} as const;

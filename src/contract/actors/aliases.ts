// Aliases: names that can replace an actor id in requests, and can be repointed to another actor.
// @see docs/http-api.md#aliases-and-names
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { links, nothing, text } from '../wire.ts';

export const alias = z.object({
  alias: z.string(),
  actorId: z.string(),
  owner: z.string(),
  _links: links,
});

/** Syntax of an alias. The service also refuses names that are reserved in its URL paths. @see docs/conformance/security.md R131 */
const aliasName = text(128).check(
  z.regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    'must begin with a letter or digit and hold letters, digits, dots, dashes and underscores only',
  ),
);

/** Syntax of an actor id. The service checks whether the actor exists. */
const actorId = text(256).check(z.minLength(1, 'must not be empty'));

export const aliasRegistration = z.object({ alias: aliasName, actorId });

const aliasUpdate = z.object({
  actorId,
  /** Update only if the alias still points to this actor. Addition to Abaco. */
  ifActorId: z.optional(text(256)),
  /** The schema accepts this field only so that the service can explain that an alias cannot be renamed. */
  alias: z.optional(z.unknown()),
});

export const aliasOperations = {
  'aliases.create': operation({
    id: 'aliases.create',
    method: 'POST',
    path: '/actors/v2/aliases',
    guard: 'caller',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Create an alias of an actor',
    description: 'Requires UPDATE on the actor.',
    query: nothing,
    input: aliasRegistration,
    result: alias,
    failures: ['VALIDATION', 'NOT_FOUND', 'FORBIDDEN', 'ALREADY_EXISTS', 'LINK_CYCLE', 'QUOTA_EXCEEDED', 'ACTOR_BUSY'],
  }),
  'aliases.list': operation({
    id: 'aliases.list',
    method: 'GET',
    path: '/actors/v2/aliases',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'List the aliases that the caller may read',
    query: nothing,
    input: nothing,
    result: z.array(alias),
    failures: [],
  }),
  'aliases.show': operation({
    id: 'aliases.show',
    method: 'GET',
    path: '/actors/v2/aliases/:alias',
    guard: 'alias:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Show an alias',
    query: nothing,
    input: nothing,
    result: alias,
    failures: [],
  }),
  'aliases.update': operation({
    id: 'aliases.update',
    method: 'PUT',
    path: '/actors/v2/aliases/:alias',
    guard: 'alias:UPDATE',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Point an alias to another actor',
    description:
      'Also requires UPDATE on the new actor. A config that lists the alias follows the alias only if the caller has UPDATE on the config.',
    query: nothing,
    input: aliasUpdate,
    result: alias,
    failures: ['VALIDATION', 'NOT_FOUND', 'FORBIDDEN', 'STALE_VERSION', 'LINK_CYCLE', 'ACTOR_BUSY'],
  }),
  'aliases.delete': operation({
    id: 'aliases.delete',
    method: 'DELETE',
    path: '/actors/v2/aliases/:alias',
    guard: 'alias:UPDATE',
    body: 'none',
    answer: 'envelope',
    summary: 'Delete an alias',
    description: 'Also deletes the permissions and nonces of the alias. The actor stays.',
    query: nothing,
    input: nothing,
    result: z.null(),
    failures: [],
  }),
} as const;

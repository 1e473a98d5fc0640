// Messages: sent to an actor, pending in its mailbox until an execution starts. @see docs/http-api.md#messages
// "Messages and executions"
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { formBoolean, links, nothing, time } from '../wire.ts';
import { actorStatuses } from './actors.ts';

/** Largest message in bytes. @see docs/conformance/security.md R112 */
export const MESSAGE_LIMIT = 10 * 1024 * 1024;

/** Header that makes it safe to send a message twice: no second execution starts. Addition to Abaco. */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

/** Number of pending messages that `details` describes, oldest first. */
export const DETAILS_LIMIT = 1_000;

/** Header of the response to a synchronous message. The raw response body has no room for `ignored_variables`. */
export const IGNORED_VARIABLES_HEADER = 'x-ignored-variables';

/**
 * Variables that were sent but ignored, because the sender may not set them. Absent: no variable was ignored.
 * @see docs/http-api.md#messages
 */
export const ignoredVariables = z.optional(z.array(z.string()));

/**
 * The actor that received the message. Present if the request allows an actor name in the path. Addition to Abaco.
 * @see docs/http-api.md#aliases-and-names
 */
const takenBy = z.optional(
  z.object({ id: z.string(), name: z.string(), status: z.enum(actorStatuses), statusMessage: z.string() }),
);

export const waitingMessage = z.object({
  executionId: z.string(),
  type: z.enum(['text', 'json', 'binary']),
  /** Bytes. */
  size: z.number(),
  receivedAt: time,
  from: z.string(),
});

/** Query parameters that control the request. All other parameters are variables, if the sender may set them. */
export const steeringParameters = ['message', '_svc_synchronous', '_abaco_synchronous', 'pretty', 'naked'] as const;

export const messageOperations = {
  'messages.send': operation({
    id: 'messages.send',
    method: 'POST',
    path: '/actors/v2/:actorId/messages',
    guard: 'actor:EXECUTE',
    body: 'message',
    answer: 'envelope',
    summary: 'Send a message to an actor',
    description:
      'Query parameters become variables. A sender that may not update the actor, or that uses a nonce, can set only variables that the actor declares. `ignored_variables` lists the others. With `_svc_synchronous=true` the request waits for the execution and returns its first result, or its log if it has no result. If the mailbox is full (by number of messages or by bytes), the response is 429.',
    query: z.looseObject({}),
    input: z.unknown(),
    result: z.object({
      executionId: z.string(),
      msg: z.unknown(),
      ignored_variables: ignoredVariables,
      actor: takenBy,
      _links: links,
    }),
    media: ['text/plain', 'application/octet-stream'],
    failures: [
      'VALIDATION',
      'MALFORMED_BODY',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'ACTOR_BUSY',
      'KEY_REUSED',
      'LINK_CYCLE',
      'THROTTLED',
    ],
  }),
  'messages.count': operation({
    id: 'messages.count',
    method: 'GET',
    path: '/actors/v2/:actorId/messages',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Count the pending messages of an actor',
    description:
      'Messages of running executions are not counted. With `details=true` the response describes the oldest messages.',
    query: z.object({ details: z.optional(formBoolean) }),
    input: nothing,
    result: z.object({ messages: z.number(), waiting: z.optional(z.array(waitingMessage)), _links: links }),
    failures: [],
  }),
  'messages.purge': operation({
    id: 'messages.purge',
    method: 'DELETE',
    path: '/actors/v2/:actorId/messages',
    guard: 'actor:UPDATE',
    body: 'none',
    answer: 'envelope',
    summary: 'Delete the pending messages of an actor',
    description: 'Their executions become CANCELLED. With `executionId` only the message of that execution is deleted.',
    query: z.object({ executionId: z.optional(z.string()) }),
    input: nothing,
    result: z.object({ msg: z.string(), purged: z.number(), _links: links }),
    failures: [],
  }),
} as const;

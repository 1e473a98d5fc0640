// Executions: one run of an actor for one message, with its log. @see docs/http-api.md#executions
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { formInteger, links, nothing, time } from '../wire.ts';
import { ignoredVariables } from './messages.ts';
import { found, searchQuery } from './search.ts';

export const executionStatuses = ['SUBMITTED', 'RUNNING', 'COMPLETE', 'ERROR', 'CANCELLED'] as const;

/** Why an execution ended. @see docs/http-api.md#executions */
export const executionReasons = ['exited', 'halted', 'timed_out', 'out_of_memory', 'out_of_disk'] as const;

/** How the message was sent. `message`: by a user; `execution`: by the code of another execution. */
const triggers = ['message', 'link', 'webhook', 'cron', 'nonce', 'execution'] as const;

/** Longest time from SIGTERM to SIGKILL that a client may request, in seconds. */
export const LONGEST_GRACE = 600;

/** Media type of live streams. A client requests it with the header Accept. */
export const EVENT_STREAM = 'text/event-stream';

export const execution = z.object({
  id: z.string(),
  actorId: z.string(),
  executor: z.string(),
  apiServer: z.string(),
  status: z.enum(executionStatuses),
  reason: z.optional(z.enum(executionReasons)),
  statusMessage: z.optional(z.string()),
  /** What the container engine does not enforce or provide for this execution. Addition to Abaco. */
  warnings: z.optional(z.array(z.string())),
  /** What caused the execution, apart from a user. Addition to Abaco. */
  causedBy: z.optional(
    z.object({
      /** The event that was sent as the message, along a link or by a webhook. */
      event: z.optional(z.string()),
      deliveryId: z.optional(z.string()),
      /** The execution that sent the message with its token. */
      executionId: z.optional(z.string()),
      /** Listed name of the nonce with which the message was sent. It is not the secret. */
      nonceId: z.optional(z.string()),
      scheduledTime: z.optional(time),
    }),
  ),
  trigger: z.enum(triggers),
  /** The execution whose message was sent again. Addition to Abaco. */
  rerunOf: z.optional(z.string()),
  /** The message, if it is still kept and the caller may send it again. Addition to Abaco. */
  message: z.optional(z.object({ type: z.enum(['text', 'json', 'binary']), text: z.string() })),
  /** Names of the variables sent with the message. Present only if `message` is. Addition to Abaco. */
  variables: z.optional(z.array(z.string())),
  messageReceivedTime: time,
  startTime: z.optional(time),
  finishTime: z.optional(time),
  workerId: z.optional(z.string()),
  node: z.optional(z.string()),
  exitCode: z.optional(z.number()),
  /** Last line of stderr of a failed run, at most 200 characters, masked as its log is. Addition to Abaco. */
  lastStderr: z.optional(z.string()),
  finalState: z.optional(z.record(z.string(), z.unknown())),
  /** CPU time in nanoseconds. Absent if the container engine does not report it. */
  cpu: z.optional(z.number()),
  /** Bytes received over the network. Absent if the container engine does not report them. */
  io: z.optional(z.number()),
  /** Run time in whole seconds. For a running execution: the time so far. */
  runtime: z.number(),
  runtimeMs: z.optional(z.number()),
  /**
   * Bytes of output that the log leaves out between its first and its last part, at least. Absent if the log did not
   * reach its size limit. Null if that is not known, as before the end. Addition to Abaco.
   */
  logLeftOut: z.optional(z.nullable(z.number())),
  _links: links,
});

/** A message that a rerun sends in place of the original one. It reaches the actor as it is. */
const editedMessage = z.object({ type: z.enum(['text', 'json']), text: z.string() });

const summaryRow = z.object({
  id: z.string(),
  status: z.enum(executionStatuses),
  exitCode: z.optional(z.number()),
  reason: z.optional(z.enum(executionReasons)),
  messageReceivedTime: z.nullable(time),
  startTime: z.nullable(time),
  finishTime: z.nullable(time),
});

export const executionOperations = {
  'executions.list': operation({
    id: 'executions.list',
    method: 'GET',
    path: '/actors/v2/:actorId/executions',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'List the executions of an actor with totals',
    description: 'Oldest first.',
    query: searchQuery,
    input: nothing,
    result: z.object({
      actorId: z.string(),
      apiServer: z.string(),
      owner: z.string(),
      executions: z.array(summaryRow),
      totalExecutions: z.number(),
      totalCpu: z.number(),
      totalIo: z.number(),
      totalRuntime: z.number(),
      _links: links,
    }),
    found,
    failures: ['VALIDATION', 'THROTTLED'],
  }),
  'executions.show': operation({
    id: 'executions.show',
    method: 'GET',
    path: '/actors/v2/:actorId/executions/:executionId',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Show an execution',
    query: nothing,
    input: nothing,
    result: execution,
    failures: ['NOT_FOUND'],
  }),
  'executions.find': operation({
    id: 'executions.find',
    method: 'GET',
    path: '/actors/v2/executions/:executionId',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Find an execution by its id alone',
    description: 'Needs READ on its actor.',
    query: nothing,
    input: nothing,
    result: execution,
    failures: ['NOT_FOUND'],
  }),
  'executions.halt': operation({
    id: 'executions.halt',
    method: 'DELETE',
    path: '/actors/v2/:actorId/executions/:executionId',
    guard: 'actor:UPDATE',
    body: 'none',
    answer: 'envelope',
    summary: 'Stop a running execution',
    description:
      'Sends SIGTERM, then SIGKILL after ten seconds or `grace` seconds. Of several halts the earliest SIGKILL counts.',
    query: z.object({ grace: z.optional(formInteger(0, LONGEST_GRACE)) }),
    input: nothing,
    result: z.null(),
    failures: ['NOT_FOUND', 'NOT_RUNNING', 'VALIDATION'],
  }),
  'executions.rerun': operation({
    id: 'executions.rerun',
    method: 'POST',
    path: '/actors/v2/:actorId/executions/:executionId/rerun',
    guard: 'actor:EXECUTE',
    body: 'json',
    answer: 'envelope',
    summary: 'Run the message of an execution again',
    description:
      'Sends the same message, or the given one in its place, and the same variables to the actor as it is now. Variables that its sender may no longer set are left out and listed.',
    query: nothing,
    input: z.object({ message: z.optional(editedMessage) }),
    result: z.object({
      executionId: z.string(),
      rerunOf: z.string(),
      ignored_variables: ignoredVariables,
      _links: links,
    }),
    failures: ['NOT_FOUND', 'MESSAGE_NOT_KEPT', 'ACTOR_BUSY', 'KEY_REUSED', 'THROTTLED', 'VALIDATION'],
  }),
  'executions.logs': operation({
    id: 'executions.logs',
    method: 'GET',
    path: '/actors/v2/:actorId/executions/:executionId/logs',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Get the log of an execution',
    description: 'With `Accept: text/event-stream` the log is streamed while it grows.',
    query: searchQuery,
    input: nothing,
    result: z.object({ logs: z.string(), _links: links }),
    found,
    media: [EVENT_STREAM],
    failures: ['NOT_FOUND', 'VALIDATION', 'THROTTLED'],
  }),
} as const;

/**
 * Data of an `event: log`, whose `id` is the cursor. The log stream ends with an `event: end`, whose data are `{status,
 * exitCode?, reason?}`.
 */
export interface LogLine {
  /** Position in the log after this piece. */
  readonly cursor: string;
  readonly time: string;
  readonly stream: 'stdout' | 'stderr' | 'notice';
  /** A piece of the output with its line ends. It may be part of a line. */
  readonly text: string;
}

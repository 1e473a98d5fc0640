// Search of executions by actor, outcome, time, message and log. Addition to Abaco.
// @see docs/http-api.md#executions
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { outcomes, readOutcome } from '../outcome.ts';
import { formInteger, moment, nothing, several, text, time } from '../wire.ts';
import { orders } from './events.ts';
import { execution } from './executions.ts';

/** Where a search looks for its text. */
export const searchPlaces = ['all', 'message', 'log'] as const;

export const EXECUTIONS_FOUND = 50;
export const EXECUTIONS_FOUND_MAX = 200;
const SEARCH_TEXT = 256;

const outcome = z
  .string()
  .check(z.refine((value: string) => readOutcome(value) !== undefined, `must be one of ${outcomes.join(', ')}`));

const line = text(SEARCH_TEXT).check(z.refine((value: string) => !/[\r\n]/.test(value), 'must be one line'));

/** A text in an execution: its first line with the searched text, shortened. */
const match = z.object({
  in: z.enum(['id', 'statusMessage', 'message', 'log']),
  /** Number of the line, from 1. */
  line: z.number(),
  text: z.string(),
  /** The searched text is from `start` to `end` of `text`, in UTF-16 units. */
  start: z.number(),
  end: z.number(),
});
export type TextMatch = z.output<typeof match>;

const { shape } = execution;

const foundExecution = z.object({
  id: shape.id,
  actorId: shape.actorId,
  /** Empty if the actor has no name. */
  actorName: z.string(),
  executor: shape.executor,
  status: shape.status,
  reason: shape.reason,
  statusMessage: shape.statusMessage,
  trigger: shape.trigger,
  messageReceivedTime: shape.messageReceivedTime,
  startTime: shape.startTime,
  finishTime: shape.finishTime,
  exitCode: shape.exitCode,
  lastStderr: shape.lastStderr,
  runtimeMs: shape.runtimeMs,
  /** Present if the request has a text. */
  match: z.optional(match),
});

export const executionSearchOperations = {
  'executions.search': operation({
    id: 'executions.search',
    method: 'GET',
    path: '/actors/v2/executions',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Search executions by outcome, time, message and log',
    description:
      'Covers the actors that the caller may read. A request reads a limited amount. While `next` is not null, send the request again with `after` set to `next`, even if nothing was found. If the execution of the cursor was deleted, others of the same millisecond can be returned twice.',
    query: z.object({
      /** Id, alias or name. */
      actorId: z.optional(text(256)),
      outcome: z.optional(several(outcome)),
      /** Text in any case, on one line. */
      text: z.optional(line),
      /** Where to look for the text. `all` also covers the status message, and finds a whole id. */
      in: z.optional(z.enum(searchPlaces)),
      /** Only executions whose message was received then or later. */
      since: z.optional(moment),
      /** Only executions whose message was received then or earlier. */
      until: z.optional(moment),
      /** `desc`, the newest first, by default. */
      order: z.optional(z.enum(orders)),
      /** The value of `next` in the response before. */
      after: z.optional(text(128)),
      limit: z.optional(formInteger(1, EXECUTIONS_FOUND_MAX)),
    }),
    input: nothing,
    result: z.object({
      executions: z.array(foundExecution),
      /** Null if the search is complete. */
      next: z.nullable(z.string()),
      /** When the message of the last examined execution was received. Null if no execution was examined. */
      searchedTo: z.nullable(time),
      /** Number of executions that this request examined. */
      examined: z.number(),
    }),
    failures: ['VALIDATION', 'NOT_FOUND', 'THROTTLED'],
  }),
} as const;

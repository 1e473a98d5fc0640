// Actors: fields of a registration and of a record, and their operations. @see docs/http-api.md#actors
import * as z from 'zod/mini';
import { dialects } from '../dialect.ts';
import { operation } from '../operation.ts';
import { formBoolean, formInteger, links, nothing, text, time } from '../wire.ts';
import { configEnvironment, configReference, environment, placement, senderVariables, texts } from './actor-fields.ts';
import { found, searchQuery } from './search.ts';

const parsed = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
};

/**
 * A JSON object. A form sends it as JSON text. Other JSON values can be set after the actor exists. The schema is not
 * a zod record, because a zod record drops a member called `__proto__`.
 */
const initialState = z.pipe(
  z.transform((value: unknown, context): unknown => {
    const state = parsed(value);
    if (typeof state === 'object' && state !== null && !Array.isArray(state)) return state;
    context.issues.push({ code: 'custom', message: 'must be a JSON object', input: value });
    return z.NEVER;
  }),
  z.unknown(),
);

/** The statuses of an actor. @see docs/http-api.md#actors */
export const actorStatuses = ['SUBMITTED', 'READY', 'ERROR', 'SHUTTING_DOWN'] as const;

/**
 * Access level of an execution token. `none`: the execution gets no token. `own`: it may read its own actor and
 * execution, write its own state and results, and send messages to the linked actor. `owner`: it may do everything
 * that the owner may do without a role, except change permissions, nonces, clients and users. `whole`: it may do
 * everything that the owner may do without a role. @see docs/actors.md#access-to-the-service
 */
export const tokenReaches = ['none', 'own', 'owner', 'whole'] as const;
export type TokenReach = (typeof tokenReaches)[number];

/**
 * Five cron fields, a shorthand like `@hourly`, or Abaco's `2026-12-31 12 + 1 day`. Empty: no schedule.
 * @see docs/http-api.md#schedules
 */
export const cronSchedule = text(256);
/** IANA name of the time zone of a five-field schedule. Addition to Abaco. */
export const cronTimeZone = text(64);
/** The message that a scheduled run receives. Addition to Abaco, where every scheduled run receives the same text. */
export const cronMessage = text(65_536);

const description = {
  image: text(4_096).check(z.minLength(1, 'must not be empty')),
  description: z.optional(text()),
  default_environment: z.optional(environment),
  /** Variables whose values are read from configs when an execution starts. Addition to Abaco. */
  configEnvironment: z.optional(configEnvironment),
  senderVariables: z.optional(senderVariables),
  hints: z.optional(texts),
  type: z.optional(text(64)),
  token: z.optional(formBoolean),
  /** True: logs show the secret configs that executions received, which are masked otherwise. Addition to Abaco. */
  showSecrets: z.optional(formBoolean),
  logEx: z.optional(formInteger(0, 86_400)),
  /** Longest run time of one execution in seconds. Addition to Abaco, which has one limit for the whole instance. */
  maxRunTime: z.optional(formInteger(1, 31_536_000)),
  maxWorkers: z.optional(formInteger(1, 1_000)),
  memLimit: z.optional(text(32).check(z.regex(/^(-1|\d{1,15}[bkmg]?)$/i, 'must look like 512m or 1g, or be -1'))),
  maxCpus: z.optional(formInteger(-1)),
  placement: z.optional(placement),
  privileged: z.optional(formBoolean),
  useContainerUid: z.optional(formBoolean),
  queue: z.optional(z.enum(['default', 'special'])),
  stateless: z.optional(formBoolean),
  /**
   * How the executions of the actor receive messages, state and context. Addition to Abaco.
   * @see docs/legacy.md
   */
  dialect: z.optional(z.enum(dialects)),
  /** Id or alias of the actor that receives this actor's events. Empty: none. */
  link: z.optional(text(1_024)),
  /** URL that receives this actor's events by POST. Empty: none. */
  webhook: z.optional(text(4_096)),
  cronSchedule: z.optional(cronSchedule),
  cronOn: z.optional(formBoolean),
  cronTimeZone: z.optional(cronTimeZone),
  cronMessage: z.optional(cronMessage),
  /** Initial state of a stateful actor. In an update it replaces the current state. */
  state: z.optional(initialState),
};

export const actorRegistration = z.object({ ...description, name: z.optional(text(1_024)) });
export const actorUpdate = z.object({ ...description, name: z.optional(text(1_024)), force: z.optional(formBoolean) });

export const actor = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  image: z.string(),
  owner: z.string(),
  status: z.enum(actorStatuses),
  statusMessage: z.string(),
  stateless: z.boolean(),
  default_environment: z.record(z.string(), z.string()),
  /** Variables from configs. Absent if there are none. Addition to Abaco. */
  configEnvironment: z.optional(z.record(z.string(), configReference)),
  senderVariables: z.array(z.string()),
  hints: z.array(z.string()),
  type: z.string(),
  link: z.string(),
  /** Only its origin if the caller may not update the actor: the rest of the URL can be a secret. */
  webhook: z.string(),
  queue: z.string(),
  token: z.boolean(),
  /**
   * Access level of the actor's execution tokens, derived from `token`, `stateless` and `dialect`. Addition to Abaco.
   */
  tokenReach: z.enum(tokenReaches),
  /** True if logs show secret configs. Absent if they are masked. Addition to Abaco. */
  showSecrets: z.optional(z.boolean()),
  privileged: z.boolean(),
  useContainerUid: z.boolean(),
  cronOn: z.boolean(),
  mounts: z.array(z.object({ host_path: z.string(), container_path: z.string(), mode: z.string() })),
  state: z.unknown(),
  revision: z.number(),
  /**
   * Starts at 1 and grows by 1 with each change of the description. An update is refused if If-Match has another
   * version.
   */
  version: z.number(),
  /** Absent if the dialect is `modern`. Addition to Abaco. */
  dialect: z.optional(z.enum(dialects)),
  maxWorkers: z.optional(z.number()),
  memLimit: z.optional(z.string()),
  maxCpus: z.optional(z.number()),
  placement: z.optional(z.array(z.string())),
  logEx: z.optional(z.number()),
  maxRunTime: z.optional(z.number()),
  cronSchedule: z.optional(z.string()),
  /** Hour of the next scheduled run in Abaco's format: `2026-11-21 0`. */
  cronNextEx: z.optional(z.string()),
  cronNextTime: z.optional(time),
  cronTimeZone: z.optional(z.string()),
  cronMessage: z.optional(z.string()),
  createTime: time,
  lastUpdateTime: time,
  /** Number of executions since the actor was created. Only in a listing with `details`. Addition to Abaco. */
  totalExecutions: z.optional(z.number()),
  /**
   * Start time of the newest execution, or the arrival time of its message if it has not started. Only in a listing
   * with `details`.
   */
  lastExecutionTime: z.optional(time),
  /** Aliases of the actor that the caller may read. Only in a listing with `details`. Addition to Abaco. */
  aliases: z.optional(z.array(z.string())),
  /**
   * The actor that currently receives this actor's events through the link. Only in a listing with `details`. Addition
   * to Abaco.
   */
  linkedActor: z.optional(z.string()),
  /** Why the link currently cannot deliver this actor's events. Only in a listing with `details`. Addition to Abaco. */
  linkProblem: z.optional(z.string()),
  /** Why the last delivery to the webhook failed. Only in a listing with `details`. Addition to Abaco. */
  webhookProblem: z.optional(z.string()),
  _links: links,
});

const changedActor = z.extend(actor, {
  /** Limits without effect on the container engine, and what executions cannot reach. Addition to Abaco. */
  warnings: z.optional(z.array(z.string())),
});

export const actorOperations = {
  'actors.create': operation({
    id: 'actors.create',
    method: 'POST',
    path: '/actors/v2',
    guard: 'caller',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Create an actor',
    query: nothing,
    input: actorRegistration,
    result: changedActor,
    failures: ['VALIDATION', 'ACTOR_STATELESS', 'QUOTA_EXCEEDED', 'FORBIDDEN'],
  }),
  'actors.list': operation({
    id: 'actors.list',
    method: 'GET',
    path: '/actors/v2',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'List the actors that the caller may read',
    description:
      'With `details=true` each actor includes its aliases, the receiver of its events, the number of its executions and the time of the latest execution.',
    query: z.extend(searchQuery, { details: z.optional(formBoolean) }),
    input: nothing,
    result: z.array(actor),
    found,
    failures: ['VALIDATION', 'THROTTLED'],
  }),
  'actors.show': operation({
    id: 'actors.show',
    method: 'GET',
    path: '/actors/v2/:actorId',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Show an actor',
    query: nothing,
    input: nothing,
    result: actor,
    failures: [],
  }),
  'actors.update': operation({
    id: 'actors.update',
    method: 'PUT',
    path: '/actors/v2/:actorId',
    guard: 'actor:UPDATE',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Update an actor',
    description: 'Replaces the description of the actor. A new image or `force` creates a new revision.',
    query: nothing,
    input: actorUpdate,
    result: changedActor,
    failures: ['VALIDATION', 'ACTOR_STATELESS', 'LINK_CYCLE', 'FORBIDDEN', 'STALE_VERSION', 'ACTOR_BUSY'],
  }),
  'actors.delete': operation({
    id: 'actors.delete',
    method: 'DELETE',
    path: '/actors/v2/:actorId',
    guard: 'actor:UPDATE',
    body: 'none',
    answer: 'envelope',
    summary: 'Delete an actor with its messages and logs',
    description: 'Fails while an execution runs, unless `force` is given.',
    query: z.object({ force: z.optional(formBoolean) }),
    input: nothing,
    result: z.null(),
    failures: ['ACTOR_BUSY'],
  }),
} as const;

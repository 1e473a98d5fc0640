// Operations on the daemon: status, shutdown, and login of its owner.
import * as z from 'zod/mini';
import { clockState } from '../clock.ts';
import { nothing } from '../wire.ts';
import { longOperation, ownerOperation } from './owner-operation.ts';

/** Longest deadline for a shutdown, in milliseconds. */
const LONGEST_STOP = 24 * 60 * 60 * 1000;

const status = z.object({
  pid: z.number(),
  version: z.string(),
  instance: z.string(),
  uptimeMs: z.number(),
  baseUrl: z.string(),
  authUrl: z.string(),
  /** Address of the service for actors in containers. */
  actorBaseUrl: z.optional(z.string()),
  /** The https listener for programs of the hosted platform. */
  legacy: z.optional(
    z.object({
      baseUrl: z.string(),
      /** Why the port is not 443, and how to get port 443. */
      portNote: z.optional(z.string()),
      /** Certificate of the local authority. Absent if the user supplied a certificate. */
      authorityFile: z.optional(z.string()),
    }),
  ),
  dataDir: z.string(),
  /** True once an orderly shutdown has begun. */
  stopping: z.optional(z.boolean()),
  /** The start options of the daemon, by flag name. Absent if the daemon has another version. */
  launch: z.optional(z.looseObject({})),
  schemaVersion: z.number(),
  clock: z.optional(clockState),
  /** How far the time of records is ahead of the machine's clock, which was set back. Absent below a second. */
  clockAheadMs: z.optional(z.number()),
  /** True if at least one user exists. */
  bootstrapped: z.boolean(),
  store: z.object({ writable: z.boolean(), reason: z.optional(z.string()) }),
  engines: z.array(
    z.object({
      name: z.string(),
      available: z.boolean(),
      detail: z.optional(z.string()),
      endpoint: z.optional(z.string()),
      /** Features that actors on this engine do not have. */
      limitations: z.optional(z.array(z.string())),
    }),
  ),
  nodes: z.array(z.object({ name: z.string(), available: z.boolean(), detail: z.string(), executions: z.number() })),
  counts: z.object({
    actors: z.record(z.string(), z.number()),
    workers: z.number(),
    executions: z.object({ running: z.number(), queued: z.number(), total: z.number() }),
  }),
});

/** What a container can and cannot reach, found out by a container. */
const reachReport = z.object({
  /** Why no container was started. */
  untried: z.optional(z.string()),
  /** The address of the API for containers. */
  address: z.optional(z.string()),
  ways: z.array(
    z.object({
      /** The API, the socket of results, the file of the result. */
      way: z.enum(['api', 'socket', 'file']),
      /** Why it does not work, for the end of a sentence. Absent if it works. */
      fault: z.optional(z.string()),
    }),
  ),
});
export type ReachReport = z.output<typeof reachReport>;

export const daemonOperations = {
  'daemon.status': ownerOperation({
    id: 'daemon.status',
    method: 'GET',
    summary: 'Show the state of the daemon',
    input: nothing,
    result: status,
  }),
  // Fast: the daemon does not call the container engine for this operation.
  'daemon.origin': ownerOperation({
    id: 'daemon.origin',
    method: 'GET',
    summary: 'Show the base URL of the instance',
    input: nothing,
    result: z.object({ baseUrl: z.string() }),
  }),
  'daemon.reach': longOperation({
    id: 'daemon.reach',
    summary: 'Run a container that reads the API and returns a result',
    input: nothing,
    result: reachReport,
  }),
  'daemon.stop': ownerOperation({
    id: 'daemon.stop',
    method: 'POST',
    summary: 'Begin the orderly stop of the daemon',
    input: z.object({
      /** Time for running executions to end, in milliseconds. */
      graceMs: z.optional(z.number().check(z.minimum(0), z.maximum(LONGEST_STOP))),
      haltExecutions: z.optional(z.boolean()),
      /** True if an ephemeral daemon must not delete its data, because it is restarted. */
      keepData: z.optional(z.boolean()),
    }),
    result: z.object({ stopping: z.boolean(), pid: z.number() }),
  }),
  'daemon.bootstrap': ownerOperation({
    id: 'daemon.bootstrap',
    method: 'POST',
    summary: 'Create the tenant and its admin if there is no user',
    input: z.object({ username: z.optional(z.string()), password: z.optional(z.string()) }),
    result: z.object({
      created: z.boolean(),
      username: z.string(),
      tenant: z.string(),
      /** Secret. Present only if the daemon generated it. */
      password: z.optional(z.string()),
    }),
  }),
  'daemon.client': ownerOperation({
    id: 'daemon.client',
    method: 'POST',
    summary: 'Create the OAuth client of actorctl, or renew its secret',
    input: nothing,
    result: z.object({ client_id: z.string(), client_secret: z.string() }),
  }),
  // Only for a temporary instance. The access token is valid as long as the instance, whatever its clock says.
  'daemon.token': ownerOperation({
    id: 'daemon.token',
    method: 'POST',
    summary: 'Log the first admin of a temporary instance in',
    input: nothing,
    result: z.object({
      client_id: z.string(),
      client_secret: z.string(),
      access_token: z.string(),
      refresh_token: z.string(),
      scope: z.string(),
      tenant: z.string(),
      username: z.string(),
    }),
  }),
  // Without a username, the link is for the first admin. Without a tenant, a username that exists in several tenants
  // is refused.
  'daemon.login': ownerOperation({
    id: 'daemon.login',
    method: 'POST',
    summary: 'Create a link that logs a browser in once',
    input: z.object({ tenant: z.optional(z.string()), username: z.optional(z.string()) }),
    result: z.object({ url: z.string(), tenant: z.string(), username: z.string(), expiresInMs: z.number() }),
  }),
  'secrets.show': ownerOperation({
    id: 'secrets.show',
    method: 'POST',
    summary: 'Decrypt the value of a secret config',
    input: z.object({
      name: z.string(),
      /**
       * SHA-256 (hex) of the encrypted text. It proves that the caller received the text, and so may read the
       * config.
       */
      digest: z.string(),
    }),
    result: z.object({ text: z.string() }),
  }),
  'secrets.rotate': ownerOperation({
    id: 'secrets.rotate',
    method: 'POST',
    summary: 'Encrypt all secret configs with a new key',
    input: nothing,
    result: z.object({ resealed: z.number() }),
  }),
};

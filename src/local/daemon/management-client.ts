// Client of the daemon's management socket, which only the owner of the instance's files can open.
import * as z from 'zod/mini';
import { clockState } from './clock-client.ts';
import { launch } from './launch.ts';
import { askManagement, type ManagementCall, unknownAnswer } from './management-socket.ts';

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
      /** Why the port is not 443, and how to get it. */
      portNote: z.optional(z.string()),
      /** Certificate of the local authority. Absent: the certificate was given. */
      authorityFile: z.optional(z.string()),
    }),
  ),
  dataDir: z.string(),
  /** True from the beginning of an orderly stop. Absent: the daemon is of an older version. */
  stopping: z.optional(z.boolean()),
  /** How it was started. Absent: the daemon is of an older version. */
  launch: z.optional(launch),
  schemaVersion: z.number(),
  /** The virtual clock. Absent: the instance has the clock of the machine. */
  clock: z.optional(clockState),
  /** True if at least one user exists. */
  bootstrapped: z.boolean(),
  store: z.object({ writable: z.boolean(), reason: z.optional(z.string()) }),
  engines: z.array(
    z.object({
      name: z.string(),
      available: z.boolean(),
      detail: z.optional(z.string()),
      /** Address of the container engine. */
      endpoint: z.optional(z.string()),
      /** What actors on this engine have to do without. */
      limitations: z.optional(z.array(z.string())),
    }),
  ),
  /** The nodes of the cluster, with the executions that run there. Absent: the daemon is of an older version. */
  nodes: z.optional(
    z.array(z.object({ name: z.string(), available: z.boolean(), detail: z.string(), executions: z.number() })),
  ),
  counts: z.object({
    actors: z.record(z.string(), z.number()),
    workers: z.number(),
    executions: z.object({ running: z.number(), queued: z.number(), total: z.number() }),
  }),
});

/** Status of a daemon. */
export type ManageStatus = z.output<typeof status>;

const bootstrap = z.object({
  created: z.boolean(),
  username: z.optional(z.string()),
  tenant: z.optional(z.string()),
  /** Secret. Present only if the daemon generated it. */
  password: z.optional(z.string()),
});
const cliClient = z.object({ client_id: z.string(), client_secret: z.string() });
const loginLink = z.object({ url: z.string(), tenant: z.string(), username: z.string(), expiresInMs: z.number() });
const configValue = z.object({ text: z.string() });
const resealed = z.object({ resealed: z.number() });
const stopping = z.object({ stopping: z.boolean(), pid: z.number() });

export interface Manage {
  readonly status: () => Promise<ManageStatus>;
  /** Starts the shutdown and resolves at once. */
  readonly stop: (input: {
    readonly timeoutMs: number;
    readonly haltExecutions: boolean;
    /** Keeps the data of an ephemeral daemon, for a restart. */
    readonly keepData?: boolean;
  }) => Promise<z.output<typeof stopping>>;
  /** Creates the tenant and its admin user if there is no user yet. */
  readonly bootstrap: (input: {
    readonly username?: string;
    readonly password?: string;
  }) => Promise<z.output<typeof bootstrap>>;
  /** Creates this program's own OAuth client, or gives it a new secret. */
  readonly cliClient: () => Promise<z.output<typeof cliClient>>;
  /**
   * Creates a link that logs a browser in, once and for a minute. Without a name: as the first admin. Without a tenant, a
   * name that users of several tenants have is refused.
   */
  readonly loginLink: (user: {
    readonly tenant?: string;
    readonly username?: string;
  }) => Promise<z.output<typeof loginLink>>;
  /**
   * The decrypted value of a secret config as JSON text.
   * @param input `digest`: SHA-256 (hex) of the encrypted text that the service returned
   */
  readonly configValue: (input: {
    readonly name: string;
    readonly digest: string;
  }) => Promise<z.output<typeof configValue>>;
  /** Encrypts all secret configs with a new key. */
  readonly rotateConfigKey: () => Promise<z.output<typeof resealed>>;
}

const ask = async <S extends z.ZodMiniType>(
  socket: string,
  call: ManagementCall,
  schema: S,
  body?: unknown,
  limitMs?: number,
): Promise<z.output<S>> => {
  const parsed = schema.safeParse(await askManagement(socket, call, body, limitMs));
  if (parsed.success) return parsed.data;
  throw unknownAnswer(call, parsed.error);
};

/**
 * Creates the client for the management socket. Every method throws CliFailure: DAEMON_NOT_RUNNING if nothing listens,
 * DAEMON_UNHEALTHY if there is no response, DAEMON_VERSION if the response is unknown, or the code from the daemon.
 */
export const createManage = (socket: string): Manage => ({
  status: () => ask(socket, ['GET', '/manage/status'], status, undefined, 15_000),
  stop: (input) => ask(socket, ['POST', '/manage/stop'], stopping, input),
  bootstrap: (input) => ask(socket, ['POST', '/manage/bootstrap'], bootstrap, input, 30_000),
  cliClient: () => ask(socket, ['POST', '/manage/cli-client'], cliClient, {}, 30_000),
  loginLink: (user) => ask(socket, ['POST', '/manage/login-link'], loginLink, user),
  configValue: (input) => ask(socket, ['POST', '/manage/config-value'], configValue, input),
  rotateConfigKey: () => ask(socket, ['POST', '/manage/rotate-config-key'], resealed, {}, 10 * 60_000),
});

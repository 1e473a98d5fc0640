// Client of the daemon's management socket, which only the owner of the instance's files can open.
import http from 'node:http';
import * as z from 'zod/mini';
import { type FailureCode, isFailureCode } from '../../contract/failure-codes.ts';
import { CliFailure, messageOf, systemCode } from '../../failure.ts';
import { launch } from './launch.ts';

const status = z.object({
  pid: z.number(),
  version: z.string(),
  instance: z.string(),
  uptimeMs: z.number(),
  baseUrl: z.string(),
  authUrl: z.string(),
  /** Address of the service for actors in containers. */
  actorBaseUrl: z.optional(z.string()),
  dataDir: z.string(),
  /** How it was started. Absent: the daemon is of an older version. */
  launch: z.optional(launch),
  schemaVersion: z.number(),
  /** True if at least one user exists. */
  bootstrapped: z.boolean(),
  store: z.object({ writable: z.boolean(), reason: z.optional(z.string()) }),
  engines: z.array(
    z.object({
      name: z.string(),
      available: z.boolean(),
      detail: z.optional(z.string()),
      /** Base URL of the service. */
      endpoint: z.optional(z.string()),
    }),
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
const origin = z.object({ baseUrl: z.string() });
const configValue = z.object({ text: z.string() });
const resealed = z.object({ resealed: z.number() });
const stopping = z.object({ stopping: z.boolean(), pid: z.number() });

export interface Manage {
  readonly status: () => Promise<ManageStatus>;
  /** Base URL of the service. Fast, because the daemon does not call the container engine. */
  readonly origin: () => Promise<z.output<typeof origin>>;
  /** Starts the shutdown and resolves at once. */
  readonly stop: (input: {
    readonly timeoutMs: number;
    readonly killActors: boolean;
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

const LIMIT = 8 * 1024 * 1024;

const exchange = (socket: string, method: string, path: string, body: unknown, limitMs: number) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const content = body === undefined ? undefined : JSON.stringify(body);
    const request = http.request({
      socketPath: socket,
      // Sets the Host header only. With the default host name node would compile its IPv6 address pattern, which takes
      // 5 ms.
      host: '127.0.0.1',
      method,
      path,
      agent: false,
      headers:
        content === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) },
      timeout: limitMs,
    });
    request.once('timeout', () => request.destroy(new Error(`no response within ${limitMs} ms`)));
    request.once('error', reject);
    request.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
        if (text.length > LIMIT) request.destroy(new Error('the response is too long'));
      });
      response.once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.end(content);
  });

const errorOf = (text: string): { code: FailureCode; message: string } => {
  const schema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
  try {
    const { error } = schema.parse(JSON.parse(text));
    return { code: isFailureCode(error.code) ? error.code : 'INTERNAL', message: error.message };
  } catch {
    // The body is not an error object, so the daemon is at fault.
    return { code: 'INTERNAL', message: 'the daemon answered on its management socket with an unknown error' };
  }
};

const ask = async <S extends z.ZodMiniType>(
  socket: string,
  [method, path]: readonly [string, string],
  schema: S,
  body?: unknown,
  limitMs = 10_000,
): Promise<z.output<S>> => {
  let answer: { status: number; text: string };
  try {
    answer = await exchange(socket, method, path, body, limitMs);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR') {
      throw new CliFailure('DAEMON_NOT_RUNNING', 'the daemon is not running', { hint: 'actorctl up', cause: error });
    }
    throw new CliFailure('DAEMON_UNHEALTHY', `the daemon does not respond on ${socket}: ${messageOf(error)}`, {
      hint: 'actorctl daemon logs -n 50',
      cause: error,
    });
  }
  if (answer.status !== 200) {
    const { code, message } = errorOf(answer.text);
    throw new CliFailure(code, message, { httpStatus: answer.status });
  }
  try {
    return schema.parse(JSON.parse(answer.text));
  } catch (error) {
    throw new CliFailure('DAEMON_VERSION', `the daemon's response to ${method} ${path} is unknown to this actorctl`, {
      hint: 'actorctl daemon restart',
      cause: error,
    });
  }
};

/**
 * Creates the client for the management socket. Every method throws CliFailure: DAEMON_NOT_RUNNING if nothing listens,
 * DAEMON_UNHEALTHY if there is no response, DAEMON_VERSION if the response is unknown, or the code from the daemon.
 */
export const createManage = (socket: string): Manage => ({
  status: () => ask(socket, ['GET', '/manage/status'], status, undefined, 15_000),
  origin: () => ask(socket, ['GET', '/manage/origin'], origin, undefined, 15_000),
  stop: (input) => ask(socket, ['POST', '/manage/stop'], stopping, input),
  bootstrap: (input) => ask(socket, ['POST', '/manage/bootstrap'], bootstrap, input, 30_000),
  cliClient: () => ask(socket, ['POST', '/manage/cli-client'], cliClient, {}, 30_000),
  configValue: (input) => ask(socket, ['POST', '/manage/config-value'], configValue, input),
  rotateConfigKey: () => ask(socket, ['POST', '/manage/rotate-config-key'], resealed, {}, 10 * 60_000),
});

// All services behind the real HTTP layer, on a real store, with an admin user and a log. A test may replace some handlers.
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type App, createApp } from '../../../daemon/http/app.ts';
import type { ResourceAccess } from '../../../daemon/http/guard.ts';
import type { Handlers } from '../../../daemon/http/route-handler.ts';
import { bootstrap } from '../../../daemon/people/bootstrap.ts';
import type { Logger } from '../../../daemon/ports/logger.ts';
import type { Store } from '../../../daemon/ports/store.ts';
import type { Vault } from '../../../daemon/ports/vault.ts';
import { playedBy } from '../contract/openapi-check.ts';
import { type Answer, type Call, call, keptConnections } from './call.ts';
import { type ComposedServices, composeServices } from './composed-services.ts';
import { listenLegacy } from './legacy-listener.ts';

export const ADMIN_PASSWORD = 'correct horse battery';

/** The fields of every error response besides its message. */
export const errorEnvelope = { result: null, status: 'error', version: '1.9.1' };

/** Bytes that `raw` sends at once; less than the server accepts as the head of a request. */
const PIECE = 8 * 1024;

/** A line of the daemon's log. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What the listener of a platform says in its own way. @see docs/legacy.md#differences-between-the-listeners */
interface Differences {
  /** The status of a refusal for want of permission. */
  readonly forbidden: number;
  /** The name of the cookie of the browser session. */
  readonly cookie: string;
  /** What follows the other attributes of that cookie. */
  readonly cookieEnd: string;
}

const differences: Readonly<Record<'http' | 'https', Differences>> = {
  http: { forbidden: 403, cookie: 'actorctl_session', cookieEnd: '' },
  https: { forbidden: 400, cookie: '__Host-actorctl_session', cookieEnd: '; Secure' },
};

/** The listener of the platforms of this run. The project `integration-https` sets it. */
const scheme = process.env['ACTORCTL_TEST_LISTENER'] === 'https' ? 'https' : 'http';

export interface Platform extends Differences {
  readonly folder: string;
  readonly app: App;
  readonly port: number;
  readonly baseUrl: string;
  readonly store: Store;
  readonly vault: Vault;
  readonly log: readonly LogEntry[];
  /** Moves the clock forward by this number of milliseconds. */
  advance(ms: number): void;
  ask(method: string, path: string, asked?: Call): Promise<Answer>;
  /** Sends POST /token. */
  token(form: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends bytes and returns everything received until the server closes the connection. */
  raw(text: string): Promise<string>;
  close(): Promise<void>;
}

export interface PlatformSettings {
  /** Handlers that the test plays. Other actor operations refuse. */
  readonly handlers?: Partial<Handlers>;
  readonly access?: Partial<ResourceAccess>;
  readonly onlyExecutionTokens?: boolean;
  /** True while the records are being recovered. */
  readonly starting?: () => boolean;
  /** The clock stands still until `advance` moves it, for tests of time limits that many requests must meet. */
  readonly stillClock?: boolean;
}

/** A header with Basic credentials, without percent-encoding. */
export const basic = (name: string, secret: string): string =>
  `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;

/** The status of a raw response. */
export const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);

interface Listening {
  readonly app: App;
  readonly port: number;
  readonly baseUrl: string;
}

/** The main listener, with the handlers that the test plays. */
const listenPlain = async (
  { services, listen, dependencies }: ComposedServices,
  { handlers, access, onlyExecutionTokens = false }: PlatformSettings,
): Promise<Listening> => {
  const { app, port } = await listen((hosts) => {
    const parts = services.parts(hosts, onlyExecutionTokens);
    return createApp({
      ...parts,
      handlers: { ...parts.handlers, ...handlers },
      access: { ...parts.access, ...access },
    });
  });
  const baseUrl = dependencies.baseUrl();
  if (handlers !== undefined || onlyExecutionTokens) playedBy(baseUrl);
  return { app, port, baseUrl };
};

/** Starts a separate platform on a free port, with the tenant DEV and the user `admin`. */
export const startPlatform = async (settings: PlatformSettings = {}): Promise<Platform> => {
  const log: LogEntry[] = [];
  const at = (level: LogEntry['level']) => (fields: LogEntry['fields'], message: string) => {
    log.push({ level, message, fields });
  };
  const logger: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const { starting, stillClock = false } = settings;
  const composed = await composeServices(logger, { stillClock, ...(starting && { starting }) });
  const { folder, store, vault, services } = composed;
  await bootstrap(composed.dependencies, { password: ADMIN_PASSWORD });
  const { app, port, baseUrl } =
    scheme === 'https' ? await listenLegacy(services) : await listenPlain(composed, settings);
  const open = (onOpen: () => void): Socket =>
    scheme === 'https'
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, onOpen)
      : connect(port, '127.0.0.1', onOpen);
  const connections = keptConnections();
  return {
    ...differences[scheme],
    folder,
    app,
    port,
    baseUrl,
    store,
    vault,
    log,
    advance: composed.advance,
    ask: (method, path, asked) => call(baseUrl, method, path, asked, connections),
    token: (form, headers = {}) => call(baseUrl, 'POST', '/token', { form, headers }, connections),
    raw: (text) =>
      new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        const bytes = Buffer.from(text, 'latin1');
        // Piece by piece: the response to a text that is too long is lost if the server closes on bytes that it has not
        // read.
        const send = (at: number): void => {
          if (at >= bytes.length || chunks.length > 0 || !socket.writable) return;
          socket.write(bytes.subarray(at, at + PIECE), () => setTimeout(send, 1, at + PIECE));
        };
        const socket = open(() => send(0));
        socket.on('data', (chunk) => chunks.push(chunk));
        socket.on('error', reject);
        socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
      }),
    close: async () => {
      connections.close();
      await app.close();
      await composed.close();
    },
  };
};

/** A client of the admin, and its header. */
export const makeClient = async (
  platform: Platform,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly id: string; readonly secret: string; readonly header: { readonly authorization: string } }> => {
  const answer = await platform.ask('POST', '/clients/v2', {
    json: { clientName: `client-${Math.random().toString(36).slice(2)}`, ...fields },
    headers: { authorization: basic('admin', ADMIN_PASSWORD) },
  });
  const { consumerKey, consumerSecret } = answer.result;
  if (typeof consumerKey !== 'string' || typeof consumerSecret !== 'string') throw new Error(answer.text);
  return { id: consumerKey, secret: consumerSecret, header: { authorization: basic(consumerKey, consumerSecret) } };
};

/** The member of a JSON object response, or undefined if there is none. */
export const member = (answer: Answer, name: string): unknown =>
  typeof answer.json === 'object' && answer.json !== null ? Reflect.get(answer.json, name) : undefined;

/** A bearer header of the admin, valid for 4 hours. */
export const adminToken = async (platform: Platform): Promise<{ readonly authorization: string }> => {
  const client = await makeClient(platform);
  const answer = await platform.token({ grant_type: 'client_credentials' }, client.header);
  return { authorization: `Bearer ${String(member(answer, 'access_token'))}` };
};

/** Stores a browser session of a user. Returns whether the session still exists. */
export const browserSession = async (
  { store }: Pick<Platform, 'store'>,
  tenant: string,
  username: string,
): Promise<() => boolean> => {
  const hash = `session of ${tenant}/${username}`;
  await store.transact((tx) =>
    tx.put('sessions', { hash, browser: 'browser', tenant, username, startedAt: 0, seenAt: 0 }),
  );
  return () => store.get('sessions', hash) !== undefined;
};

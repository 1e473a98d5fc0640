// The HTTP server with handlers that the test plays: no services, no store, no vault.
import type { AddressInfo } from 'node:net';
import { Failure } from '../../../daemon/domain/failure.ts';
import { type App, type AppOptions, createApp } from '../../../daemon/http/app.ts';
import type { Authenticate } from '../../../daemon/http/authorization.ts';
import { loopbackHosts } from '../../../daemon/http/request-gate.ts';
import type { Handlers } from '../../../daemon/http/route-handler.ts';
import { serviceOperations } from '../../../src/contract/operations.ts';
import { rawRequest } from './raw-request.ts';
import { actorRecord } from './records.ts';

interface BareAnswer {
  readonly status: number;
  /** Names in lower case. A repeated header is joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: () => unknown;
}

/** A line of the log. */
interface Entry {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface BareApp {
  readonly app: App;
  readonly port: number;
  readonly baseUrl: string;
  readonly log: readonly Entry[];
  /** Credentials that were checked: `NAME`, or `NAME basic` where a password would be accepted. */
  readonly checked: string[];
  /** Sends one request on a connection of its own. `headers` are lines without their end. */
  ask(method: string, path: string, headers?: readonly string[], body?: string): Promise<BareAnswer>;
  /** Sends these bytes and returns everything received until the server closes the connection. */
  raw(bytes: string): Promise<string>;
  close(): Promise<void>;
}

export interface BareSettings extends Partial<Omit<AppOptions, 'handlers'>> {
  /** Every other operation succeeds with an empty result. */
  readonly handlers?: Partial<Handlers>;
}

/** The header lines of a caller. `root` is an admin. */
export const as = (name: string): string[] => [`Authorization: Bearer ${name}`];

/** Splits the text of one response. */
export const parseAnswer = (received: string): BareAnswer => {
  const end = received.indexOf('\r\n\r\n');
  const [first = '', ...lines] = received.slice(0, end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  const text = received.slice(end + 4);
  return { status: Number(first.split(' ')[1]), headers, text, json: () => JSON.parse(text) };
};

const succeed = () => ({ result: {}, message: 'Done.' });

/** Starts the server on a free port of the loopback interface. */
export const startBareApp = async ({ handlers, ...settings }: BareSettings = {}): Promise<BareApp> => {
  const log: Entry[] = [];
  const at = (level: string) => (fields: Entry['fields'], message: string) => void log.push({ level, message, fields });
  const checked: string[] = [];
  const authenticate: Authenticate = async ({ headers }, { basic }) => {
    // A body that was sent together with the headers has arrived after this turn of the event loop.
    await new Promise(setImmediate);
    const name = /^Bearer (\w+)$/.exec(headers.authorization ?? '')?.[1];
    checked.push(`${name ?? 'nobody'}${basic ? ' basic' : ''}`);
    if (name === undefined) throw new Failure('AUTH_REQUIRED', 'Log in.');
    return { tenant: 'DEV', username: name, roles: name === 'root' ? ['admin'] : [] };
  };
  const found = (_caller: unknown, name: string, level: string): never => ({ name, level }) as never;
  let count = 0;
  let port = 0;
  const app = createApp({
    handlers: {
      ...Object.fromEntries(Object.keys(serviceOperations).map((id) => [id, succeed])),
      ...handlers,
    } as never,
    authenticate,
    access: {
      actor: (_caller, name) => actorRecord(name),
      withinReach: () => undefined,
      idOrText: (_caller, text) => text,
      alias: found,
      aliasAndActor: (_caller, name, level) => ({ alias: found(_caller, name, level), actor: actorRecord('behind') }),
      config: found,
    },
    ids: { id: () => `request${++count}`, secret: () => 'secret' },
    logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    hosts: () => loopbackHosts(port),
    baseUrl: () => `http://127.0.0.1:${port}`,
    ...settings,
  });
  await new Promise<void>((resolve) => app.server.listen(0, '127.0.0.1', resolve));
  port = (app.server.address() as AddressInfo).port;
  const baseUrl = `http://127.0.0.1:${port}`;
  const raw = (bytes: string) => rawRequest(baseUrl, bytes);
  return {
    app,
    port,
    baseUrl,
    log,
    checked,
    raw,
    ask: async (method, path, headers = [], body) => {
      const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
      const head = [
        `${method} ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        'Connection: close',
        ...headers,
        ...length,
      ];
      return parseAnswer(await raw(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`));
    },
    close: () => app.close(),
  };
};

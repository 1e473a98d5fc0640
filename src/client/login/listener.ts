// Waits on a loopback port for the browser to come back with the answer: one answer, at one exact address. @see RFC 8252 7.3, auth.md R160, R162
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { CliFailure, messageOf, systemCode } from '../../failure.ts';
import { type ListenerPage, listenerPages } from './listener-pages.ts';

/** The ports whose addresses this program's own client is registered with. @see wire.md "Addresses" */
export const CALLBACK_PORTS = [8731, 8732, 8733, 8734, 8735] as const;

const PATH = '/callback';
const ARRIVED = '/callback/arrived';
const REFUSED = '/callback/refused';

/** Longest answer of the implicit flow, in bytes. */
const BODY_LIMIT = 16_384;

/** How long the browser may take to fetch the closing page, in milliseconds; it is on its way already. */
const CLOSING_MS = 1_500;

/** The redirect URI of a port, as it is registered: compared byte for byte. */
export const redirectUriOf = (port: number): string => `http://127.0.0.1:${port}${PATH}`;

export interface Listener {
  readonly port: number;
  readonly redirectUri: string;
  /**
   * The parameters of the answer.
   * @throws CliFailure AUTH_FAILED when none came in time, CANCELLED
   */
  readonly answer: Promise<URLSearchParams>;
  /** Closes it, after the browser has got its closing page. */
  readonly close: () => Promise<void>;
}

export interface ListenerInput {
  /** Tried in this order. */
  readonly ports: readonly number[];
  readonly responseType: 'code' | 'token';
  /** Whether an answer is a good one; decides on the closing page alone. */
  readonly accepts: (parameters: URLSearchParams) => boolean;
  /** Longest wait for the answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const send = (response: ServerResponse, page: ListenerPage): void => {
  response.writeHead(page.status, { ...page.headers, connection: 'close' });
  response.end(page.html);
};

const readForm = async (request: IncomingMessage): Promise<URLSearchParams | undefined> => {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) return undefined;
  let text = '';
  request.setEncoding('utf8');
  for await (const piece of request) {
    text += String(piece);
    if (text.length > BODY_LIMIT) return undefined;
  }
  return new URLSearchParams(new URLSearchParams(text).get('fragment') ?? '');
};

const isAnswer = (parameters: URLSearchParams): boolean =>
  ['code', 'access_token', 'error'].some((name) => parameters.has(name));

const listenOn = (server: http.Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });

const closed = (server: http.Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** Listens on both loopback addresses of the first port that is free on both: forwarders use the one or the other (cli.md R3). */
const bind = async (
  ports: readonly number[],
  make: (port: number) => http.Server,
): Promise<{ readonly port: number; readonly servers: readonly http.Server[] }> => {
  for (const port of ports) {
    const servers: http.Server[] = [];
    try {
      for (const host of ['127.0.0.1', '::1']) {
        const server = make(port);
        try {
          await listenOn(server, port, host);
          servers.push(server);
        } catch (error) {
          // A machine without IPv6 has no second address to take.
          if (host !== '::1' || systemCode(error) === 'EADDRINUSE') throw error;
        }
      }
      return { port, servers };
    } catch (error) {
      await Promise.all(servers.map(closed));
      if (systemCode(error) === 'EADDRINUSE' || systemCode(error) === 'EACCES') continue;
      throw new CliFailure('NETWORK', `port ${port} cannot be listened on: ${messageOf(error)}`, { cause: error });
    }
  }
  const list = ports.length === 1 ? `port ${ports[0]} is` : `ports ${ports.join(', ')} are`;
  throw new CliFailure('PORT_IN_USE', `${list} taken, so the browser could not come back`, {
    hint: 'end the other login, or use actorctl login --terminal',
    details: { ports },
  });
};

/**
 * Begins to listen. The caller must close it.
 * @throws CliFailure PORT_IN_USE when no port is free, NETWORK
 */
export const listenForAnswer = async (input: ListenerInput): Promise<Listener> => {
  const { responseType, accepts, timeoutMs, signal } = input;
  let settle: { resolve: (parameters: URLSearchParams) => void; reject: (error: unknown) => void } | undefined;
  const answer = new Promise<URLSearchParams>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Whoever waits for something else as well may never look at this.
  answer.catch(() => undefined);
  let outcome: 'waiting' | 'arrived' | 'refused' = 'waiting';
  let shown: () => void = () => undefined;
  const closing = new Promise<void>((resolve) => {
    shown = resolve;
  });

  const take = (parameters: URLSearchParams, response: ServerResponse): void => {
    outcome = accepts(parameters) ? 'arrived' : 'refused';
    response.writeHead(303, {
      // A browser carries a fragment on to where it is sent, unless that has one of its own: this one is empty.
      location: `${outcome === 'arrived' ? ARRIVED : REFUSED}#`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    });
    response.end();
    settle?.resolve(parameters);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse, port: number): Promise<void> => {
    if (request.headers.host !== `127.0.0.1:${port}`) return send(response, listenerPages.elsewhere);
    const [path, query = ''] = (request.url ?? '').split(/\?(.*)/s);
    if (path === ARRIVED || path === REFUSED) {
      if (outcome === 'waiting') return send(response, listenerPages.notFound);
      send(response, listenerPages[outcome]);
      response.once('close', shown);
      return;
    }
    if (path !== PATH || outcome !== 'waiting') return send(response, listenerPages.notFound);
    // Images and scripts of other pages reach loopback too; only a person's browser that is sent here is the answer.
    const mode = request.headers['sec-fetch-mode'];
    if (mode !== undefined && mode !== 'navigate') return send(response, listenerPages.forbidden);
    if (request.method === 'GET') {
      const parameters = new URLSearchParams(query);
      if (isAnswer(parameters)) return take(parameters, response);
      return send(response, responseType === 'token' ? listenerPages.handing : listenerPages.malformed);
    }
    if (request.method !== 'POST' || responseType !== 'token') return send(response, listenerPages.notAllowed);
    const { origin } = request.headers;
    if (origin !== undefined && origin !== `http://127.0.0.1:${port}`) return send(response, listenerPages.forbidden);
    const parameters = await readForm(request);
    if (!parameters || !isAnswer(parameters)) return send(response, listenerPages.malformed);
    take(parameters, response);
  };

  const { port, servers } = await bind(input.ports, (port) =>
    http.createServer(
      { headersTimeout: 10_000, requestTimeout: 30_000, maxHeaderSize: 16_384 },
      (request, response) => {
        handle(request, response, port).catch(() => response.destroy());
      },
    ),
  );
  const stop = (): void => settle?.reject(new CliFailure('CANCELLED', 'interrupted'));
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => {
    settle?.reject(
      new CliFailure('AUTH_FAILED', 'nobody answered the login in time', {
        hint: 'run actorctl login again; where no browser comes back, paste the address that it ends at, or use --terminal',
      }),
    );
  }, timeoutMs);

  return {
    port,
    redirectUri: redirectUriOf(port),
    answer,
    close: async () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      if (outcome !== 'waiting') {
        await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, CLOSING_MS).unref())]);
      }
      await Promise.all(servers.map(closed));
    },
  };
};

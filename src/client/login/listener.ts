// Listens on a loopback port for the redirect of the browser. Accepts one valid response, at one exact address.
// @see RFC 8252 7.3, docs/conformance/security.md R160, R162
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { CALLBACK_PATH, redirectUriOf } from '../../contract/cli-client.ts';
import { CliFailure, messageOf, systemCode } from '../../failure.ts';
import type { Fit } from './authorize.ts';
import { type ListenerPage, listenerPages } from './listener-pages.ts';

const ARRIVED = '/callback/arrived';
const REFUSED = '/callback/refused';
const FOREIGN = '/callback/foreign';

/** Longest response of the implicit flow, in bytes. */
const BODY_LIMIT = 16_384;

/** Milliseconds for the browser to fetch the closing page after the redirect. A busy machine took more than three seconds. */
const CLOSING_MS = 10_000;

export interface Listener {
  readonly port: number;
  readonly redirectUri: string;
  /**
   * The parameters of the valid response. Rejects with AUTH_FAILED if no response arrives in time, or with
   * CANCELLED.
   */
  readonly answer: Promise<URLSearchParams>;
  /** Stops listening after the browser has fetched its closing page. */
  readonly close: () => Promise<void>;
}

export interface ListenerInput {
  readonly ports: readonly number[];
  readonly responseType: 'code' | 'token';
  readonly fits: (parameters: URLSearchParams) => Fit;
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

/**
 * Finds the first port that is free on both loopback addresses (IPv4 and IPv6), because a port forwarder may use
 * either.
 */
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
          // A machine without IPv6 has no second loopback address.
          if (host !== '::1' || systemCode(error) === 'EADDRINUSE') throw error;
        }
      }
      return { port, servers };
    } catch (error) {
      await Promise.all(servers.map(closed));
      if (systemCode(error) === 'EADDRINUSE' || systemCode(error) === 'EACCES') continue;
      throw new CliFailure('NETWORK', `cannot listen on port ${port}: ${messageOf(error)}`, { cause: error });
    }
  }
  const list = ports.length === 1 ? `port ${ports[0]} is` : `ports ${ports.join(', ')} are`;
  throw new CliFailure('PORT_IN_USE', `${list} in use, so the browser cannot redirect to actorctl`, {
    hint: 'end the other login, or use actorctl login --terminal',
    details: { ports },
  });
};

/** Starts to listen. The caller must close the listener. */
export const listenForAnswer = async (input: ListenerInput): Promise<Listener> => {
  const { responseType, fits, timeoutMs, signal } = input;
  let settle: { resolve: (parameters: URLSearchParams) => void; reject: (error: unknown) => void } | undefined;
  const answer = new Promise<URLSearchParams>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Prevents an unhandled rejection when the caller waits for something else and never awaits this promise.
  answer.catch(() => undefined);
  let outcome: 'waiting' | 'arrived' | 'refused' = 'waiting';
  let shown: () => void = () => undefined;
  const closing = new Promise<void>((resolve) => {
    shown = resolve;
  });

  const take = (parameters: URLSearchParams, response: ServerResponse): void => {
    const fit = fits(parameters);
    response.writeHead(303, {
      // Browsers keep the fragment across a redirect unless the target has its own. This target has an empty one.
      location: `${{ arrived: ARRIVED, refused: REFUSED, foreign: FOREIGN }[fit]}#`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    });
    response.end();
    // Any web page can redirect a browser to this port, so an invalid response does not end the login.
    if (fit === 'foreign') return;
    outcome = fit;
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
    if (path === FOREIGN) return send(response, listenerPages.foreign);
    if (path !== CALLBACK_PATH || outcome !== 'waiting') return send(response, listenerPages.notFound);
    // Images and scripts of other pages can also request loopback addresses. Only a top-level navigation is accepted
    // as the response.
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
      new CliFailure('AUTH_FAILED', 'no login response arrived in time', {
        hint: 'run actorctl login again; if the browser cannot reach actorctl, paste the address that it shows, or use --terminal',
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

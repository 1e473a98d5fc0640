// The HTTP server of the daemon: gate, routes, one error handler, and an orderly end.
import { setMaxListeners } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import express, { type ErrorRequestHandler } from 'express';
import { Failure } from '../domain/failure.ts';
import type { Ids } from '../ports/ids.ts';
import type { Logger } from '../ports/logger.ts';
import type { Nonces } from '../ports/nonces.ts';
import type { Locals } from './exchange.ts';
import { presetExpressPrototypes } from './express-prototypes.ts';
import type { ResourceAccess } from './guard.ts';
import { brokenPath, type MountRoutesOptions, mountRoutes, unknownRoute } from './mount-routes.ts';
import { noteContinue } from './request/body.ts';
import { parseQuery } from './request/form.ts';
import {
  defaultLimits,
  type Limits,
  MAX_CONNECTIONS,
  MAX_REQUESTS_PER_SOCKET,
  serverOptions,
} from './request/limits.ts';
import { requestGate } from './request-gate.ts';
import { type FailurePage, plainForm } from './response/answer.ts';
import type { Handlers } from './route-handler.ts';
import { type Authenticate, answerThrown, type Query } from './serve-operation.ts';

export interface AppOptions {
  /** One handler for every operation of the contract. */
  readonly handlers: Handlers;
  readonly authenticate: Authenticate;
  readonly access: ResourceAccess;
  /** Lets in who shows a nonce; without it, and on the listener that containers reach, nonces are not looked at. */
  readonly nonces?: Nonces;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Host values that are answered, lower case, with the port; asked at every request. @see loopbackHosts */
  readonly hosts: () => ReadonlySet<string>;
  readonly limits?: Partial<Limits>;
  /** For the listener that containers reach: every route asks for the token of a running execution. @see auth.md C23 */
  readonly onlyExecutionTokens?: boolean;
  /** Writes the failures of operations that answer by pages; without it they are told as JSON. */
  readonly failurePage?: FailurePage;
}

export interface App {
  /** Not listening yet. */
  readonly server: Server;
  /**
   * From now on new requests are answered 503; the signals of those under way fire, which ends streams and waits.
   * Resolves when none is under way any more; the caller bounds the wait. Calling it twice drains once.
   */
  drain(): Promise<void>;
  /** Stops listening and ends every connection, whatever is under way. */
  close(): Promise<void>;
}

const METHODS = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';

/** What the parser refuses never becomes a request; it is answered by hand. */
const refuseUnparsed = (error: Error & { code?: string }, socket: Duplex, answering: boolean): void => {
  if (!socket.writable || answering || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, extra] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', '']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', '']
        : error.code === 'HPE_INVALID_METHOD'
          ? ['405 Method Not Allowed', `Allow: ${METHODS}\r\n`]
          : ['400 Bad Request', ''];
  socket.end(`HTTP/1.1 ${status}\r\n${extra}Connection: close\r\nContent-Length: 0\r\n\r\n`);
};

/** Makes the server; `server.listen` is the caller's. */
export const createApp = (options: AppOptions): App => {
  const { logger } = options;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  /** The latest answer on each connection: garbage behind a request must not be answered into the middle of it. */
  const answers = new WeakMap<Duplex, ServerResponse>();
  let underway = 0;
  let onIdle: (() => void) | undefined;

  const mountOptions: MountRoutesOptions = {
    handlers: options.handlers,
    authenticate: options.authenticate,
    access: options.access,
    nonces: options.nonces,
    limits: { ...defaultLimits, ...options.limits },
    onlyExecutionTokens: options.onlyExecutionTokens === true,
    stopping: stopping.signal,
    logger,
    failurePage: options.failurePage,
  };
  const handleBrokenPath = brokenPath(mountOptions);
  const handleError: ErrorRequestHandler<Record<string, string>, unknown, unknown, Query, Locals> = (
    error,
    request,
    response,
    next,
  ) => {
    // The router itself throws only for a path whose percent-escapes are broken.
    if (error instanceof URIError) return handleBrokenPath(request, response, next);
    return answerThrown(request, response, plainForm, error, logger);
  };

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', (query: string | null) => parseQuery(query ?? '', mountOptions.limits.parameters));
  app.enable('case sensitive routing');
  app.use(
    requestGate({
      hosts: options.hosts,
      runId: options.ids.id(),
      stopping: stopping.signal,
      logger,
      failurePage: options.failurePage,
      onBegin: (response) => {
        underway += 1;
        if (response.socket) answers.set(response.socket, response);
      },
      onEnd: () => {
        underway -= 1;
        if (underway === 0) onIdle?.();
      },
    }),
  );
  mountRoutes(app, mountOptions);
  app.use(unknownRoute(mountOptions));
  app.use(handleError);

  const server = createServer({ ...serverOptions, ...presetExpressPrototypes(app) }, app);
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET;
  server.on('checkContinue', (request, response) => {
    noteContinue(request, response);
    server.emit('request', request, response);
  });
  server.on('clientError', (error, socket) => {
    const latest = answers.get(socket);
    if (latest?.req.complete && !latest.headersSent && socket.writable && !socket.readableEnded) {
      // A request that came whole is owed its own answer; what came behind it ends the connection after that.
      latest.shouldKeepAlive = false;
      return;
    }
    refuseUnparsed(error, socket, latest?.headersSent === true && !latest.writableFinished);
  });
  server.on('connect', (_request, socket) => {
    socket.end(
      `HTTP/1.1 405 Method Not Allowed\r\nAllow: ${METHODS}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    );
  });

  return {
    server,
    drain: () => {
      stopping.abort(
        new Failure('SHUTTING_DOWN', 'The daemon is stopping. Ask again when it is up.', { retryAfter: 1 }),
      );
      return underway === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            onIdle = resolve;
          });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

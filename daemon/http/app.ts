// The HTTP server of the daemon: request gate, routes, error handler and orderly shutdown.
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import express, { type ErrorRequestHandler, type Express, type IRouter } from 'express';
import { API_PREFIX } from '../../src/contract/operation.ts';
import type { OwnerOperationId } from '../../src/contract/operations.ts';
import { Failure } from '../domain/failure.ts';
import type { Clock } from '../ports/clock.ts';
import type { OfferedFiles } from '../ports/file-offers.ts';
import type { Ids } from '../ports/ids.ts';
import type { Logger } from '../ports/logger.ts';
import type { Nonces } from '../ports/nonces.ts';
import type { Authenticate } from './authorization.ts';
import { limitConnections } from './connections.ts';
import type { ListenerDialect } from './dialect/listener-dialect.ts';
import type { Locals } from './exchange.ts';
import { presetExpressPrototypes } from './express-prototypes.ts';
import type { ResourceAccess } from './guard.ts';
import { brokenPath, type MountRoutesOptions, mountRoutes, unknownRoute } from './mount-routes.ts';
import { ONE_TIME_FILES, serveOneTimeFiles } from './one-time-files.ts';
import { refuseConnect, refusePlain, refuseUnparsed } from './refused-connections.ts';
import { noteContinue } from './request/body.ts';
import { parseQuery } from './request/form.ts';
import {
  defaultLimits,
  type Limits,
  MAX_REQUESTS_PER_SOCKET,
  OWNER_BODY_BYTES,
  serverOptions,
} from './request/limits.ts';
import { noteOwner } from './request/owner.ts';
import type { Query } from './request/query.ts';
import { type RequestGateOptions, requestGate } from './request-gate.ts';
import { type FailurePage, plainForm } from './response/answer.ts';
import type { Handlers } from './route-handler.ts';
import { answerThrown, type RouteOptions } from './serve-operation.ts';
import { createTlsServer, type TlsIdentity } from './tls-server.ts';

export interface AppOptions {
  readonly handlers: Handlers;
  readonly authenticate: Authenticate;
  readonly access: ResourceAccess;
  /** Accepts nonces as a substitute for tokens. If absent, and on the listener for containers, nonces are ignored. */
  readonly nonces?: Nonces;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Accepted Host header values, in lower case, with port. Read at every request. @see `loopbackHosts` */
  readonly hosts: () => ReadonlySet<string>;
  /** Origin of the listener for people. Absent on a listener for containers. */
  readonly baseUrl?: () => string;
  /** True until requests may be served; until then they get 503. Read at every request. */
  readonly starting?: () => boolean;
  /** The virtual clock of the instance, which every response shows. Absent if the instance uses the machine's clock. */
  readonly virtualClock?: Clock;
  readonly limits?: Partial<Limits>;
  /** Every route requires the token of a running execution. @see docs/conformance/security.md C23 */
  readonly onlyExecutionTokens?: boolean;
  /** The differences of a listener for programs of the hosted platform. Absent on other listeners. */
  readonly legacy?: ListenerDialect;
  /** True to serve `/actors` as `/actors/v2`, as the hosted platform does behind its gateway. */
  readonly hasBarePaths?: boolean;
  /** Certificate and key. If present, this is an https listener. */
  readonly identity?: TlsIdentity;
  /** Files that runs fetch once. Absent if there are none. */
  readonly oneTimeFiles?: OfferedFiles;
  /** Mounts routes that are not operations, after all operations. */
  readonly site?: (router: IRouter) => void;
  /** Renders failures of operations that respond with pages. Without it, failures are sent as JSON. */
  readonly failurePage?: FailurePage;
}

export type App = ReturnType<typeof createApp>;

/** Mounts the gate before the routes that `mount` adds, and the responses to unknown paths and errors after them. */
const routedApp = (options: RouteOptions, gate: RequestGateOptions, mount: (router: IRouter) => void): Express => {
  const handleBrokenPath = brokenPath(options);
  const handleError: ErrorRequestHandler<Record<string, string>, unknown, unknown, Query, Locals> = (
    error,
    request,
    response,
    next,
  ) => {
    // The router throws a URIError only for a path with broken percent-escapes.
    if (error instanceof URIError) return handleBrokenPath(request, response, next);
    return answerThrown(request, response, plainForm, error, options.logger);
  };
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', (query: string | null) => parseQuery(query ?? '', options.limits.parameters));
  app.enable('case sensitive routing');
  app.use(requestGate(gate));
  mount(app);
  app.use(unknownRoute(options));
  app.use(handleError);
  return app;
};

/** Creates the server. The caller calls `server.listen`. */
export const createApp = (options: AppOptions) => {
  const { logger } = options;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  /**
   * The latest response on each connection, because a response to invalid input must not be written into the middle of
   * it.
   */
  const answers = new WeakMap<Duplex, ServerResponse>();
  const ofOwner = new Set<ServerResponse>();
  let underway = 0;
  let isExtra: (request: IncomingMessage) => boolean = () => false;
  let onIdle: (() => void) | undefined;

  const mountOptions: MountRoutesOptions = {
    handlers: options.handlers,
    authenticate: options.authenticate,
    access: options.access,
    nonces: options.nonces,
    limits: { ...defaultLimits, ...options.limits },
    onlyExecutionTokens: options.onlyExecutionTokens === true,
    legacy: options.legacy,
    stopping: stopping.signal,
    starting: options.starting ?? (() => false),
    logger,
    failurePage: options.failurePage,
  };
  const gateOptions: RequestGateOptions = {
    hosts: options.hosts,
    baseUrl: options.baseUrl,
    requestId: () => options.ids.id(),
    stopping: stopping.signal,
    virtualClock: options.virtualClock,
    isExtra: (request) => isExtra(request),
    logger,
    failurePage: options.failurePage,
    hasBarePaths: options.hasBarePaths === true,
    onBegin: (response) => {
      underway += 1;
      if (response.socket) answers.set(response.socket, response);
    },
    onEnd: () => {
      underway -= 1;
      if (underway === 0) onIdle?.();
    },
  };
  const app = routedApp(mountOptions, gateOptions, (router) => {
    if (options.oneTimeFiles) router.get(ONE_TIME_FILES, serveOneTimeFiles(options.oneTimeFiles, logger));
    mountRoutes(router, mountOptions);
    options.site?.(router);
  });

  const settings = { ...serverOptions, ...presetExpressPrototypes(app) };
  const tls = { ...settings, handshakeTimeout: mountOptions.limits.handshakeMs };
  const secure = options.identity && createTlsServer(tls, options.identity, { onRequest: app, refuse: refusePlain });
  const server = secure?.server ?? createServer(settings, app);
  // A client may close its sending side after the request and still read the response (RFC 9112 9.6). Node supports
  // this with a property that its types lack.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET;
  isExtra = limitConnections(server, mountOptions.limits.connections);
  server.on('checkContinue', (request, response) => {
    noteContinue(request, response);
    server.emit('request', request, response);
  });
  server.on('clientError', (error, socket) => {
    const latest = answers.get(socket);
    if (latest?.req.complete && !latest.headersSent && socket.writable && !socket.readableEnded) {
      // A complete request still gets its response. The invalid input after it closes the connection afterwards.
      latest.shouldKeepAlive = false;
      return;
    }
    refuseUnparsed(error, socket, latest?.headersSent === true && !latest.writableFinished);
  });
  server.on('connect', (_request, socket) => refuseConnect(socket));

  return {
    /** The server. It is not listening yet. */
    server,
    /**
     * Serves connections that only the owner of the data can open, with any Host header. They reach the owner's
     * operations, even while the daemon starts or stops, and below `/api` everything that the server serves.
     */
    ownerListener: (handlers: Handlers<OwnerOperationId>): RequestListener => {
      const { signal } = new AbortController();
      setMaxListeners(0, signal);
      const limits = { ...mountOptions.limits, bodyBytes: OWNER_BODY_BYTES };
      const serving = { stopping: signal, starting: () => false };
      const ofOwnerOnly = { ...mountOptions, ...serving, handlers, limits, nonces: undefined };
      const ungated = { onBegin: () => undefined, onEnd: () => undefined, isExtra: () => false, stopping: signal };
      const owners = routedApp(ofOwnerOnly, { ...gateOptions, ...ungated }, (router) =>
        mountRoutes(router, ofOwnerOnly),
      );
      return (request, response) => {
        noteOwner(request);
        if (!request.url?.startsWith(`${API_PREFIX}/`)) return owners(request, response);
        request.url = request.url.slice(API_PREFIX.length);
        ofOwner.add(response);
        response.once('close', () => ofOwner.delete(response));
        app(request, response);
      };
    },
    /**
     * Responds to new requests with 503 and aborts the signals of pending ones, which ends streams and waits. Resolves
     * once no request is pending; the caller limits the wait. A second call has no further effect.
     */
    drain: (): Promise<void> => {
      stopping.abort(
        new Failure('SHUTTING_DOWN', 'The daemon is stopping. Try again after it has started.', { retryAfter: 1 }),
      );
      return underway === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            onIdle = resolve;
          });
    },
    /** Uses another certificate for new connections. Does nothing on a listener without TLS. */
    renew: (identity: TlsIdentity): void => secure?.renew(identity),
    /** Stops listening and closes every connection, including those with pending requests. */
    close: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const response of ofOwner) response.destroy();
        secure?.destroyConnections();
      }),
  };
};

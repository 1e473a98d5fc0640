// Checks every request before routing: Host header, Authorization header and path. Also assigns its id and logs it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { REQUEST_ID_HEADER } from '../../src/contract/failure-codes.ts';
import { VIRTUAL_CLOCK_HEADER } from '../../src/contract/virtual-clock.ts';
import { Failure } from '../domain/failure.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { type Locals, lazySignal } from './exchange.ts';
import { isFromOwner } from './request/owner.ts';
import { type AnswerForm, answerFailure, type FailurePage, plainForm } from './response/answer.ts';
import { allowOrigin } from './response/cors.ts';

export interface RequestGateOptions {
  readonly hosts: () => ReadonlySet<string>;
  /** Origin of the listener for people. Absent on a listener for containers. */
  readonly baseUrl: (() => string) | undefined;
  /** Makes the id of a request. It must be random: a serial number would reveal how many requests others send. */
  readonly requestId: () => string;
  readonly stopping: AbortSignal;
  readonly isExtra: (request: IncomingMessage) => boolean;
  readonly virtualClock?: Clock | undefined;
  readonly logger: Logger;
  readonly failurePage?: FailurePage | undefined;
  readonly hasBarePaths: boolean;
  readonly onBegin: (response: ServerResponse) => void;
  readonly onEnd: (response: ServerResponse) => void;
}

/** The Host values of requests to an origin. A client may omit the default port. */
export const hostsAt = (origin: string): readonly string[] => {
  const { host, hostname, port, protocol } = new URL(origin);
  return port === '' ? [host, `${hostname}:${protocol === 'http:' ? 80 : 443}`] : [host];
};

/** The Host values of a loopback listener. @see docs/conformance/security.md R105 */
export const loopbackHosts = (port: number): ReadonlySet<string> =>
  new Set(['127.0.0.1', 'localhost', '[::1]'].flatMap((name) => hostsAt(`http://${name}:${port}`)));

const countHeader = ({ rawHeaders }: IncomingMessage, name: string): number => {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index];
    if (header !== undefined && header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
};

export const pathOf = (url: string): string => {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
};

/** The request target as a path with repeated slashes merged. Undefined if it names another host. */
const cleanTarget = (url: string, hosts: ReadonlySet<string>): string | undefined => {
  let target = url;
  if (!target.startsWith('/')) {
    const [, host, rest] = /^http:\/\/([^/?#]*)(.*)/i.exec(target) ?? [];
    if (host === undefined) return target === '*' ? target : undefined;
    if (!hosts.has(host.toLowerCase())) return undefined;
    target = `/${rest}`;
  }
  if (!target.includes('//')) return target;
  const path = pathOf(target);
  return path.replace(/\/{2,}/g, '/') + target.slice(path.length);
};

/** The failure of a request with a foreign Host. It names the address that works. */
const misdirected = (baseUrl: string | undefined, { socket }: IncomingMessage) =>
  new Failure(
    'MISDIRECTED',
    `This service is not available under that host name. ${
      baseUrl === undefined
        ? 'Use the address in the variable _svc_api_server.'
        : `Use ${baseUrl}. A tunnel (ssh -L) needs port ${socket.localPort} at both ends.`
    }`,
  );

const overloaded = () =>
  new Failure('OVERLOADED', 'The daemon has too many connections with pending requests. Try again in a second.', {
    retryAfter: 1,
  });

/** The path prefix of the actor service without its version. */
const BARE_ACTORS = /^\/actors(?!\/v2(?:[/?]|$))(?=[/?]|$)/;

const isPagePath = (path: string): boolean => path === '/authorize' || path.startsWith('/authorize/');

/** The endpoints of RFC 6749, 7009 and 7662, whose responses have no envelope. */
const OAUTH_PATH = /^\/(?:token|revoke|introspect)\/?$/;
const oauthForm: AnswerForm = { ...plainForm, kind: 'bare', challenges: ['Basic'] };

/**
 * Makes the gate. It refuses requests for other hosts before anything else, and logs each request when it is over:
 * method, route pattern, status, ms, caller; never the query.
 * @see docs/conformance/security.md R105, R156
 */
export const requestGate = (options: RequestGateOptions): RequestHandler<object, unknown, unknown, unknown, Locals> => {
  const {
    hosts,
    baseUrl,
    requestId,
    stopping,
    isExtra,
    virtualClock,
    logger,
    failurePage,
    hasBarePaths,
    onBegin: begun,
    onEnd: over,
  } = options;
  const pageForm: AnswerForm = { ...plainForm, kind: 'page', ...(failurePage && { page: failurePage }) };
  /** The format of a refusal at this path, which is the format of the path's other failures. */
  const formOf = (path: string): AnswerForm =>
    isPagePath(path) ? pageForm : OAUTH_PATH.test(path) ? oauthForm : plainForm;
  return (request, response, next) => {
    const id = requestId();
    const startedAt = performance.now();
    const exchange = { id, startedAt, route: '(none)', caller: undefined, signal: lazySignal(response, stopping) };
    const locals: Locals = response.locals;
    locals.exchange = exchange;
    response.setHeader(REQUEST_ID_HEADER, id);
    if (virtualClock) response.setHeader(VIRTUAL_CLOCK_HEADER, new Date(virtualClock.now()).toISOString());
    begun(response);
    response.once('close', () => {
      over(response);
      const { route, caller } = locals.exchange;
      logger.info(
        {
          requestId: id,
          method: request.method,
          route,
          status: response.statusCode,
          ms: Math.round((performance.now() - startedAt) * 10) / 10,
          ...(caller && { tenant: caller.tenant, caller: caller.username }),
          ...(!response.writableFinished && { aborted: true }),
        },
        'request',
      );
    });
    if (isExtra(request)) {
      answerFailure(request, response, formOf(pathOf(request.url)), overloaded());
      return;
    }
    const ours = hosts();
    const host = request.headers.host;
    const target = cleanTarget(request.url, ours);
    const isOurs =
      (host !== undefined && ours.has(host.toLowerCase()) && countHeader(request, 'host') === 1) ||
      isFromOwner(request);
    if (!isOurs || target === undefined) {
      answerFailure(request, response, formOf(pathOf(target ?? request.url)), misdirected(baseUrl?.(), request));
      return;
    }
    request.url = hasBarePaths ? target.replace(BARE_ACTORS, '/actors/v2') : target;
    const path = pathOf(target);
    allowOrigin(request, response, path);
    if (request.headers.authorization !== undefined && countHeader(request, 'authorization') !== 1) {
      answerFailure(
        request,
        response,
        formOf(path),
        new Failure('VALIDATION', 'There is more than one Authorization header. Send one.', { challenge: true }),
      );
      return;
    }
    next();
  };
};

// Sends one HTTP request to a service over node:http, without proxies and always with a time limit.
import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { REQUEST_ID_HEADER } from '../contract/failure-codes.ts';
import { API_PREFIX } from '../contract/operation.ts';
import { VIRTUAL_CLOCK_HEADER } from '../contract/virtual-clock.ts';
import { CliFailure, messageOf } from '../failure.ts';
import { connectOwn } from '../local/own-place.ts';
import { type Address, isAsOwner, olderDaemon, ownFailure, type SocketAddress, silence, translate } from './address.ts';
import type { ServiceClock } from './service-clock.ts';

/** Query parameters. An array repeats the name, undefined leaves it out. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface RawRequest {
  readonly method: string;
  /** Path without origin and query. */
  readonly path: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Readable;
  /** Milliseconds to wait for the response head, and the longest pause within the body. 0: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Head of a response, and its body as a stream that the caller must read or destroy. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
  /** Name of the flag or variable whose token was sent. Absent for a stored login. */
  readonly tokenFrom?: string;
  /** Signal of the request. It ends the body too. */
  readonly signal?: AbortSignal;
}

/** Receives trace lines for `--debug`, without secrets. */
export type Trace = (line: string) => void;

export interface TransportInput {
  readonly timeoutMs: number;
  /** True if the service is the local daemon, which `actorctl up` starts. */
  readonly isLocal: boolean;
  readonly trace?: Trace;
  /** Receives the time that a service with a virtual clock sends in its responses. */
  readonly heard?: ServiceClock['heard'];
  /** A monotonic clock of this process, in milliseconds. */
  readonly now?: () => number;
}

export type Transport = (to: Address, request: RawRequest) => Promise<RawAnswer>;

const search = (query: Query = {}): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (typeof value === 'object') for (const one of value) parameters.append(name, one);
    else parameters.append(name, String(value));
  }
  const text = parameters.toString();
  return text ? `?${text}` : '';
};

const redacted = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${/^(authorization|x-nonce|cookie)$/i.test(name) ? '***' : value}`)
    .join(', ');

const routeTo = (to: Address) => {
  if (typeof to !== 'string') {
    // Used as the Host header. For any other host, Node tests with a regular expression whether it is an IPv6
    // address, and compiling that expression takes 10 ms.
    const prefix = to.asOwner ? '' : API_PREFIX;
    return { protocol: 'http:', prefix, where: { socketPath: to.socket, host: '127.0.0.1' } };
  }
  const { protocol, pathname, hostname, port } = new URL(to);
  const host = hostname.replace(/^\[|\]$/g, '');
  return {
    protocol,
    prefix: pathname.replace(/\/$/, ''),
    where: { host, port: port || (protocol === 'https:' ? 443 : 80) },
  };
};

/** Connects to a socket for an HTTP agent. The agent receives errors through the callback only. */
const connectTo = (to: SocketAddress, created: ((error: Error | null, stream: Duplex) => void) | undefined) => {
  try {
    return connectOwn(to.socket);
  } catch (error) {
    created?.(error as Error, undefined as never);
    return undefined;
  }
};

const traced = (to: Address, path: string): string =>
  typeof to === 'string' ? `${to}${path}` : `${path} on ${to.socket}`;

/**
 * Milliseconds for which an idle connection is reused. The daemon, like most services, closes an idle connection
 * after 5 s.
 */
const KEPT_MS = 3_000;

/**
 * Creates the function that sends requests. It ignores proxy variables, and resolves with the head of any response,
 * whatever its status.
 * @throws CliFailure DAEMON_NOT_RUNNING if nothing listens, DAEMON_VERSION if the daemon is too old, NETWORK for other
 * errors and for silence, CANCELLED when `signal` fires
 */
export const createTransport = ({
  timeoutMs,
  isLocal,
  trace,
  heard,
  // `performance` is not used here, because it loads six more Node modules.
  now = () => process.uptime() * 1_000,
}: TransportInput): Transport => {
  const agents = new Map<string, Agent>();
  const freed = new WeakMap<Duplex, number>();
  /**
   * Closes connections that were idle for too long. It compares times instead of using a timer: while this process is
   * busy, timers and connection events are delivered only after the next request.
   */
  const closeIdle = (agent: Agent): void => {
    for (const socket of Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? []))
      if (now() - (freed.get(socket) ?? 0) > KEPT_MS) socket.destroy();
  };
  const agentOf = (to: Address, protocol: string, client: { readonly Agent: typeof Agent }): Agent => {
    const target = typeof to === 'string' ? protocol : `${to.socket}${to.asOwner ? ' as owner' : ''}`;
    const known = agents.get(target);
    if (known !== undefined) {
      closeIdle(known);
      return known;
    }
    const made = new client.Agent(isAsOwner(to) ? {} : { keepAlive: true, maxSockets: 16 });
    made.on('free', (socket: Duplex) => freed.set(socket, now()));
    if (typeof to !== 'string') made.createConnection = (_options, created) => connectTo(to, created);
    agents.set(target, made);
    return made;
  };
  return async (to, request) => {
    const { protocol, prefix, where } = routeTo(to);
    // The module is loaded with the first request. The scheme is checked, so that a token is never sent unencrypted
    // by mistake.
    const client = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
    return new Promise((resolve, reject) => {
      const limit = request.timeoutMs ?? timeoutMs;
      const target = `${prefix}${request.path}${search(request.query)}`;
      const body = typeof request.body === 'string' ? Buffer.from(request.body) : request.body;
      const sized = body instanceof Uint8Array && { 'content-length': String(body.byteLength) };
      const headers = { ...request.headers, ...sized };
      trace?.(`> ${request.method} ${traced(to, request.path)} (${redacted(headers)})`);
      const outgoing = client.request({
        agent: agentOf(to, protocol, client),
        ...where,
        method: request.method,
        path: target,
        headers,
        ...(request.signal && { signal: request.signal }),
      });
      const fail = (error: unknown): void => reject(translate(error, to, isLocal, request.signal));
      outgoing.once('error', fail);
      if (limit > 0) outgoing.setTimeout(limit, () => outgoing.destroy(silence(to, limit, isLocal)));
      outgoing.once('response', (body) => {
        trace?.(`< ${body.statusCode ?? 0} ${request.method} ${request.path}`);
        if (typeof to !== 'string' && body.statusCode === 404 && body.headers[REQUEST_ID_HEADER] === undefined) {
          body.destroy();
          reject(olderDaemon());
          return;
        }
        // The time of a local daemon is ignored if requests go to another service.
        if (isLocal || !isAsOwner(to)) heard?.(body.headers[VIRTUAL_CLOCK_HEADER]);
        const { signal } = request;
        resolve({ status: body.statusCode ?? 0, headers: body.headers, body, signal });
      });
      if (body === undefined || body instanceof Uint8Array) outgoing.end(body);
      // The response may arrive before the whole body is sent. Send errors after the response are ignored.
      else
        process
          .getBuiltinModule('node:stream/promises')
          .pipeline(body, outgoing)
          .catch((error: Error) => outgoing.destroy(error));
    });
  };
};

/** @throws CliFailure NETWORK if the connection breaks or the body has more than `limit` bytes, CANCELLED */
export const readBody = async (answer: RawAnswer, limit = 256 * 1024 * 1024): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of answer.body as AsyncIterable<Buffer>) {
      size += piece.byteLength;
      if (size > limit) throw new CliFailure('NETWORK', `the response is longer than ${limit} bytes`);
      pieces.push(piece);
    }
  } catch (error) {
    const own = ownFailure(error, answer.signal);
    if (own) throw own;
    throw new CliFailure('NETWORK', `the connection broke during the response: ${messageOf(error)}`, { cause: error });
  }
  return Buffer.concat(pieces);
};

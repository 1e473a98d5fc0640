// Sends one HTTP request to the daemon over node:http, without proxies and always with a time limit.
import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { VIRTUAL_CLOCK_HEADER } from '../contract/virtual-clock.ts';
import { CliFailure, messageOf, systemCode } from '../failure.ts';
import type { ServiceClock } from './service-clock.ts';

/** Query parameters. An array repeats the name, undefined leaves it out. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface RawRequest {
  readonly method: string;
  /** Path without origin and query. */
  readonly path: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Milliseconds to wait for the response head, and the longest silence in its body. 0: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Head of a response, and its body as a stream that the caller must read or destroy. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
  /** Signal of the request. It ends the body too. */
  readonly signal?: AbortSignal;
}

/** Receives trace lines for `--debug`, without secrets. */
export type Trace = (line: string) => void;

export interface TransportInput {
  /** Default time limit in milliseconds. */
  readonly timeoutMs: number;
  /** True if the service is the local daemon, which `actorctl up` starts. */
  readonly isLocal: boolean;
  readonly trace?: Trace;
  /** Receives the time that a service with a virtual clock shows. */
  readonly heard?: ServiceClock['heard'];
}

export type Transport = (origin: string, request: RawRequest) => Promise<RawAnswer>;

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

/** System errors that mean that nothing listens at the address. */
const ABSENT = new Set(['ECONNREFUSED', 'ENOENT', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']);

/** What to do when a service that listens does not answer properly. @param isLocal true for the daemon of this machine */
export const hintOfNetwork = (isLocal: boolean): string =>
  isLocal ? 'actorctl status' : 'check the network and the service, then run the command again';

/** The failure for an error that is one already, or that an abort of the request has caused. */
const ownFailure = (error: unknown, signal: AbortSignal | undefined): CliFailure | undefined => {
  if (error instanceof CliFailure) return error;
  return signal?.aborted ? new CliFailure('CANCELLED', 'interrupted', { cause: error }) : undefined;
};

const translate = (error: unknown, origin: string, isLocal: boolean, signal: AbortSignal | undefined): CliFailure => {
  const own = ownFailure(error, signal);
  if (own) return own;
  const code = systemCode(error);
  if (code !== undefined && ABSENT.has(code)) {
    const hint = isLocal ? 'actorctl up' : 'check that this is the address of the service, and that the service runs';
    return new CliFailure('DAEMON_NOT_RUNNING', `cannot connect to ${origin}`, { hint, cause: error });
  }
  return new CliFailure('NETWORK', `cannot send the request to ${origin}: ${messageOf(error)}`, {
    hint: hintOfNetwork(isLocal),
    cause: error,
  });
};

/** The headers for a trace, with secrets replaced. */
const redacted = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${/^(authorization|x-nonce|cookie)$/i.test(name) ? '***' : value}`)
    .join(', ');

/**
 * Creates the function that sends requests to the daemon. Ignores proxy variables. The promise resolves with the head
 * of any response, whatever its status.
 * @throws CliFailure DAEMON_NOT_RUNNING if nothing listens, NETWORK for other errors and for silence, CANCELLED when
 * `signal` fires
 */
export const createTransport = ({ timeoutMs, isLocal, trace, heard }: TransportInput): Transport => {
  const agents = new Map<string, Agent>();
  const agentOf = (protocol: string, client: { readonly Agent: typeof Agent }): Agent => {
    const known = agents.get(protocol) ?? new client.Agent({ keepAlive: true, maxSockets: 16 });
    agents.set(protocol, known);
    return known;
  };
  return async (origin, request) => {
    const url = new URL(origin);
    // Loaded with the first request. The scheme is checked explicitly, so that a token is never sent unencrypted by
    // mistake.
    const client = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
    return new Promise((resolve, reject) => {
      const limit = request.timeoutMs ?? timeoutMs;
      const target = `${url.pathname.replace(/\/$/, '')}${request.path}${search(request.query)}`;
      const body = typeof request.body === 'string' ? Buffer.from(request.body) : request.body;
      const headers = { ...request.headers, ...(body && { 'content-length': String(body.byteLength) }) };
      trace?.(`> ${request.method} ${origin}${request.path} (${redacted(headers)})`);
      const outgoing = client.request({
        agent: agentOf(url.protocol, client),
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port || (url.protocol === 'https:' ? 443 : 80),
        method: request.method,
        path: target,
        headers,
        ...(request.signal && { signal: request.signal }),
      });
      const fail = (error: unknown): void => reject(translate(error, origin, isLocal, request.signal));
      outgoing.once('error', fail);
      if (limit > 0) {
        outgoing.setTimeout(limit, () => {
          outgoing.destroy(
            new CliFailure('NETWORK', `${origin} did not respond within ${limit} ms`, { hint: hintOfNetwork(isLocal) }),
          );
        });
      }
      outgoing.once('response', (body) => {
        trace?.(`< ${body.statusCode ?? 0} ${request.method} ${request.path}`);
        heard?.(body.headers[VIRTUAL_CLOCK_HEADER]);
        const { signal } = request;
        resolve({ status: body.statusCode ?? 0, headers: body.headers, body, ...(signal && { signal }) });
      });
      outgoing.end(body);
    });
  };
};

/**
 * Reads a body to its end.
 * @throws CliFailure NETWORK if the connection breaks or the body is longer than `limit` bytes, CANCELLED when the signal
 * of the request fires
 */
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

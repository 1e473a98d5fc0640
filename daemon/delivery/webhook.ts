// One POST to one webhook: a deadline, no retry, no redirect, no proxy, no credentials; of the answer only the status counts.
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Attempt } from '../domain/events/delivery-status.ts';
import { webhookFault } from '../domain/events/webhook-url.ts';
import type { Post, Poster } from '../ports/poster.ts';
import { type AddressRule, addressRule, checkedLookup, literalFault, type Resolve, systemResolve } from './address.ts';

export interface PosterSettings {
  /** Goes out with every post. */
  readonly userAgent: string;
  /** Whether webhooks may lead to this machine and to private networks. */
  readonly allowPrivate: boolean;
  readonly resolve: Resolve;
  /** ms until there must be a connection. */
  readonly connectMs: number;
  /** ms until there must be an answer. */
  readonly totalMs: number;
  /** Bytes of the answer that are read; then we hang up. */
  readonly answerBytes: number;
  /**
   * ms that a connection is kept for the next post. Shorter than any usual server keeps it: a post into a connection that the
   * receiver is just closing would be lost, since nothing is sent twice.
   */
  readonly keepMs: number;
}

const defaults: Omit<PosterSettings, 'userAgent' | 'allowPrivate'> = {
  resolve: systemResolve,
  connectMs: 5_000,
  totalMs: 10_000,
  answerBytes: 64 * 1024,
  keepMs: 1_000,
};

const seconds = (ms: number): string => `${ms / 1_000} s`;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const CLOSED = 'the receiver closed the connection without an answer';

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there (connection refused)',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host cannot be resolved at present',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network of the host cannot be reached',
  ETIMEDOUT: 'the host does not answer',
};

const wordsOf = (error: unknown): string => {
  const code = codeOf(error);
  if (code.startsWith('HPE_')) return `what the receiver answered is not HTTP (${code})`;
  return words[code] ?? (error instanceof Error && error.message !== '' ? error.message : code || String(error));
};

/** Reads the answer to its end, but no more of it than `bytes`. */
const discard = (response: IncomingMessage, request: ClientRequest, bytes: number): void => {
  let seen = 0;
  response.on('data', (piece: Buffer) => {
    seen += piece.length;
    if (seen > bytes) request.destroy();
  });
};

type Send = (target: URL) => ClientRequest;

/** Sees one request through to its end. */
const attempt = (send: () => ClientRequest, settings: PosterSettings, signal: AbortSignal): Promise<Attempt> =>
  new Promise((resolve) => {
    const { connectMs, totalMs, answerBytes } = settings;
    let answered: number | undefined;
    let why: string | undefined;
    const request = send();
    const hangUp = (because: string): void => {
      why ??= because;
      request.destroy();
    };
    const note = (error: unknown): void => {
      why ??= wordsOf(error);
    };
    const stop = (): void => hangUp('the daemon stopped before there was an answer');
    const connecting = setTimeout(() => hangUp(`there was no connection within ${seconds(connectMs)}`), connectMs);
    const whole = setTimeout(() => hangUp(`there was no answer within ${seconds(totalMs)}`), totalMs);
    signal.addEventListener('abort', stop, { once: true });
    request.on('socket', (socket) => {
      const connected = (): void => clearTimeout(connecting);
      if (request.reusedSocket) connected();
      else socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
    });
    request.on('error', note);
    request.on('response', (response) => {
      answered = response.statusCode;
      // What goes wrong behind the status changes nothing about it.
      response.on('error', note);
      discard(response, request, answerBytes);
    });
    request.once('close', () => {
      clearTimeout(connecting);
      clearTimeout(whole);
      signal.removeEventListener('abort', stop);
      if (answered !== undefined) resolve({ kind: 'answered', status: answered });
      else if (signal.aborted) resolve({ kind: 'cut', why: why ?? 'the daemon stopped' });
      else resolve({ kind: 'failed', why: why ?? CLOSED });
    });
    if (signal.aborted) stop();
  });

const requester = (settings: PosterSettings, rule: AddressRule) => {
  const { userAgent, resolve, keepMs } = settings;
  // Node takes proxies from the environment for its global agent alone; these have none.
  const options = { keepAlive: true, timeout: keepMs, lookup: checkedLookup(resolve, rule) };
  const plain = new HttpAgent(options);
  const secure = new HttpsAgent(options);
  return {
    requestFor: ({ body, headers }: Post): Send => {
      const common = {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          accept: '*/*',
          'user-agent': userAgent,
        },
      };
      return (target) => {
        const request =
          target.protocol === 'https:'
            ? httpsRequest(target, { ...common, agent: secure })
            : httpRequest(target, { ...common, agent: plain });
        request.end(body);
        return request;
      };
    },
    close(): void {
      plain.destroy();
      secure.destroy();
    },
  };
};

/**
 * The poster over HTTP. What is left out of the settings is as auth.md R135 has it.
 * @see spec 4.7 and 6, auth.md C21, R134, R135
 */
export const createPoster = (
  given: Pick<PosterSettings, 'userAgent' | 'allowPrivate'> & Partial<PosterSettings>,
): Poster => {
  const settings: PosterSettings = { ...defaults, ...given };
  const rule = addressRule(settings.allowPrivate);
  const { requestFor, close } = requester(settings, rule);
  return {
    async post(post, signal) {
      const wrong = webhookFault(post.url);
      if (wrong !== undefined) return { kind: 'failed', why: `webhook ${wrong}` };
      const target = new URL(post.url);
      const why = literalFault(target, rule);
      if (why !== undefined) return { kind: 'failed', why };
      const send = requestFor(post);
      return attempt(() => send(target), settings, signal);
    },
    close,
  };
};

// Sends one POST to one webhook: with a time limit, without retries, redirects, proxies or credentials. Only the
// response status counts; the begin of the body is reported.
import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isUntrusted } from '../../src/local/tls/untrusted-certificate.ts';
import type { Attempt } from '../domain/events/delivery-status.ts';
import { literalOf, webhookFault } from '../domain/events/webhook-url.ts';
import { createPassingMap, type PassingMap } from '../domain/records/passing-map.ts';
import type { Post, Poster } from '../ports/poster.ts';
import { type AddressRule, addressRule, checkedLookup, literalFault, type Resolve, systemResolve } from './address.ts';
import { type OwnCertificate, ownAgent } from './own-certificate.ts';
import { isLoop, locationOf, readBegin } from './response.ts';

interface Target {
  readonly isSecure: boolean;
  readonly hostname: string;
  /** Port; empty for the default port. */
  readonly port: string;
  /** Path including the query. */
  readonly path: string;
}

type Checked = Target | { readonly fault: string };

/** Maximum number of URLs whose check result is cached. */
const KEPT = 1_000;

/**
 * Checks the text of a URL. The addresses of a host name are checked later, each time a connection is made.
 * @param isLasting false if the rule depends on the addresses of this machine, which change. Then no result is cached
 */
export const targetFinder = (rule: AddressRule, isLasting: boolean): ((url: string) => Checked) => {
  const targets = new Map<string, Checked>();
  const check = (url: string): Checked => {
    const wrong = webhookFault(url);
    if (wrong !== undefined) return { fault: `webhook ${wrong}` };
    const parsed = new URL(url);
    const fault = literalFault(parsed, rule);
    if (fault !== undefined) return { fault };
    const { protocol, hostname, port, pathname, search } = parsed;
    // A URL has brackets around an IPv6 address; request options do not.
    const host = literalOf(hostname) ?? hostname;
    return { isSecure: protocol === 'https:', hostname: host, port, path: `${pathname}${search}` };
  };
  return (url) => {
    if (!isLasting) return check(url);
    const known = targets.get(url);
    if (known !== undefined) return known;
    if (targets.size >= KEPT) targets.clear();
    const target = check(url);
    targets.set(url, target);
    return target;
  };
};

export interface PosterSettings {
  readonly userAgent: string;
  readonly allowPrivate: boolean;
  readonly resolve: Resolve;
  /** Finds this daemon's own certificate, which is accepted for webhooks that target the daemon itself. */
  readonly ownCertificate: OwnCertificate;
  readonly connectMs: number;
  readonly totalMs: number;
  /** Maximum number of response bytes read before the connection is closed. */
  readonly answerBytes: number;
  /**
   * Time (ms) that an idle connection stays open for the next post. It is shorter than the keep-alive time of typical
   * servers: a post sent while the receiver closes the connection would be lost, because nothing is sent twice.
   */
  readonly keepMs: number;
}

const defaults: Omit<PosterSettings, 'userAgent' | 'allowPrivate'> = {
  resolve: systemResolve,
  ownCertificate: () => undefined,
  connectMs: 5_000,
  totalMs: 10_000,
  answerBytes: 64 * 1024,
  keepMs: 1_000,
};

const HTTPS_PORT = 443;

const seconds = (ms: number): string => `${ms / 1_000} s`;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const CLOSED = 'the receiver closed the connection without a response';

const STOPPED = 'the daemon stopped before a response arrived';

const UNTRUSTED =
  'no authority that the daemon trusts has signed the certificate; start the daemon with NODE_EXTRA_CA_CERTS=FILE to trust it';

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no program listens there (connection refused)',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ENOTFOUND: 'there is no host with this name',
  EAI_AGAIN: 'the host name cannot be resolved at present',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network of the host cannot be reached',
  ETIMEDOUT: 'the host does not respond',
};

const wordsOf = (error: unknown): string => {
  const code = codeOf(error);
  if (code.startsWith('HPE_')) return `the response is not HTTP (${code})`;
  if (isUntrusted(error)) return UNTRUSTED;
  return words[code] ?? (error instanceof Error && error.message !== '' ? error.message : code || String(error));
};

interface Running {
  readonly stops: PassingMap<ClientRequest, () => void>;
  isCut: boolean;
}

const attempt = (
  send: () => ClientRequest,
  url: string,
  settings: PosterSettings,
  running: Running,
): Promise<Attempt> =>
  new Promise((resolve) => {
    const { connectMs, totalMs, answerBytes } = settings;
    let answered: (() => Attempt) | undefined;
    let why: string | undefined;
    const request = send();
    const hangUp = (because: string): void => {
      why ??= because;
      request.destroy();
    };
    const note = (error: unknown): void => {
      why ??= wordsOf(error);
    };
    const stop = (): void => hangUp(STOPPED);
    const connecting = setTimeout(() => hangUp(`no connection within ${seconds(connectMs)}`), connectMs);
    const whole = setTimeout(() => hangUp(`no response within ${seconds(totalMs)}`), totalMs);
    running.stops.set(request, stop);
    request.on('socket', (socket) => {
      const connected = (): void => clearTimeout(connecting);
      if (request.reusedSocket) connected();
      else socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
    });
    request.on('error', note);
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      // Errors after the status do not change the result.
      response.on('error', note);
      const begin = readBegin(response, request, answerBytes);
      answered = () => ({ kind: 'answered', status, ...locationOf(response, url), ...isLoop(response), ...begin() });
    });
    request.once('close', () => {
      clearTimeout(connecting);
      clearTimeout(whole);
      running.stops.delete(request);
      if (answered !== undefined) resolve(answered());
      else if (running.isCut) resolve({ kind: 'cut', why: why ?? STOPPED });
      else resolve({ kind: 'failed', why: why ?? CLOSED });
    });
  });

const requester = (settings: PosterSettings, rule: AddressRule) => {
  const { userAgent, resolve, keepMs, ownCertificate } = settings;
  // Node applies proxy environment variables only to its global agent; these agents use no proxy.
  const options = { keepAlive: true, timeout: keepMs, lookup: checkedLookup(resolve, rule) };
  const plain = new HttpAgent(options);
  const secure = new HttpsAgent(options);
  const own = ownAgent(options, ownCertificate);
  const agentOf = ({ isSecure, hostname, port }: Target): HttpAgent => {
    if (!isSecure) return plain;
    return ownCertificate(hostname, Number(port || HTTPS_PORT)) === undefined ? secure : own;
  };
  return {
    send: ({ body, headers }: Post, target: Target): ClientRequest => {
      const { isSecure, hostname, port, path } = target;
      const request = (isSecure ? httpsRequest : httpRequest)({
        agent: agentOf(target),
        method: 'POST',
        hostname,
        port,
        path,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          accept: '*/*',
          'user-agent': userAgent,
        },
      });
      request.end(body);
      return request;
    },
    close(): void {
      plain.destroy();
      secure.destroy();
      own.destroy();
    },
  };
};

/** Absent settings have defaults. @see docs/http-api.md#events, docs/conformance/security.md C21, R134, R135 */
export const createPoster = (
  given: Pick<PosterSettings, 'userAgent' | 'allowPrivate'> & Partial<PosterSettings>,
): Poster => {
  const settings: PosterSettings = { ...defaults, ...given };
  const rule = addressRule(settings.allowPrivate);
  const { send, close } = requester(settings, rule);
  const targetOf = targetFinder(rule, settings.allowPrivate);
  const running: Running = { stops: createPassingMap(), isCut: false };
  return {
    async post(post) {
      const target = targetOf(post.url);
      if (running.isCut) return { kind: 'cut', why: STOPPED };
      if ('fault' in target) return { kind: 'failed', why: target.fault };
      return attempt(() => send(post, target), post.url, settings, running);
    },
    cut() {
      running.isCut = true;
      for (const [, stop] of running.stops) stop();
    },
    close,
  };
};

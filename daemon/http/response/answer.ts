// Writes every response: the envelope, the bare body of RFC 6749, and failures with status, headers and body.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type Envelope, SERVICE_VERSION } from '../../../src/contract/envelope.ts';
import { FAILURE_CODE_HEADER, failureCodes, REQUEST_ID_HEADER } from '../../../src/contract/failure-codes.ts';
import type { AnswerKind } from '../../../src/contract/operation.ts';
import { Failure } from '../../domain/failure.ts';
import { hasBody } from '../request/body.ts';
import { FORGET_BYTES, LINGER_MS } from '../request/limits.ts';
import { type JsonPiece, jsonPieces } from './json-text.ts';

const REALM = 'actorctl';

/** Renders a failure as a page. The headers are complete, except for those that the failure itself requires. */
export type FailurePage = (
  failure: Failure,
  status: number,
  requestId: string,
) => { readonly html: string; readonly headers: Readonly<Record<string, string>> };

export interface AnswerForm {
  readonly kind: AnswerKind;
  /** Authentication schemes in the challenge of a 401 response. */
  readonly challenges: readonly ('Bearer' | 'Basic')[];
  readonly pretty: boolean;
  readonly naked: boolean;
  readonly page?: FailurePage;
  /** Status and message of a failure in the listener's dialect. Undefined to use those of the contract. */
  readonly reword?: (failure: Failure) => { readonly status: number; readonly message: string } | undefined;
}

export const plainForm: AnswerForm = { kind: 'envelope', challenges: ['Bearer'], pretty: false, naked: false };

/** True if the rest of the body is unread and too long to be read and discarded. */
const hasLongUnreadBody = (request: IncomingMessage): boolean =>
  !request.complete &&
  hasBody(request) &&
  !(Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= FORGET_BYTES);

/**
 * Discards the rest of the body for a limited time. Closing at once would reset the connection before the client reads
 * the response.
 */
const linger = (request: IncomingMessage, response: ServerResponse): void => {
  const timer = setTimeout(() => finish(), LINGER_MS);
  const finish = () => {
    clearTimeout(timer);
    request.off('end', finish).off('close', finish).off('error', finish);
    response.end();
  };
  request.on('end', finish).on('close', finish).on('error', finish);
  request.resume();
};

const send = (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: string,
  headers: OutgoingHttpHeaders,
): void => {
  headers['Content-Type'] ??= 'application/json; charset=utf-8';
  headers['Content-Length'] = Buffer.byteLength(body);
  if (!hasLongUnreadBody(request)) {
    response.writeHead(status, headers).end(body);
    return;
  }
  headers['Connection'] = 'close';
  response.writeHead(status, headers).write(body);
  linger(request, response);
};

const allOf = async function* (pieces: readonly JsonPiece[]): AsyncGenerator<string> {
  for (const piece of pieces) {
    if (typeof piece === 'string') yield piece;
    else yield* piece;
  }
};

/** Sends JSON of which some pieces are read while it is sent. Its length is not known in advance. */
const sendPieces = (
  request: IncomingMessage,
  response: ServerResponse,
  pieces: readonly JsonPiece[],
  headers: OutgoingHttpHeaders,
): void => {
  headers['Content-Type'] = 'application/json; charset=utf-8';
  const end = !hasLongUnreadBody(request);
  if (!end) headers['Connection'] = 'close';
  response.writeHead(200, headers);
  // The response to HEAD has no body, so nothing is read.
  const sent = request.method === 'HEAD' ? [] : pieces;
  const body = Readable.from(allOf(sent));
  // A failed read closes the connection, so that the client does not mistake a part for the whole.
  body.on('error', () => response.destroy());
  response.once('close', () => body.destroy());
  if (!end) body.once('end', () => linger(request, response));
  // `pipeline` is not used: its seven listeners, with those of the exchange, would reach the number at which Node warns
  // of a leak.
  body.pipe(response, { end });
};

/** Caches must not store any response. RFC 6749 5.1 also requires Pragma. */
const headersOf = ({ kind }: AnswerForm): OutgoingHttpHeaders =>
  kind === 'bare'
    ? { 'Cache-Control': 'no-store', Pragma: 'no-cache', 'X-Content-Type-Options': 'nosniff' }
    : { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** Writes a success with status 200. @see docs/http-api.md#envelope */
export const answer = (
  request: IncomingMessage,
  response: ServerResponse,
  form: AnswerForm,
  message: string,
  result: unknown,
): void => {
  const envelope: Envelope<unknown> = { message, result, status: 'success', version: SERVICE_VERSION };
  const body = form.kind === 'bare' || form.naked ? result : envelope;
  const pieces = jsonPieces(body, form.pretty);
  const [text] = pieces;
  if (pieces.length === 1 && typeof text === 'string') send(request, response, 200, text, headersOf(form));
  else sendPieces(request, response, pieces, headersOf(form));
};

/** Fault codes of the gateway of the original service. @see docs/http-api.md#errors */
const faultCodes: Readonly<Record<string, number>> = {
  AUTH_FAILED: 900901,
  AUTH_REQUIRED: 900902,
  TOKEN_EXPIRED: 900903,
};

const challenge = (scheme: 'Bearer' | 'Basic', failure: Failure): string => {
  if (scheme === 'Basic') return `Basic realm="${REALM}", charset="UTF-8"`;
  // A challenge for a request without credentials has no error. @see RFC 6750 3.1
  if (failure.code === 'AUTH_REQUIRED') return `Bearer realm="${REALM}"`;
  const error = failure.code === 'VALIDATION' ? 'invalid_request' : 'invalid_token';
  return `Bearer realm="${REALM}", error="${error}", error_description="${asciiDescription(failure.message)}"`;
};

/** Replaces characters that are not allowed in `error_description`. @see RFC 6749 5.2 */
const asciiDescription = (message: string): string =>
  message.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');

const detailText = (failure: Failure, name: string): string | undefined => {
  const value = failure.detail?.[name];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
};

/** The RFC 6749 error of a failure. Failures that the token endpoint did not produce have a general one. */
const oauthError = (failure: Failure, status: number): string =>
  detailText(failure, 'error') ??
  (status === 503 ? 'temporarily_unavailable' : status >= 500 ? 'server_error' : 'invalid_request');

const failureBody = (failure: Failure, status: number, message: string, form: AnswerForm): unknown => {
  if (form.kind === 'bare') {
    return { error: oauthError(failure, status), error_description: asciiDescription(message) };
  }
  const envelope: Envelope<null> = {
    message,
    result: null,
    status: 'error',
    version: SERVICE_VERSION,
    // agavepy looks for this text before it refreshes its token and retries.
    ...(status === 401 && {
      fault: {
        code: faultCodes[failure.code] ?? 900901,
        message: 'Invalid Credentials',
        description: message,
      },
    }),
  };
  return envelope;
};

/**
 * Writes a failure. `detail.retryAfter` (seconds) becomes `Retry-After`, `detail.allow` becomes `Allow`, and
 * `detail.error` becomes the error of an RFC 6749 body. Any `detail.challenge` adds a challenge to a status other than
 * 401. `detail.body` replaces the body.
 * @see docs/http-api.md#errors, docs/conformance/security.md#errors
 */
export const answerFailure = (
  request: IncomingMessage,
  response: ServerResponse,
  form: AnswerForm,
  failure: Failure,
): void => {
  const { status, message } = form.reword?.(failure) ?? {
    status: failureCodes[failure.code].status,
    message: failure.message,
  };
  const page =
    form.kind === 'page' ? form.page?.(failure, status, String(response.getHeader(REQUEST_ID_HEADER))) : undefined;
  const headers: OutgoingHttpHeaders = page === undefined ? headersOf(form) : { ...page.headers };
  headers[FAILURE_CODE_HEADER] = failure.code;
  if (status === 401 || failure.detail?.['challenge'] !== undefined) {
    headers['WWW-Authenticate'] = form.challenges.map((scheme) => challenge(scheme, failure));
  }
  const retryAfter = detailText(failure, 'retryAfter');
  if (retryAfter !== undefined) headers['Retry-After'] = retryAfter;
  const allow = detailText(failure, 'allow');
  if (allow !== undefined) headers['Allow'] = allow;
  if (failure.code === 'SHUTTING_DOWN' || failure.code === 'OVERLOADED') headers['Connection'] = 'close';
  const body =
    page?.html ??
    jsonPieces(failure.detail?.['body'] ?? failureBody(failure, status, message, form), form.pretty).join('');
  send(request, response, status, body, headers);
};

/** The failure for an internal error. It contains the request id, so that the user can report it. */
export const internalFailure = (requestId: string): Failure =>
  new Failure('INTERNAL', `internal error (request ${requestId})`);

// Every answer leaves here: the envelope, the bare body of RFC 6749, and failures as status, headers and body.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type Envelope, SERVICE_VERSION } from '../../../src/contract/envelope.ts';
import { FAILURE_CODE_HEADER, failureCodes, REQUEST_ID_HEADER } from '../../../src/contract/failure-codes.ts';
import type { AnswerKind } from '../../../src/contract/operation.ts';
import { Failure } from '../../domain/failure.ts';
import { hasBody } from '../request/body.ts';
import { FORGET_BYTES, LINGER_MS } from '../request/limits.ts';
import { stringifyWithTexts } from './json-text.ts';

/** Name of the protection space in challenges. */
const REALM = 'actorctl';

/** A failure as a page for people; its headers are complete but for what the failure itself asks for. */
export type FailurePage = (
  failure: Failure,
  status: number,
  requestId: string,
) => { readonly html: string; readonly headers: Readonly<Record<string, string>> };

/** What a route says about the form of its answers. */
export interface AnswerForm {
  readonly kind: AnswerKind;
  /** Schemes named in the challenge of a 401. */
  readonly challenges: readonly ('Bearer' | 'Basic')[];
  readonly pretty: boolean;
  readonly naked: boolean;
  /** Writes the failures of pages; without it they are told as JSON. */
  readonly page?: FailurePage;
}

export const plainForm: AnswerForm = { kind: 'envelope', challenges: ['Bearer'], pretty: false, naked: false };

/** Whether bytes are still to come that nobody will read, and that are too many to read for politeness. */
const hasLongUnreadBody = (request: IncomingMessage): boolean =>
  !request.complete &&
  hasBody(request) &&
  !(Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= FORGET_BYTES);

/**
 * Closing at once would reset the connection under the client before it has read the answer, so the answer goes out whole
 * and what still arrives is dropped for a moment.
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

const jsonText = (value: unknown, pretty: boolean): string => {
  const json = stringifyWithTexts(() => (pretty ? JSON.stringify(value, null, 2) : JSON.stringify(value)));
  // JSON.stringify knows no text for undefined.
  return json ?? 'null';
};

/** No answer may be kept by a cache. RFC 6749 5.1 wants Pragma as well. */
const headersOf = ({ kind }: AnswerForm): OutgoingHttpHeaders =>
  kind === 'bare'
    ? { 'Cache-Control': 'no-store', Pragma: 'no-cache', 'X-Content-Type-Options': 'nosniff' }
    : { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** Writes a success: 200, always. @see wire.md "Envelope, names, status" */
export const answer = (
  request: IncomingMessage,
  response: ServerResponse,
  form: AnswerForm,
  message: string,
  result: unknown,
): void => {
  const envelope: Envelope<unknown> = { message, result, status: 'success', version: SERVICE_VERSION };
  const body = form.kind === 'bare' || form.naked ? result : envelope;
  send(request, response, 200, jsonText(body, form.pretty), headersOf(form));
};

/** Codes of the gateway in front of the real service. @see facts 9.4 */
const faultCodes: Readonly<Record<string, number>> = {
  AUTH_FAILED: 900901,
  AUTH_REQUIRED: 900902,
  TOKEN_EXPIRED: 900903,
};

const challenge = (scheme: 'Bearer' | 'Basic', failure: Failure): string => {
  if (scheme === 'Basic') return `Basic realm="${REALM}", charset="UTF-8"`;
  // Without credentials there is nothing to call invalid. @see RFC 6750 3.1
  if (failure.code === 'AUTH_REQUIRED') return `Bearer realm="${REALM}"`;
  const error = failure.code === 'VALIDATION' ? 'invalid_request' : 'invalid_token';
  return `Bearer realm="${REALM}", error="${error}", error_description="${asciiDescription(failure.message)}"`;
};

/** The alphabet of `error_description`. @see RFC 6749 5.2 */
const asciiDescription = (message: string): string =>
  message.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');

const detailText = (failure: Failure, name: string): string | undefined => {
  const value = failure.detail?.[name];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
};

/** RFC 6749 error for failures that the token endpoint did not word itself. */
const oauthError = (failure: Failure, status: number): string =>
  detailText(failure, 'error') ??
  (status === 503 ? 'temporarily_unavailable' : status >= 500 ? 'server_error' : 'invalid_request');

const failureBody = (failure: Failure, status: number, form: AnswerForm): unknown => {
  if (form.kind === 'bare') {
    return { error: oauthError(failure, status), error_description: asciiDescription(failure.message) };
  }
  const envelope: Envelope<null> = {
    message: failure.message,
    result: null,
    status: 'error',
    version: SERVICE_VERSION,
    // The message is the text that agavepy looks for before it refreshes and tries again.
    ...(status === 401 && {
      fault: {
        code: faultCodes[failure.code] ?? 900901,
        message: 'Invalid Credentials',
        description: failure.message,
      },
    }),
  };
  return envelope;
};

/**
 * Writes a failure. `detail.retryAfter` (seconds) becomes `Retry-After`, `detail.allow` becomes `Allow`, `detail.error` the
 * error of an RFC 6749 body, `detail.challenge` (any value) asks for a challenge with a status other than 401.
 * @see wire.md "status", auth.md 1.1
 */
export const answerFailure = (
  request: IncomingMessage,
  response: ServerResponse,
  form: AnswerForm,
  failure: Failure,
): void => {
  const status = failureCodes[failure.code].status;
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
  if (failure.code === 'SHUTTING_DOWN') headers['Connection'] = 'close';
  const body = page?.html ?? jsonText(failureBody(failure, status, form), form.pretty);
  send(request, response, status, body, headers);
};

/** What a person is told about a fault of ours: enough to report it. */
export const internalFailure = (requestId: string): Failure =>
  new Failure('INTERNAL', `internal error (request ${requestId})`);

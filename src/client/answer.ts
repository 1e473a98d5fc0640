// Turns an error response into a CliFailure.
import type { IncomingHttpHeaders } from 'node:http';
import { FAILURE_CODE_HEADER, type FailureCode, isFailureCode, REQUEST_ID_HEADER } from '../contract/failure-codes.ts';
import { CliFailure } from '../failure.ts';

/** Failure code by HTTP status, for responses without a failure code header: from a proxy or another service. */
const byStatus: Readonly<Record<number, FailureCode>> = {
  400: 'VALIDATION',
  401: 'AUTH_FAILED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  409: 'ALREADY_EXISTS',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  421: 'MISDIRECTED',
  422: 'VALIDATION',
  429: 'THROTTLED',
  503: 'STORE_UNAVAILABLE',
};

const hints: Partial<Readonly<Record<FailureCode, string>>> = {
  AUTH_REQUIRED: 'actorctl login',
  AUTH_FAILED: 'actorctl login',
  TOKEN_EXPIRED: 'actorctl login',
};

/** OAuth errors of the token endpoint that mean wrong credentials. RFC 6749 5.2 gives some of them status 400. */
const oauthRefusals = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client', 'access_denied']);

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const fieldsOf = (body: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
};

/** The failure for an error response. Understands the envelope, OAuth errors of RFC 6749, and any other body. */
export const failureOf = (status: number, headers: IncomingHttpHeaders, body: string): CliFailure => {
  const header = headers[FAILURE_CODE_HEADER];
  const named = typeof header === 'string' && isFailureCode(header) ? header : undefined;
  const fields = fieldsOf(body);
  const oauth = textOf(fields['error']);
  const refused = oauth !== undefined && oauthRefusals.has(oauth);
  const code = refused ? 'AUTH_FAILED' : (named ?? byStatus[status] ?? 'INTERNAL');
  const message =
    textOf(fields['message']) ??
    textOf(fields['error_description']) ??
    (oauth === 'invalid_grant' ? 'the user name or password is wrong, or the token is no longer valid' : oauth) ??
    `the service responded with status ${status}`;
  const requestId = headers[REQUEST_ID_HEADER];
  const hint = hints[code];
  return new CliFailure(code, message, {
    httpStatus: status,
    ...(typeof requestId === 'string' && { requestId }),
    ...(hint && { hint }),
    ...(oauth && { details: { error: oauth } }),
  });
};

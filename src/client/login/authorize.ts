// The way to the authorization endpoint and back: the address that is opened, and the answer that returns. @see spec 4.1

import { SCOPE, tokenResponse } from '../../contract/oauth/token.ts';
import { operations } from '../../contract/operations.ts';
import { CliFailure } from '../../failure.ts';
import { failureOf } from '../answer.ts';
import type { TokenResponse } from '../grant.ts';
import { readBody, type Transport } from '../transport.ts';

/** What the authorization endpoint is asked. */
export interface Ask {
  /** Origin of the authorization service. */
  readonly origin: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly responseType: 'code' | 'token';
  readonly state: string;
  /** S256; only for codes. */
  readonly challenge?: string;
  /** Ask for approval even where it was given before. */
  readonly showDialog?: boolean;
}

/** The address to open in a browser. */
export const authorizeUrl = (ask: Ask): string => {
  const query = new URLSearchParams({
    response_type: ask.responseType,
    client_id: ask.clientId,
    redirect_uri: ask.redirectUri,
    scope: SCOPE,
    state: ask.state,
    ...(ask.challenge !== undefined && { code_challenge: ask.challenge, code_challenge_method: 'S256' }),
    ...(ask.showDialog && { show_dialog: 'true' }),
  });
  return `${ask.origin}${operations['authorize.show'].path}?${query}`;
};

/** What an answer must bring with it to be the one to our request. */
export interface Expected {
  readonly state: string;
  /** Undefined where the service does not say who answers. @see RFC 9207 2.4 */
  readonly issuer?: string;
}

const foreign = (why: string): CliFailure =>
  new CliFailure('AUTH_FAILED', `that answer is not used: ${why}`, {
    hint: 'run actorctl login again, and answer only the page that it opens',
  });

const denial = (error: string, description: string | undefined): CliFailure => {
  if (error === 'access_denied') {
    return new CliFailure('ACCESS_DENIED', 'the login was denied', {
      hint: 'run actorctl login again and approve it',
      details: { error },
    });
  }
  return new CliFailure('AUTH_FAILED', `the service refused: ${description ?? error}`, { details: { error } });
};

const only = (parameters: URLSearchParams, name: string): string | undefined => {
  const [value, ...more] = parameters.getAll(name);
  if (more.length > 0) throw foreign(`it holds ${name} twice`);
  return value === '' ? undefined : value;
};

/** Checks that the answer is the one to our request, and no refusal. @see RFC 9207 2.4, auth.md R160 */
const check = (parameters: URLSearchParams, expected: Expected): void => {
  if (only(parameters, 'state') !== expected.state) throw foreign('its state belongs to another login');
  const issuer = only(parameters, 'iss');
  if (expected.issuer !== undefined && issuer !== expected.issuer) {
    throw foreign(
      issuer === undefined ? 'it does not name who gives it' : `it comes from ${issuer}, not from ${expected.issuer}`,
    );
  }
  const error = only(parameters, 'error');
  if (error !== undefined) throw denial(error, only(parameters, 'error_description'));
};

/**
 * The code of an answer.
 * @throws CliFailure ACCESS_DENIED; AUTH_FAILED for a refusal, a state or an issuer that is not ours
 */
export const codeOf = (parameters: URLSearchParams, expected: Expected): string => {
  check(parameters, expected);
  const code = only(parameters, 'code');
  if (code === undefined) throw foreign('it holds no code');
  return code;
};

/** The token of an answer of the implicit flow. @throws as `codeOf` */
export const tokenOf = (parameters: URLSearchParams, expected: Expected): TokenResponse => {
  check(parameters, expected);
  const parsed = tokenResponse.safeParse({
    access_token: only(parameters, 'access_token'),
    token_type: only(parameters, 'token_type') ?? 'bearer',
    expires_in: Number(only(parameters, 'expires_in') ?? Number.NaN),
    scope: only(parameters, 'scope'),
  });
  if (!parsed.success || parsed.data.token_type.toLowerCase() !== 'bearer') throw foreign('it holds no token');
  return parsed.data;
};

/** What was pasted: the parameters of a whole redirect, or a code alone. */
export type Pasted =
  | { readonly kind: 'answer'; readonly parameters: URLSearchParams }
  | { readonly kind: 'code'; readonly code: string };

/**
 * Reads what a person copied out of the address bar, or a code alone.
 * @throws CliFailure AUTH_FAILED when it is neither
 */
export const readPasted = (text: string, redirectUri: string): Pasted => {
  const trimmed = text.trim();
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) {
    if (!trimmed.startsWith(`${redirectUri}?`) && !trimmed.startsWith(`${redirectUri}#`)) {
      throw foreign(`that address does not begin with ${redirectUri}`);
    }
    const { search, hash } = new URL(trimmed);
    return { kind: 'answer', parameters: new URLSearchParams(search.length > 1 ? search : hash.slice(1)) };
  }
  if (/^[?#]?([a-z_]+=[^&\s]*)(&[a-z_]+=[^&\s]*)+$/.test(trimmed)) {
    return { kind: 'answer', parameters: new URLSearchParams(trimmed.replace(/^[?#]/, '')) };
  }
  if (/^[\x21-\x7e]{8,1024}$/.test(trimmed)) return { kind: 'code', code: trimmed };
  throw foreign('it is neither a code nor an address');
};

/**
 * Who must answer: the issuer, if the service says that its answers name it.
 * @throws CliFailure AUTH_FAILED when the service says that it is another than the one that was asked: it might hand our answer on
 * @see RFC 8414 3.3, RFC 9207 2.4
 */
export const issuerOf = async (
  transport: Transport,
  origin: string,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const { method, path, result } = operations['metadata.show'];
  const answer = await transport(origin, { method, path, headers: { accept: 'application/json' }, signal });
  const text = (await readBody(answer, 1024 * 1024)).toString('utf8');
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw failureOf(answer.status, answer.headers, text);
  let issuer: string;
  try {
    const metadata = result.parse(JSON.parse(text));
    if (!metadata.authorization_response_iss_parameter_supported) return undefined;
    issuer = metadata.issuer;
  } catch {
    // Another service's document: whoever does not say that answers name their issuer is not held to it.
    return undefined;
  }
  if (issuer === origin) return issuer;
  throw new CliFailure('AUTH_FAILED', `the service at ${origin} calls itself ${issuer}`, {
    hint: `use that address: ACTORCTL_BASE_URL=${issuer}`,
  });
};

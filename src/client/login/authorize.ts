// Builds the address of the authorization endpoint and checks the authorization response. @see docs/oauth.md#authorization-code

import { routes, SCOPE } from '../../contract/for-client.ts';
import { metadataOperations } from '../../contract/oauth/metadata.ts';
import { tokenResponse } from '../../contract/oauth/token.ts';
import { CliFailure } from '../../failure.ts';
import { failureOf } from '../answer.ts';
import type { TokenResponse } from '../grant.ts';
import { readBody, type Transport } from '../transport.ts';

export interface Ask {
  readonly origin: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly responseType: 'code' | 'token';
  readonly state: string;
  /** S256 challenge. Only for the authorization code flow. */
  readonly challenge?: string;
  /** Ask for approval even if it was given before. */
  readonly showDialog?: boolean;
}

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
  return `${ask.origin}${routes['authorize.show'].path}?${query}`;
};

export interface Expected {
  readonly state: string;
  /** Undefined if the service does not name the issuer in its responses. @see RFC 9207 2.4 */
  readonly issuer?: string;
}

const foreign = (why: string): CliFailure =>
  new CliFailure('AUTH_FAILED', `refused the login response: ${why}`, {
    hint: 'use the page that this login opens, and the address in the browser after the login',
  });

const denial = (error: string, description: string | undefined): CliFailure => {
  if (error === 'access_denied') {
    return new CliFailure('ACCESS_DENIED', 'the login was denied', {
      hint: 'run actorctl login again and approve',
      details: { error },
    });
  }
  return new CliFailure('AUTH_FAILED', `the service refused the login: ${description ?? error}`, {
    details: { error },
  });
};

const only = (parameters: URLSearchParams, name: string): string | undefined => {
  const [value, ...more] = parameters.getAll(name);
  if (more.length > 0) throw foreign(`it contains ${name} twice`);
  return value === '' ? undefined : value;
};

/** Checks that the response belongs to this request. @see RFC 9207 2.4, docs/conformance/security.md R160 */
const demandOwn = (parameters: URLSearchParams, expected: Expected): void => {
  if (only(parameters, 'state') !== expected.state) {
    throw foreign('its state belongs to another login, for example to an earlier attempt');
  }
  const issuer = only(parameters, 'iss');
  if (expected.issuer !== undefined && issuer !== expected.issuer) {
    throw foreign(
      issuer === undefined ? 'it does not name its issuer' : `its issuer is ${issuer}, not ${expected.issuer}`,
    );
  }
};

const demandSuccess = (parameters: URLSearchParams): void => {
  const error = only(parameters, 'error');
  if (error !== undefined) throw denial(error, only(parameters, 'error_description'));
};

const check = (parameters: URLSearchParams, expected: Expected): void => {
  demandOwn(parameters, expected);
  demandSuccess(parameters);
};

/**
 * The effect of a response on the login. `arrived`: it has a code or token. `refused`: it has an error of the
 * service. `foreign`: it belongs to another request or is incomplete. Any web page can send a foreign response, so
 * the login ignores it.
 */
export type Fit = 'arrived' | 'refused' | 'foreign';

/** @param read `codeOf` or `tokenOf` */
export const fitOf = (
  parameters: URLSearchParams,
  expected: Expected,
  read: (parameters: URLSearchParams, expected: Expected) => unknown,
): Fit => {
  try {
    demandOwn(parameters, expected);
    if (only(parameters, 'error') !== undefined) return 'refused';
    read(parameters, expected);
    return 'arrived';
  } catch (error) {
    if (error instanceof CliFailure) return 'foreign';
    throw error;
  }
};

/**
 * The code of a response whose request is unknown. @throws CliFailure ACCESS_DENIED; AUTH_FAILED for an error response,
 * or without a code
 */
export const codeIn = (parameters: URLSearchParams): string => {
  demandSuccess(parameters);
  const code = only(parameters, 'code');
  if (code === undefined) throw foreign('it contains no code');
  return code;
};

/** @throws CliFailure as `codeIn`, and AUTH_FAILED for a wrong state or issuer */
export const codeOf = (parameters: URLSearchParams, expected: Expected): string => {
  demandOwn(parameters, expected);
  return codeIn(parameters);
};

export const tokenOf = (parameters: URLSearchParams, expected: Expected): TokenResponse => {
  check(parameters, expected);
  const parsed = tokenResponse.safeParse({
    access_token: only(parameters, 'access_token'),
    token_type: only(parameters, 'token_type') ?? 'bearer',
    expires_in: Number(only(parameters, 'expires_in') ?? Number.NaN),
    scope: only(parameters, 'scope'),
  });
  if (!parsed.success || parsed.data.token_type.toLowerCase() !== 'bearer') throw foreign('it contains no token');
  return parsed.data;
};

export type Pasted =
  | { readonly kind: 'answer'; readonly parameters: URLSearchParams }
  | { readonly kind: 'code'; readonly code: string };

/**
 * Removes characters that mail programs, chats and shells add around an address: quotes, angle brackets, line breaks,
 * `&amp;` and backslashes.
 */
const unwrapped = (text: string): string =>
  text
    .replaceAll(/\s*[\r\n]\s*/g, '')
    .replaceAll(/^[\s"'`<(\u2018\u201c\u00ab]+|[\s"'`>)\u2019\u201d\u00bb]+$/g, '')
    .replaceAll(/&(?:amp|#38|#x26);/gi, '&')
    .replaceAll(/\\(?=[?&=#])/g, '');

/** The parameters in the query or the fragment of an address. */
export const parametersIn = (address: string): URLSearchParams => {
  const { search, hash } = new URL(address);
  return new URLSearchParams(search.length > 1 ? search : hash.slice(1));
};

/** Parses text that a user copied from the address bar, or a code alone. */
export const readPasted = (text: string, redirectUri: string): Pasted => {
  const pasted = unwrapped(text);
  const { host, pathname } = new URL(redirectUri);
  const address = pasted.startsWith(`${host}${pathname}`) ? `http://${pasted}` : pasted;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(address) && URL.canParse(address)) {
    if (address.startsWith(`${redirectUri}?`) || address.startsWith(`${redirectUri}#`)) {
      return { kind: 'answer', parameters: parametersIn(address) };
    }
    if (new URL(address).pathname === routes['authorize.show'].path) {
      throw foreign(
        `that is the address to open in a browser. Paste the address that the browser shows after the login: ${redirectUri}?…`,
      );
    }
    throw foreign(`that address does not begin with ${redirectUri}`);
  }
  if (/^[?#]?([a-z_]+=[^&\s]*)(&[a-z_]+=[^&\s]*)+$/.test(pasted)) {
    return { kind: 'answer', parameters: new URLSearchParams(pasted.replace(/^[?#]/, '')) };
  }
  if (/^[\w.~+/-]{8,1024}=*$/.test(pasted)) return { kind: 'code', code: pasted };
  throw foreign('it is neither a code nor an address');
};

/**
 * The issuer that the response must name, if the service names its issuer in responses.
 * @throws CliFailure AUTH_FAILED if the metadata name an issuer other than the requested service. Such a service
 * could forward the response
 * @see RFC 8414 3.3, RFC 9207 2.4
 */
export const issuerOf = async (
  transport: Transport,
  origin: string,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const { method, path, result } = metadataOperations['metadata.show'];
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
    // The issuer is not compared if the service does not put it in its responses.
    return undefined;
  }
  if (issuer === origin) return issuer;
  throw new CliFailure('AUTH_FAILED', `the service at ${origin} names itself ${issuer}`, {
    hint: `use that address: ACTORCTL_BASE_URL=${issuer}`,
  });
};

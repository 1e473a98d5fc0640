// Builds the redirect URLs of authorization responses: the registered URI, unchanged, plus parameters.
import type { AuthorizationRequest, Refusal } from './authorization-request.ts';
import { CHALLENGE_METHOD } from './pkce.ts';

type Fields = Readonly<Record<string, string | number | undefined>>;

const encode = (fields: Fields): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&');

/** Adds parameters to the query. An existing query of the URI is preserved. @see RFC 6749 3.1.2 */
const withQuery = (uri: string, fields: Fields): string => {
  const joint = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&';
  return `${uri}${joint}${encode(fields)}`;
};

export interface Reply {
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** Issuer of the response. @see RFC 9207 */
  readonly issuer: string;
}

/** Redirect URL with a code, in the query. @see docs/conformance/security.md R13, R14 */
export const codeLocation = ({ redirectUri, state, issuer }: Reply, code: string): string =>
  withQuery(redirectUri, { code, state, iss: issuer });

/** Redirect URL with a token, in the fragment: servers and the Referer header never see it. @see docs/conformance/security.md C2, R25 */
export const tokenLocation = ({ redirectUri, state, issuer }: Reply, token: Fields): string =>
  `${redirectUri}#${encode({ ...token, state, iss: issuer })}`;

/** Replaces characters that `error_description` must not contain. @see RFC 6749 4.1.2.1 */
const ascii = (text: string): string => text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');

/**
 * Redirect URL with an error. It is in the query for both flows, and for the implicit flow also in the fragment, as RFC
 * 6749 requires.
 * @see docs/oauth.md#oauth-errors, docs/conformance/security.md C4
 */
export const refusalLocation = (
  { redirectUri, state, issuer }: Reply,
  { error, description }: Refusal,
  implicit: boolean,
): string => {
  const fields = { error, error_description: ascii(description), state, iss: issuer };
  return withQuery(redirectUri, fields) + (implicit ? `#${encode(fields)}` : '');
};

/** Built from the validated request and never from form fields, so that a form cannot change it. @see docs/conformance/security.md R18 */
export const requestLocation = (request: AuthorizationRequest): string =>
  withQuery('/authorize', {
    response_type: request.flow,
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    scope: request.scope,
    state: request.state,
    code_challenge: request.challenge,
    code_challenge_method: request.challenge === undefined ? undefined : CHALLENGE_METHOD,
    show_dialog: request.alwaysAsk ? 'true' : undefined,
  });

// Where the browser is sent with the answer of an authorization: the registered URI, as it stands, and what is added to it.
import type { AuthorizationRequest, Refusal } from './authorization-request.ts';
import { CHALLENGE_METHOD } from './pkce.ts';

type Fields = Readonly<Record<string, string | number | undefined>>;

const encode = (fields: Fields): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&');

/** A query that the URI has already stays. @see RFC 6749 3.1.2 */
const withQuery = (uri: string, fields: Fields): string => {
  const joint = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&';
  return `${uri}${joint}${encode(fields)}`;
};

/** What every answer says beside its own. */
export interface Reply {
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** Who answers. @see RFC 9207 */
  readonly issuer: string;
}

/** A code travels in the query. @see auth.md R13, R14 */
export const codeLocation = ({ redirectUri, state, issuer }: Reply, code: string): string =>
  withQuery(redirectUri, { code, state, iss: issuer });

/** A token travels in the fragment, which no server and no Referer sees. @see auth.md C2, R25 */
export const tokenLocation = ({ redirectUri, state, issuer }: Reply, token: Fields): string =>
  `${redirectUri}#${encode({ ...token, state, iss: issuer })}`;

/** The alphabet of `error_description`. @see RFC 6749 4.1.2.1 */
const ascii = (text: string): string => text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');

/** A refusal travels in the query, as the spec has it; for the implicit flow also where RFC 6749 has it. @see spec 7.1, auth.md C4 */
export const refusalLocation = (
  { redirectUri, state, issuer }: Reply,
  { error, description }: Refusal,
  implicit: boolean,
): string => {
  const fields = { error, error_description: ascii(description), state, iss: issuer };
  return withQuery(redirectUri, fields) + (implicit ? `#${encode(fields)}` : '');
};

/** The way back to a request, from what is known of it and nothing that a form said. @see auth.md R18 */
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

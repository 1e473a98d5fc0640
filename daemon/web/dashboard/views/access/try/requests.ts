// The requests of the flows as values, so that what is shown is what is sent. @see docs/oauth.md#flows, RFC 6749 4

export interface Field {
  readonly name: string;
  readonly value: string;
}

export interface FlowRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: readonly Field[];
  /** The form in the body. Empty for GET. */
  readonly form: readonly Field[];
}

export interface FlowClient {
  readonly id: string;
  readonly secret: string | undefined;
}

/** The only scope. @see docs/oauth.md#scopes */
const SCOPE = 'PRODUCTION';

export const flows = [
  { flow: 'code', title: 'Authorization code with PKCE', grant: 'authorization_code' },
  { flow: 'implicit', title: 'Implicit', grant: 'implicit' },
  { flow: 'password', title: 'Password', grant: 'password' },
  { flow: 'client', title: 'Client credentials', grant: 'client_credentials' },
] as const;

export type Flow = (typeof flows)[number]['flow'];

const fieldsOf = (values: Readonly<Record<string, string>>): readonly Field[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

/** Both parts are form-encoded before they are joined. @see RFC 6749 2.3.1 */
const basic = (id: string, secret: string): string => `Basic ${btoa(`${formEncoded(id)}:${formEncoded(secret)}`)}`;

const formRequest = (
  path: string,
  { id, secret }: FlowClient,
  values: Readonly<Record<string, string>>,
): FlowRequest => ({
  method: 'POST',
  path,
  headers: fieldsOf({
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    ...(secret !== undefined && { authorization: basic(id, secret) }),
  }),
  form: fieldsOf({ ...values, ...(secret === undefined && { client_id: id }) }),
});

interface Authorization {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly responseType: 'code' | 'token';
  readonly state: string;
  readonly challenge?: string;
  /** Ask for approval even if it was given before. */
  readonly askAgain?: boolean;
}

/** What the browser asks on behalf of the client. @see RFC 6749 4.1.1, RFC 7636 4.3 */
export const authorizeRequest = (asked: Authorization): FlowRequest => ({
  method: 'GET',
  path: `/authorize?${new URLSearchParams({
    response_type: asked.responseType,
    client_id: asked.clientId,
    redirect_uri: asked.redirectUri,
    scope: SCOPE,
    state: asked.state,
    ...(asked.challenge !== undefined && { code_challenge: asked.challenge, code_challenge_method: 'S256' }),
    ...(asked.askAgain && { show_dialog: 'true' }),
  }).toString()}`,
  headers: [],
  form: [],
});

interface Redeemed {
  readonly code: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

export const codeRequest = (client: FlowClient, { code, redirectUri, verifier }: Redeemed): FlowRequest =>
  formRequest('/token', client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });

export const passwordRequest = (client: FlowClient, username: string, password: string): FlowRequest =>
  formRequest('/token', client, { grant_type: 'password', username, password, scope: SCOPE });

export const clientRequest = (client: FlowClient): FlowRequest =>
  formRequest('/token', client, { grant_type: 'client_credentials', scope: SCOPE });

export const refreshRequest = (client: FlowClient, token: string): FlowRequest =>
  formRequest('/token', client, { grant_type: 'refresh_token', refresh_token: token, scope: SCOPE });

/** @see RFC 7662 */
export const inspectRequest = (client: FlowClient, token: string): FlowRequest =>
  formRequest('/introspect', client, { token });

/** @see RFC 7009 */
export const revokeRequest = (client: FlowClient, token: string): FlowRequest =>
  formRequest('/revoke', client, { token });

export const profileRequest = (token: string): FlowRequest => ({
  method: 'GET',
  path: '/profiles/v2/me',
  headers: fieldsOf({ accept: 'application/json', authorization: `Bearer ${token}` }),
  form: [],
});

// The npm library simple-oauth2 runs all its flows against the built daemon, and reports refusals as its own errors.
import { createHash, randomBytes } from 'node:crypto';
import { type AccessToken, AuthorizationCode, ClientCredentials, ResourceOwnerPassword } from 'simple-oauth2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN } from '../../support/daemon/home.ts';
import {
  CALLBACK,
  FOREIGN_VERIFIER,
  startThirdPartyFixture,
  type ThirdPartyClient,
  type ThirdPartyFixture,
} from '../../support/daemon/third-party-fixture.ts';
import { call } from '../../support/service/call.ts';

const SCOPE = 'PRODUCTION';
type Endpoints = Readonly<Record<'authorization_endpoint' | 'token_endpoint' | 'revocation_endpoint', string>>;

let fixture: ThirdPartyFixture;
let client: ThirdPartyClient;
let endpoints: Endpoints;
beforeAll(async () => {
  fixture = await startThirdPartyFixture();
  client = await fixture.register();
  // The library has no discovery, so its user reads the metadata.
  endpoints = (await call(fixture.origin, 'GET', '/.well-known/oauth-authorization-server')).json as Endpoints;
});
afterAll(() => fixture.remove());

type Method = 'header' | 'body';
type Encoding = 'strict' | 'loose';

const settings = (
  { id, secret }: ThirdPartyClient = client,
  authorizationMethod: Method = 'header',
  credentialsEncodingMode: Encoding = 'strict',
) => ({
  client: { id, secret },
  auth: {
    tokenHost: fixture.origin,
    tokenPath: new URL(endpoints.token_endpoint).pathname,
    revokePath: new URL(endpoints.revocation_endpoint).pathname,
  },
  options: { authorizationMethod, credentialsEncodingMode },
});

const codeFlow = (...asked: Parameters<typeof settings>): AuthorizationCode => {
  const { auth, ...rest } = settings(...asked);
  return new AuthorizationCode({
    ...rest,
    auth: { ...auth, authorizePath: new URL(endpoints.authorization_endpoint).pathname },
  });
};

const me = async ({ token }: AccessToken) => {
  const headers = { authorization: `Bearer ${String(token['access_token'])}` };
  const { status, json } = await call(fixture.origin, 'GET', '/profiles/v2/me?naked=true', { headers });
  return status === 200 ? (json as { username: string }).username : status;
};

/** The browser part of the code flow. Returns the parameters for the redemption of the code. */
const authorize = async (flow: AuthorizationCode) => {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const asked = {
    redirect_uri: CALLBACK,
    scope: SCOPE,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  const { searchParams } = await fixture.decide(flow.authorizeURL(asked));
  expect([searchParams.get('state'), searchParams.get('iss')]).toEqual([state, fixture.origin]);
  return { code: searchParams.get('code') ?? '', redirect_uri: CALLBACK, code_verifier: verifier };
};

const login = async (flow = codeFlow()) => flow.getToken(await authorize(flow));

describe('simple-oauth2', () => {
  it.each([
    ['a Basic header', 'header', 'strict'],
    ['a Basic header that is not percent-encoded', 'header', 'loose'],
    ['the body', 'body', 'strict'],
  ] as const)('R42 R43 R60 logs in by code with PKCE, its secret in %s', async (_, method, encoding) => {
    const token = await login(codeFlow(client, method, encoding));
    expect(token.token).toMatchObject({ token_type: 'bearer', expires_in: 14_400, scope: SCOPE });
    expect([token.expired(), token.expired(14_401)]).toEqual([false, true]);
    expect(await me(token)).toBe(ADMIN.username);
  });

  it('R64 refreshes repeatedly, with and without a scope', async () => {
    const first = await login();
    const second = await first.refresh();
    const third = await second.refresh({ scope: SCOPE });
    expect(new Set([first, second, third].map(({ token }) => token['access_token'])).size).toBe(3);
    expect(await me(third)).toBe(ADMIN.username);
  });

  it('R71 gets tokens for a name and a password', async () => {
    const token = await new ResourceOwnerPassword(settings()).getToken({ ...ADMIN, scope: SCOPE });
    expect(await me(token)).toBe(ADMIN.username);
    expect(await me(await token.refresh({ scope: SCOPE }))).toBe(ADMIN.username);
  });

  it('R77 gets a token for itself, without a refresh token', async () => {
    const token = await new ClientCredentials(settings()).getToken({ scope: SCOPE });
    expect(await me(token)).toBe(ADMIN.username);
    expect(token.token).not.toHaveProperty('refresh_token');
  });

  it('R87 R88 revokes one token, or both', async () => {
    const token = await login();
    await token.revoke('access_token');
    expect(await me(token)).toBe(401);
    const next = await token.refresh();
    await next.revokeAll();
    expect(await me(next)).toBe(401);
    await expect(next.refresh()).rejects.toMatchObject({ data: { payload: { error: 'invalid_grant' } } });
  });
});

/** The form in which the library reports a refusal of the service. */
const boom = (status: number, error: string) => ({
  isBoom: true,
  output: { statusCode: status },
  data: { payload: { error } },
});

describe('a refused request of simple-oauth2', () => {
  it.each(['header', 'body'] as const)('R45 with a wrong secret in the %s gets invalid_client', async (method) => {
    const near = { ...client, secret: `${client.secret}x` };
    const wrong = settings(near, method);
    const code = await authorize(codeFlow());
    for (const ask of [
      () => codeFlow(near, method).getToken(code),
      () => new ResourceOwnerPassword(wrong).getToken({ ...ADMIN, scope: SCOPE }),
      () => new ClientCredentials(wrong).getToken({ scope: SCOPE }),
    ]) {
      await expect(ask()).rejects.toMatchObject(boom(401, 'invalid_client'));
    }
  });

  it('R07 with an unregistered redirect URI shows the user an error page, and the library gets nothing', async () => {
    const url = codeFlow().authorizeURL({ redirect_uri: CALLBACK.toUpperCase() });
    const { status, headers } = await fixture.visit(url);
    expect([status, headers.location]).toEqual([400, undefined]);
  });

  it('R54 R60 with a code and another redirect URI or verifier is rejected with invalid_grant', async () => {
    const flow = codeFlow();
    const uri = flow.getToken({ ...(await authorize(flow)), redirect_uri: `${CALLBACK}/` });
    await expect(uri).rejects.toMatchObject(boom(400, 'invalid_grant'));
    const changed = { ...(await authorize(flow)), code_verifier: FOREIGN_VERIFIER };
    await expect(flow.getToken(changed)).rejects.toMatchObject(boom(400, 'invalid_grant'));
  });

  it('R51 R52 with a replayed code revokes the tokens of the first use', async () => {
    const flow = codeFlow();
    const code = await authorize(flow);
    const token = await flow.getToken(code);
    await expect(flow.getToken(code)).rejects.toMatchObject(boom(400, 'invalid_grant'));
    expect(await me(token)).toBe(401);
    await expect(token.refresh()).rejects.toMatchObject(boom(400, 'invalid_grant'));
  });

  it('R72 with a wrong password gets invalid_grant, and with an unknown scope invalid_scope', async () => {
    const given = { username: ADMIN.username, password: 'wrong', scope: SCOPE };
    const password = new ResourceOwnerPassword(settings()).getToken(given);
    await expect(password).rejects.toMatchObject(boom(400, 'invalid_grant'));
    const scope = new ClientCredentials(settings()).getToken({ scope: [SCOPE, 'openid'] });
    await expect(scope).rejects.toMatchObject(boom(400, 'invalid_scope'));
  });
});

// The npm library openid-client runs all its OAuth flows against the built daemon, and reports refusals as its own
// errors.
import * as oauth from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN } from '../../support/daemon/home.ts';
import {
  CALLBACK,
  FOREIGN_VERIFIER,
  startThirdPartyFixture,
  type ThirdPartyClient,
  type ThirdPartyFixture,
} from '../../support/daemon/third-party-fixture.ts';

let fixture: ThirdPartyFixture;
let client: ThirdPartyClient;
beforeAll(async () => {
  fixture = await startThirdPartyFixture();
  client = await fixture.register();
});
afterAll(() => fixture.remove());

/** The library gets all its settings from the metadata of the service. */
const discover = ({ id, secret }: ThirdPartyClient, auth?: oauth.ClientAuth) =>
  oauth.discovery(new URL(fixture.origin), id, {}, auth ?? oauth.ClientSecretBasic(secret), {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
  });

const me = async (config: oauth.Configuration, token: string): Promise<unknown> => {
  const url = new URL(`${fixture.origin}/profiles/v2/me?naked=true`);
  return (await oauth.fetchProtectedResource(config, token, url, 'GET')).json();
};

/** The browser part of the code flow. Returns the redirect address, and the values to check it with. */
const authorize = async (config: oauth.Configuration, decision: 'approve' | 'deny' = 'approve') => {
  const verifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'PRODUCTION',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const back = await fixture.decide(url, decision);
  return { back, checks: { pkceCodeVerifier: verifier, expectedState: state } };
};

const login = async (config: oauth.Configuration) => {
  const { back, checks } = await authorize(config);
  return oauth.authorizationCodeGrant(config, back, checks);
};

describe('openid-client', () => {
  it('R90 discovers the service by its RFC 8414 metadata', async () => {
    const server = (await discover(client)).serverMetadata();
    expect(server.issuer).toBe(fixture.origin);
    expect(server.supportsPKCE('S256')).toBe(true);
    expect(server.authorization_response_iss_parameter_supported).toBe(true);
  });

  it.each([
    ['Basic', oauth.ClientSecretBasic],
    ['the body', oauth.ClientSecretPost],
  ])('R14 R42 R60 logs in by code with PKCE, state and iss, its secret in %s', async (_, authentication) => {
    const config = await discover(client, authentication(client.secret));
    const tokens = await login(config);
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 14_400, scope: 'PRODUCTION' });
    expect(await me(config, tokens.access_token)).toMatchObject({ username: ADMIN.username });
  });

  it('R64 refreshes, and the new token is valid', async () => {
    const config = await discover(client);
    const { access_token, refresh_token = '' } = await login(config);
    const next = await oauth.refreshTokenGrant(config, refresh_token);
    expect(next.access_token).not.toBe(access_token);
    expect(await me(config, next.access_token)).toMatchObject({ username: ADMIN.username });
  });

  it('C18 R68 logs in as a public client, whose refresh token is valid once', async () => {
    const config = await discover(await fixture.register({ public: true }), oauth.None());
    const { refresh_token = '' } = await login(config);
    const next = await oauth.refreshTokenGrant(config, refresh_token);
    expect(await me(config, next.access_token)).toMatchObject({ username: ADMIN.username });
    await expect(oauth.refreshTokenGrant(config, refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('R71 R77 gets tokens for a name and a password, and for itself', async () => {
    const config = await discover(client);
    const given = { ...ADMIN, scope: 'PRODUCTION' };
    const forUser = await oauth.genericGrantRequest(config, 'password', given);
    expect(forUser.refresh_token).toBeTypeOf('string');
    const forItself = await oauth.clientCredentialsGrant(config, { scope: 'PRODUCTION' });
    expect(forItself.refresh_token).toBeUndefined();
    for (const { access_token } of [forUser, forItself]) {
      expect(await me(config, access_token)).toMatchObject({ username: ADMIN.username });
    }
  });

  it('R87 R88 R89 revokes tokens, and introspection shows them as inactive', async () => {
    const config = await discover(client);
    const { access_token, refresh_token = '' } = await login(config);
    expect(await oauth.tokenIntrospection(config, access_token)).toMatchObject({
      active: true,
      client_id: client.id,
      username: ADMIN.username,
      iss: fixture.origin,
    });
    await oauth.tokenRevocation(config, refresh_token, { token_type_hint: 'refresh_token' });
    expect(await oauth.tokenIntrospection(config, access_token)).toEqual({ active: false });
    await expect(me(config, access_token)).rejects.toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
  });
});

describe('a refused request of openid-client', () => {
  it('R45 with a wrong secret is rejected with status 401 and a challenge', async () => {
    const config = await discover({ ...client, secret: `${client.secret}x` });
    const refused = await oauth.clientCredentialsGrant(config).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
    expect(refused).toMatchObject({ status: 401, cause: [{ scheme: 'basic' }] });
  });

  it('R07 with an unregistered redirect URI shows the user an error page, and the library gets nothing', async () => {
    const config = await discover(client);
    const url = oauth.buildAuthorizationUrl(config, { redirect_uri: `${CALLBACK}/` });
    const { status, headers } = await fixture.visit(url);
    expect([status, headers.location]).toEqual([400, undefined]);
  });

  it('R54 with a code and another redirect URI is rejected with invalid_grant', async () => {
    const config = await discover(client);
    const { back, checks } = await authorize(config);
    // The library takes the redirect URI from the address that the browser was redirected to.
    back.pathname += '/';
    const elsewhere = oauth.authorizationCodeGrant(config, back, checks);
    await expect(elsewhere).rejects.toMatchObject({ name: 'ResponseBodyError', error: 'invalid_grant', status: 400 });
  });

  it('R51 R52 with a replayed code revokes the tokens of the first use', async () => {
    const config = await discover(client);
    const { back, checks } = await authorize(config);
    const { access_token } = await oauth.authorizationCodeGrant(config, back, checks);
    const again = oauth.authorizationCodeGrant(config, back, checks);
    await expect(again).rejects.toMatchObject({ name: 'ResponseBodyError', error: 'invalid_grant' });
    await expect(me(config, access_token)).rejects.toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
  });

  it('R60 with a wrong verifier is rejected with invalid_grant', async () => {
    const config = await discover(client);
    const { back, checks } = await authorize(config);
    const foreign = oauth.authorizationCodeGrant(config, back, { ...checks, pkceCodeVerifier: FOREIGN_VERIFIER });
    await expect(foreign).rejects.toMatchObject({ name: 'ResponseBodyError', error: 'invalid_grant' });
  });

  it('R15 that the user denies is rejected with access_denied', async () => {
    const config = await discover(client);
    const { back, checks } = await authorize(config, 'deny');
    const denied = oauth.authorizationCodeGrant(config, back, checks);
    await expect(denied).rejects.toMatchObject({ name: 'AuthorizationResponseError', error: 'access_denied' });
  });

  it.each(['iss', 'state'])('R14 R09 whose response lacks the right %s is rejected by the library', async (key) => {
    const config = await discover(client);
    const { back, checks } = await authorize(config);
    for (const forge of [
      () => back.searchParams.set(key, 'http://other.example'),
      () => back.searchParams.delete(key),
    ]) {
      forge();
      const mixed = oauth.authorizationCodeGrant(config, back, checks);
      await expect(mixed).rejects.toMatchObject({ code: 'OAUTH_INVALID_RESPONSE' });
    }
  });

  it('R72 R27 with a wrong password gets invalid_grant, and with an unknown scope invalid_scope', async () => {
    const config = await discover(client);
    const wrong = { username: ADMIN.username, password: 'wrong', scope: 'PRODUCTION' };
    const password = oauth.genericGrantRequest(config, 'password', wrong);
    await expect(password).rejects.toMatchObject({ name: 'ResponseBodyError', error: 'invalid_grant' });
    const scope = oauth.clientCredentialsGrant(config, { scope: 'openid' });
    await expect(scope).rejects.toMatchObject({ name: 'ResponseBodyError', error: 'invalid_scope' });
  });
});

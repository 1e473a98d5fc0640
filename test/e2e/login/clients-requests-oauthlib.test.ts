// The Debian package requests-oauthlib runs all its flows against the built daemon, and raises refusals as its own
// errors.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIN } from '../../support/daemon/home.ts';
import { type PythonClient, pythonRequirement, startPythonClient } from '../../support/daemon/python-client.ts';
import {
  CALLBACK,
  FOREIGN_VERIFIER,
  startThirdPartyFixture,
  type ThirdPartyClient,
  type ThirdPartyFixture,
} from '../../support/daemon/third-party-fixture.ts';
import { describeIf } from '../../support/runner/requirements.ts';

/** With a password grant the library does not send the scope of its session, although the API requires it. */
const SCOPE = 'PRODUCTION';
type Flow = 'code' | 'implicit' | 'password' | 'client_credentials';
type Tokens = Readonly<Record<'access_token' | 'refresh_token', string>>;

describeIf(pythonRequirement(), 'requests-oauthlib', () => {
  let fixture: ThirdPartyFixture;
  let client: ThirdPartyClient;
  let python: PythonClient;
  beforeAll(async () => {
    fixture = await startThirdPartyFixture();
    client = await fixture.register();
    python = startPythonClient();
  });
  afterAll(async () => {
    await python.close();
    await fixture.remove();
  });

  const begin = (flow: Flow, given: Readonly<Record<string, string>> = {}) => {
    const uri = flow === 'code' || flow === 'implicit' ? { redirect_uri: CALLBACK } : {};
    return python.step('begin', { flow, origin: fixture.origin, ...client, ...uri, ...given });
  };
  /** The user of the token according to the platform, or the status of the refusal. */
  const me = async () => {
    const url = `${fixture.origin}/profiles/v2/me?naked=true`;
    const { status, body } = await python.step<{ status: number; body: { username: string } }>('get', { url });
    return status === 200 ? body.username : status;
  };
  /** The browser part of the flow. Returns the address that the browser ends at. */
  const authorize = async (pkce = true, decision: 'approve' | 'deny' = 'approve'): Promise<string> => {
    const { url } = await python.step<{ url: string }>('authorization_url', { pkce });
    return (await fixture.decide(url, decision)).href;
  };
  const redeem = (authorization_response: string, more = {}) =>
    python.step<Tokens>('fetch_token', { authorization_response, pkce: true, ...more });

  it.each([
    ['a Basic header, with PKCE', { in_body: false, pkce: true }],
    ['a Basic header, without PKCE', { in_body: false, pkce: false }],
    ['the body, with PKCE', { in_body: true, pkce: true }],
  ])('R42 R60 logs in by code, its secret in %s', async (_, how) => {
    await begin('code');
    const tokens = await redeem(await authorize(how.pkce), how);
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 14_400, scope: ['PRODUCTION'] });
    expect(await me()).toBe(ADMIN.username);
  });

  it('R14 gets the issuer in the response', async () => {
    await begin('code');
    expect(new URL(await authorize()).searchParams.get('iss')).toBe(fixture.origin);
  });

  it('R24 R25 logs in by the implicit flow and finds its token in the fragment', async () => {
    await begin('implicit');
    const token = await python.step('token_from_fragment', { url: await authorize(false) });
    expect(token).toMatchObject({ token_type: 'bearer', expires_in: 3_600 });
    expect(token).not.toHaveProperty('refresh_token');
    expect(await me()).toBe(ADMIN.username);
  });

  it('R71 gets tokens for a name and a password', async () => {
    await begin('password');
    expect(await python.step('fetch_token', { ...ADMIN, scope: SCOPE })).toHaveProperty('refresh_token');
    expect(await me()).toBe(ADMIN.username);
  });

  it('R77 gets a token for itself', async () => {
    await begin('client_credentials');
    expect(await python.step('fetch_token')).not.toHaveProperty('refresh_token');
    expect(await me()).toBe(ADMIN.username);
  });

  it('R64 refreshes on request, and automatically when a token has expired', async () => {
    await begin('code');
    const first = await redeem(await authorize());
    const second = await python.step<Tokens>('refresh_token');
    expect(second.access_token).not.toBe(first.access_token);
    expect(await me()).toBe(ADMIN.username);
    const url = `${fixture.origin}/profiles/v2/me?naked=true`;
    const renewed = await python.step('renew_by_itself', { url });
    expect(renewed).toMatchObject({ status: 200, body: { username: ADMIN.username }, renewed: 1 });
  });

  it('R87 R88 R89 revokes tokens, and introspection shows them as inactive', async () => {
    await begin('code');
    await redeem(await authorize());
    expect(await python.step('introspect')).toMatchObject({
      status: 200,
      body: { active: true, client_id: client.id },
    });
    expect(await python.step('revoke', { kind: 'refresh_token' })).toMatchObject({ status: 200 });
    expect(await python.step('introspect')).toEqual({ status: 200, body: { active: false } });
    expect(await me()).toBe(401);
    expect(await python.fails('refresh_token')).toMatchObject({ type: 'InvalidGrantError', code: 'invalid_grant' });
  });

  it.each([false, true])('R45 a wrong secret raises InvalidClientError (in the body: %s)', async (in_body) => {
    const secret = `${client.secret}x`;
    await begin('client_credentials', { secret });
    expect(await python.fails('fetch_token', { in_body })).toMatchObject({ type: 'InvalidClientError' });
    await begin('code', { secret });
    const authorization_response = await authorize(false);
    const refused = await python.fails('fetch_token', { authorization_response, in_body });
    expect(refused).toMatchObject({ type: 'InvalidClientError', code: 'invalid_client' });
  });

  it('R07 an unregistered redirect URI shows the user an error page, and the library gets nothing', async () => {
    await begin('code', { redirect_uri: `${CALLBACK}/` });
    const { url } = await python.step<{ url: string }>('authorization_url');
    const { status, headers } = await fixture.visit(url);
    expect([status, headers.location]).toEqual([400, undefined]);
  });

  it('R51 R52 a replayed code raises InvalidGrantError, and revokes the tokens of the first use', async () => {
    await begin('code');
    const authorization_response = await authorize();
    await redeem(authorization_response);
    expect(await me()).toBe(ADMIN.username);
    const again = await python.fails('replay', { authorization_response });
    expect(again).toMatchObject({ type: 'InvalidGrantError', code: 'invalid_grant' });
    expect(await me()).toBe(401);
    expect(await python.fails('refresh_token')).toMatchObject({ type: 'InvalidGrantError' });
  });

  it('R54 a code with another redirect URI raises InvalidGrantError', async () => {
    await begin('code');
    const authorization_response = await authorize();
    const given = { authorization_response, redirect_uri: `${CALLBACK}/` };
    expect(await python.fails('redeem_elsewhere', given)).toMatchObject({ type: 'InvalidGrantError' });
  });

  it('R60 a wrong verifier raises InvalidGrantError', async () => {
    await begin('code');
    const authorization_response = await authorize();
    const refused = await python.fails('fetch_token', { authorization_response, code_verifier: FOREIGN_VERIFIER });
    expect(refused).toMatchObject({ type: 'InvalidGrantError', code: 'invalid_grant' });
  });

  it('R15 a denial by the user raises AccessDeniedError', async () => {
    await begin('code');
    const authorization_response = await authorize(true, 'deny');
    const refused = await python.fails('fetch_token', { authorization_response });
    expect(refused).toMatchObject({ type: 'AccessDeniedError', code: 'access_denied' });
  });

  it('R72 a wrong password raises InvalidGrantError', async () => {
    await begin('password');
    const given = { username: ADMIN.username, password: 'wrong', scope: SCOPE };
    const refused = await python.fails('fetch_token', given);
    expect(refused).toMatchObject({ type: 'InvalidGrantError', code: 'invalid_grant' });
  });
});

// Revocation, introspection and server metadata.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  callbackClient,
  codeFor,
  codeForm,
  pkce,
  publicClient,
  type TestClient,
  VERIFIER,
} from '../../support/service/authorize-calls.ts';
import { ADMIN_PASSWORD, makeClient, member, type Platform, startPlatform } from '../../support/service/platform.ts';
import { passwordForm, refusal, textOf } from '../../support/service/token-calls.ts';

let platform: Platform;
let client: TestClient;
let other: TestClient;
beforeAll(async () => {
  platform = await startPlatform();
  client = await callbackClient(platform);
  other = await makeClient(platform);
});
afterAll(() => platform.close());

const post = (path: string, form: Readonly<Record<string, string>>, of: TestClient = client) =>
  platform.ask('POST', path, { form, headers: of.header });
const revoke = (token: string, more: Readonly<Record<string, string>> = {}, of?: TestClient) =>
  post('/revoke', { token, ...more }, of);
const introspect = (token: string, of?: TestClient) => post('/introspect', { token }, of);
const tokens = async () => {
  const answer = await platform.token(passwordForm, client.header);
  return { access: textOf(answer, 'access_token'), refresh: textOf(answer, 'refresh_token') };
};
const works = async (token: string) =>
  (await platform.ask('GET', '/profiles/v2/me', { headers: { authorization: `Bearer ${token}` } })).status === 200;
const refreshes = async (refresh_token: string) =>
  (await platform.token({ grant_type: 'refresh_token', refresh_token }, client.header)).status === 200;

describe('R87 revocation', () => {
  it('ends an access token at once, and no other token', async () => {
    const { access, refresh } = await tokens();
    const answer = await revoke(access);
    expect([answer.status, answer.json, answer.headers['cache-control']]).toEqual([200, {}, 'no-store']);
    expect([await works(access), await refreshes(refresh)]).toEqual([false, true]);
  });

  it('R88 of a refresh token ends every token of its grant', async () => {
    const { access, refresh } = await tokens();
    const second = textOf(
      await platform.token({ grant_type: 'refresh_token', refresh_token: refresh }, client.header),
      'access_token',
    );
    const stranger = await tokens();
    await revoke(refresh);
    expect([await works(access), await works(second), await refreshes(refresh)]).toEqual([false, false, false]);
    expect([await works(stranger.access), await refreshes(stranger.refresh)]).toEqual([true, true]);
  });

  it('returns 200 for an unknown token, an ended token, and any hint', async () => {
    const { access, refresh } = await tokens();
    for (const token of ['unknown', '__proto__', 'x'.repeat(6_000), '\u0000', 'a\r\nb']) {
      expect((await revoke(token)).status).toBe(200);
    }
    expect((await revoke(access, { token_type_hint: 'refresh_token' })).status).toBe(200);
    expect((await revoke(access, { token_type_hint: 'nonsense' })).status).toBe(200);
    expect((await revoke(refresh, { token_type_hint: 'access_token' })).status).toBe(200);
    expect([await works(access), await refreshes(refresh)]).toEqual([false, false]);
  });

  it('leaves the token of another client valid, and does not reveal that it exists', async () => {
    const { access, refresh } = await tokens();
    const unknown = await revoke('unknown', {}, other);
    for (const token of [access, refresh]) {
      const answer = await revoke(token, {}, other);
      expect([answer.status, answer.text]).toEqual([unknown.status, unknown.text]);
    }
    expect([await works(access), await refreshes(refresh)]).toEqual([true, true]);
  });

  it('needs client credentials, and returns 401 without them or with a wrong secret', async () => {
    const { access } = await tokens();
    expect(refusal(await platform.ask('POST', '/revoke', { form: { token: access } }))).toEqual([
      401,
      'invalid_client',
    ]);
    const form = { token: access, client_id: client.id, client_secret: 'wrong' };
    expect(refusal(await platform.ask('POST', '/revoke', { form }))).toEqual([401, 'invalid_client']);
    expect(await works(access)).toBe(true);
    const right = { token: access, client_id: client.id, client_secret: client.secret };
    expect((await platform.ask('POST', '/revoke', { form: right })).status).toBe(200);
    expect(await works(access)).toBe(false);
  });

  it('is allowed to a public client for its own tokens', async () => {
    const app = await publicClient(platform);
    const code = await codeFor(platform, app, pkce);
    const answer = await platform.token(codeForm(code, { client_id: app.id, code_verifier: VERIFIER }));
    const token = textOf(answer, 'access_token');
    await platform.ask('POST', '/revoke', { form: { token, client_id: app.id } });
    expect(await works(token)).toBe(false);
    const asked = await platform.ask('POST', '/introspect', { form: { token, client_id: app.id } });
    expect(refusal(asked)).toEqual([401, 'invalid_client']);
  });

  it('R145 R66 survives a restart of the daemon', async () => {
    const { access } = await tokens();
    await revoke(access);
    expect(platform.store.get('tokens', platform.vault.digest(access))).toBeUndefined();
  });

  it('R159 is logged without the token', async () => {
    const { refresh } = await tokens();
    await revoke(refresh);
    const entry = platform.log.findLast(({ fields }) => fields['event'] === 'revocation');
    expect(entry?.fields).toMatchObject({ client: client.id, user: 'admin', revoked: 2 });
    expect(JSON.stringify(platform.log)).not.toContain(refresh);
  });
});

describe('R89 introspection', () => {
  it('describes the valid tokens of the client', async () => {
    const { access, refresh } = await tokens();
    const answer = await introspect(access);
    expect(answer.headers['cache-control']).toBe('no-store');
    const now = Math.floor(Date.now() / 1_000);
    expect(answer.json).toEqual({
      active: true,
      scope: 'PRODUCTION',
      client_id: client.id,
      username: 'admin',
      sub: 'DEV/admin',
      iss: platform.baseUrl,
      token_type: 'bearer',
      iat: expect.any(Number),
      exp: expect.any(Number),
    });
    expect(Number(member(answer, 'exp')) - Number(member(answer, 'iat'))).toBe(14_400);
    expect(Math.abs(Number(member(answer, 'iat')) - now)).toBeLessThan(60);
    const refreshed = await introspect(refresh);
    expect(member(refreshed, 'active')).toBe(true);
    expect(member(refreshed, 'exp')).toBeUndefined();
  });

  it('returns exactly {"active":false} for an ended, foreign or invalid token', async () => {
    const { access, refresh } = await tokens();
    const dead = await tokens();
    await revoke(dead.refresh);
    const answers = [
      await introspect('unknown'),
      await introspect('\u0000'),
      await introspect(dead.access),
      await introspect(dead.refresh),
      await introspect(access, other),
      await introspect(refresh, other),
      await introspect(ADMIN_PASSWORD),
    ];
    for (const { status, text } of answers) expect([status, text]).toEqual([200, '{"active":false}']);
    platform.advance(14_401_000);
    expect((await introspect(access)).text).toBe('{"active":false}');
    expect(member(await introspect(refresh), 'active')).toBe(true);
  });

  it('needs client credentials, and refuses GET', async () => {
    const { access } = await tokens();
    expect(refusal(await platform.ask('POST', '/introspect', { form: { token: access } }))).toEqual([
      401,
      'invalid_client',
    ]);
    const answer = await platform.ask('GET', `/introspect?token=${access}`, { headers: client.header });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST, OPTIONS']);
  });
});

describe('R90 R91 the server metadata', () => {
  const path = '/.well-known/oauth-authorization-server';

  it('describes the endpoints with the configured address, whatever the request headers say', async () => {
    const { baseUrl, port } = platform;
    const answer = await platform.ask('GET', path, {
      headers: {
        host: `localhost:${port}`,
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example',
      },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json).toEqual({
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/authorize`,
      token_endpoint: `${baseUrl}/token`,
      revocation_endpoint: `${baseUrl}/revoke`,
      introspection_endpoint: `${baseUrl}/introspect`,
      scopes_supported: ['PRODUCTION'],
      response_types_supported: ['code', 'token'],
      response_modes_supported: ['query', 'fragment'],
      grant_types_supported: ['authorization_code', 'implicit', 'password', 'client_credentials', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
  });

  it('names only endpoints that exist', async () => {
    const { json } = await platform.ask('GET', path);
    for (const [name, url] of Object.entries(json ?? {})) {
      if (!name.endsWith('_endpoint')) continue;
      expect((await platform.ask('OPTIONS', new URL(String(url)).pathname)).status).toBe(200);
    }
  });
});

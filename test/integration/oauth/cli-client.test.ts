// The public client of the command line, which every tenant has under a fixed id.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserless, sentTo } from '../../support/browser/browserless.ts';
import { authorizePath, codeForm, pkce, type TestClient, VERIFIER } from '../../support/service/authorize-calls.ts';
import { ADMIN_PASSWORD, adminToken, type Platform, startPlatform } from '../../support/service/platform.ts';
import { passwordForm, refusal, textOf } from '../../support/service/token-calls.ts';

const PORTS = [8731, 8732, 8733, 8734, 8735];
const uriOf = (port: number): string => `http://127.0.0.1:${port}/callback`;
const CLI = 'actorctl-cli.DEV';
const clientOf = (id: string): TestClient => ({ id }) as TestClient;

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

const path = (changes: Parameters<typeof authorizePath>[1] = {}, id = CLI): string =>
  authorizePath(clientOf(id), { redirect_uri: uriOf(8731), ...pkce, ...changes });

const tokens = async () => {
  const browser = browserless(platform.baseUrl);
  const page = await browser.login(path(), 'admin', ADMIN_PASSWORD);
  const code = sentTo(await browser.decide(page, 'approve')).query.get('code') ?? '';
  return platform.token(codeForm(code, { client_id: CLI, redirect_uri: uriOf(8731), code_verifier: VERIFIER }));
};

describe('C31 the public client of the command line', () => {
  it.each(PORTS)('may redirect to port %i of this machine', async (port) => {
    expect((await platform.ask('GET', path({ redirect_uri: uriOf(port) }))).status).toBe(200);
  });

  it.each(['http://127.0.0.1:8736/callback', 'http://127.0.0.1:8731/callback/', 'http://localhost:8731/callback'])(
    'may not redirect to %s',
    async (uri) => {
      expect((await platform.ask('GET', path({ redirect_uri: uri }))).status).toBe(400);
    },
  );

  it('needs a challenge, and gets no token in the redirect', async () => {
    const plain = await platform.ask('GET', path({ code_challenge: undefined, code_challenge_method: undefined }));
    expect(sentTo(plain).query.get('error')).toBe('invalid_request');
    const implicit = await platform.ask('GET', path({ response_type: 'token', scope: 'PRODUCTION' }));
    expect(sentTo(implicit).query.get('error')).toBe('unauthorized_client');
  });

  it.each([
    ['password', passwordForm],
    ['client credentials', { grant_type: 'client_credentials' }],
  ])('gets no token by the grant %s', async (_, form) => {
    expect(refusal(await platform.token({ ...form, client_id: CLI }))).toEqual([400, 'unauthorized_client']);
  });

  it('asks for approval each time, and names the platform as its owner', async () => {
    const browser = browserless(platform.baseUrl);
    const first = await browser.login(path(), 'admin', ADMIN_PASSWORD);
    expect(first.text).toContain('this platform');
    await browser.decide(first, 'approve');
    const second = await browser.get(path());
    expect([second.status, second.text.includes('Approve')]).toEqual([200, true]);
  });

  it('gets a refresh token that serves once', async () => {
    const refresh = (value: string) =>
      platform.token({ grant_type: 'refresh_token', refresh_token: value, client_id: CLI });
    const first = textOf(await tokens(), 'refresh_token');
    const second = textOf(await refresh(first), 'refresh_token');
    expect(second).not.toBe(first);
    expect(refusal(await refresh(first))).toEqual([400, 'invalid_grant']);
  });

  it('can revoke its tokens', async () => {
    const token = textOf(await tokens(), 'access_token');
    const me = () => platform.ask('GET', '/profiles/v2/me', { headers: { authorization: `Bearer ${token}` } });
    expect((await me()).status).toBe(200);
    expect((await platform.ask('POST', '/revoke', { form: { token, client_id: CLI } })).status).toBe(200);
    expect((await me()).status).toBe(401);
  });
});

describe('C31 the client of the command line belongs to nobody', () => {
  it.each(['actorctl', CLI])('and users cannot see, change or delete it as %s', async (name) => {
    const headers = await adminToken(platform);
    const at = `/clients/v2/${name}`;
    const list = await platform.ask('GET', '/clients/v2', { headers });
    expect(list.text).not.toContain(CLI);
    const asked = [
      platform.ask('GET', at, { headers }),
      platform.ask('PUT', at, { headers, json: { callbackUrl: 'https://evil.example/' } }),
      platform.ask('POST', `${at}/secret`, { headers }),
      platform.ask('DELETE', at, { headers }),
    ];
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await platform.ask('GET', path())).status).toBe(200);
  });

  it('and a stored client cannot take its id', async () => {
    await platform.store.transact((tx) => {
      const [some] = tx.all('clients');
      tx.put('clients', {
        ...(some ?? { tier: '', description: '', createdAt: 0 }),
        id: CLI,
        tenant: 'DEV',
        owner: 'admin',
        name: 'taken',
        secretHash: '',
        redirectUris: ['https://evil.example/'],
        grants: ['password', 'authorization_code'],
      });
    });
    expect((await platform.ask('GET', path({ redirect_uri: 'https://evil.example/' }))).status).toBe(400);
    expect((await platform.ask('GET', path())).status).toBe(200);
    const form = { ...passwordForm, client_id: CLI };
    expect(refusal(await platform.token(form))).toEqual([400, 'unauthorized_client']);
  });

  it.each(['LAB', '', '__proto__', 'dev'])(
    'and does not exist for the tenant "%s", which does not exist',
    async (id) => {
      expect((await platform.ask('GET', path({}, `actorctl-cli.${id}`))).status).toBe(400);
    },
  );
});

it('C31 a new tenant has the client at once, and it serves the users of that tenant only', async () => {
  const headers = await adminToken(platform);
  await platform.ask('POST', '/tenants', { headers, json: { id: 'NEW' } });
  const user = { username: 'eva', password: 'a password of eva', tenant: 'NEW' };
  expect((await platform.ask('POST', '/users/v2', { headers, json: user })).status).toBe(200);
  const ofTenant = path({}, 'actorctl-cli.NEW');
  const admin = await browserless(platform.baseUrl).login(ofTenant, 'admin', ADMIN_PASSWORD);
  expect(admin.status).toBe(401);
  const eva = await browserless(platform.baseUrl).login(ofTenant, user.username, user.password);
  expect([eva.status, eva.text.includes('Approve')]).toEqual([200, true]);
});

// GET /authorize: invalid requests are refused with an HTML page or with a redirect to the client, unusual valid
// requests are accepted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formsOf, locationOf, sentTo } from '../../support/browser/browserless.ts';
import {
  authorizePath,
  CALLBACK,
  callbackClient,
  implicit,
  publicClient,
  STATE,
  type TestClient,
} from '../../support/service/authorize-calls.ts';
import type { Answer } from '../../support/service/call.ts';
import { type Platform, startPlatform, statusOf } from '../../support/service/platform.ts';

let platform: Platform;
let client: TestClient;
beforeAll(async () => {
  platform = await startPlatform();
  client = await callbackClient(platform);
});
afterAll(() => platform.close());

const get = (path: string) => platform.ask('GET', path);

/** Expects an HTML error page that is not cached and has no links, forms or redirect. */
const expectRefusalPage = (answer: Answer, status = 400) => {
  expect([answer.status, answer.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
  expect(answer.headers.location).toBeUndefined();
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers['x-frame-options']).toBe('DENY');
  expect(answer.text).not.toMatch(/<a |href=|http-equiv/);
  expect(formsOf(answer)).toEqual([]);
};

describe('R07 an error page instead of a redirect', () => {
  it.each([
    ['client_id', undefined],
    ['client_id', ''],
    ['client_id', 'nobody'],
    ['client_id', 'x'.repeat(6_000)],
    ['client_id', '\u0000'],
    ['client_id', '\r\nLocation: https://evil.example'],
    ['client_id', '"><script>alert(1)</script>'],
    ['client_id', ['a', 'b']],
    ['redirect_uri', undefined],
    ['redirect_uri', ''],
    ['redirect_uri', 'https://evil.example/'],
    ['redirect_uri', 'javascript:alert(1)'],
    ['redirect_uri', `${CALLBACK}/`],
    ['redirect_uri', CALLBACK.toUpperCase()],
    ['redirect_uri', CALLBACK.replace('app.example', 'app.example:443')],
    ['redirect_uri', CALLBACK.replace('//', '//user@')],
    ['redirect_uri', CALLBACK.replace('callback', '%63allback')],
    ['redirect_uri', `${CALLBACK}\u0000`],
    ['redirect_uri', `${CALLBACK}\r\nSet-Cookie: a=b`],
    ['redirect_uri', 'x'.repeat(6_000)],
    ['redirect_uri', [CALLBACK, CALLBACK]],
  ] as const)('is shown for the %s %j', async (name, value) => {
    const answer = await get(authorizePath(client, { [name]: value, state: 's' }));
    expectRefusalPage(answer);
    expect(answer.text).not.toContain('evil.example');
    expect(answer.text).not.toContain('<script');
  });

  it('R04 is shown for a redirect URI of another client', async () => {
    const other = await callbackClient(platform, { callbackUrl: 'https://other.example/cb' });
    expectRefusalPage(await get(authorizePath(client, { redirect_uri: 'https://other.example/cb' })));
    expectRefusalPage(await get(authorizePath(other)));
  });

  it.each(['%zz', '%', '%ff', '%c3', '%ed%a0%80', 'state=%e0%80%80'])(
    'R23 R40 is shown for a query that cannot be decoded: %s',
    async (query) => {
      expectRefusalPage(await get(`${authorizePath(client)}&${query}`));
    },
  );

  it('R39 is shown for a request with more than 1000 parameters', async () => {
    expectRefusalPage(await get(`${authorizePath(client)}${'&a'.repeat(1_000)}`));
  });

  it('R23 is shown for a request without parameters, and for parameter names with brackets', async () => {
    expectRefusalPage(await get('/authorize'));
    expectRefusalPage(await get('/authorize?client_id[a]=b&redirect_uri[]=c'));
  });

  it('R105 is shown for another host name, with status 421', async () => {
    const answer = await platform.ask('GET', authorizePath(client), { headers: { host: 'evil.example' } });
    expectRefusalPage(answer, 421);
    expectRefusalPage(await platform.ask('POST', '/authorize/login', { headers: { host: 'evil.example' } }), 421);
  });

  it('R102 R110 is shown for a method that is not allowed, with 405 and Allow', async () => {
    for (const [method, path] of [
      ['POST', '/authorize'],
      ['GET', '/authorize/login'],
      ['GET', '/authorize/consent'],
      ['GET', '/authorize/logout'],
      ['DELETE', '/authorize/consent'],
    ] as const) {
      const answer = await platform.ask(method, path);
      expectRefusalPage(answer, 405);
      expect(answer.headers.allow).toContain(method === 'POST' ? 'GET' : 'POST');
    }
  });

  it('is not needed for a request line that is too long, which is refused with 431 by the parser', async () => {
    // A TLS connection that is closed while the client still writes can lose the response, so less is sent there.
    const length = platform.baseUrl.startsWith('https:') ? 17 * 1024 : 1024 * 1024;
    const head = `GET ${authorizePath(client)}&state=${'x'.repeat(length)} HTTP/1.1\r\n`;
    const text = await platform.raw(`${head}Host: 127.0.0.1:${platform.port}\r\n\r\n`);
    expect(statusOf(text)).toBe(431);
  });
});

describe('R08 an error redirect to the client, with state and issuer', () => {
  it.each([
    ['response_type', undefined, 'invalid_request'],
    ['response_type', '', 'invalid_request'],
    ['response_type', 'CODE', 'unsupported_response_type'],
    ['response_type', 'x'.repeat(6_000), 'unsupported_response_type'],
    ['response_type', '\u0000', 'unsupported_response_type'],
    ['response_type', ['code', 'code'], 'invalid_request'],
    ['scope', 'admin', 'invalid_scope'],
    ['scope', 'PRODUCTION\r\n', 'invalid_scope'],
    ['scope', ['PRODUCTION', 'PRODUCTION'], 'invalid_request'],
    ['code_challenge', 'short', 'invalid_request'],
    ['code_challenge_method', 'plain', 'invalid_request'],
    ['show_dialog', ['true', 'true'], 'invalid_request'],
    ['unknown', ['a', 'b'], 'invalid_request'],
  ] as const)('is sent for the %s %j with %s', async (name, value, error) => {
    const answer = await get(authorizePath(client, { state: STATE, [name]: value }));
    const location = locationOf(answer);
    expect(location.origin + location.pathname).toBe(CALLBACK);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      error,
      error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
      state: STATE,
      iss: platform.baseUrl,
    });
    expect(location.hash).toBe('');
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  });

  it('R27 C4 is sent for a token request without a scope, in the query and the fragment', async () => {
    const { query, fragment } = sentTo(await get(authorizePath(client, { ...implicit, scope: undefined, state: 's' })));
    expect([query.get('error'), query.get('state')]).toEqual(['invalid_scope', 's']);
    expect(Object.fromEntries(fragment)).toEqual(Object.fromEntries(query));
  });

  it('R01 omits a state that was sent twice', async () => {
    const { query } = sentTo(await get(authorizePath(client, { state: ['a', 'b'] })));
    expect([query.get('error'), query.has('state')]).toEqual(['invalid_request', false]);
  });

  it('R10 has no state if the request had none', async () => {
    const { query } = sentTo(await get(authorizePath(client, { scope: 'x' })));
    expect([...query.keys()].sort()).toEqual(['error', 'error_description', 'iss']);
  });

  it('R30 is sent for a flow that the client is not registered for', async () => {
    const limited = await callbackClient(platform, { grants: 'authorization_code' });
    expect(sentTo(await get(authorizePath(limited, implicit))).query.get('error')).toBe('unauthorized_client');
  });

  it('R11 keeps the query that the redirect URI already has', async () => {
    const redirect_uri = 'https://app.example/cb?tenant=1&x=%20';
    const own = await callbackClient(platform, { callbackUrl: redirect_uri });
    const answer = await get(authorizePath(own, { redirect_uri, scope: 'x' }));
    expect(answer.headers.location).toMatch(/^https:\/\/app\.example\/cb\?tenant=1&x=%20&error=invalid_scope&/);
  });

  it('C18 is sent for a public client without a challenge', async () => {
    const app = await publicClient(platform);
    expect(sentTo(await get(authorizePath(app))).query.get('error')).toBe('invalid_request');
  });
});

describe('a valid authorization request', () => {
  it('is answered with the login page and a session cookie', async () => {
    const answer = await get(authorizePath(client, { state: STATE }));
    expect(answer.status).toBe(200);
    expect(formsOf(answer).map(({ action }) => action)).toContain('/authorize/login');
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^${platform.cookie}=[\\w-]+\\.\\w{64}; Path=/; HttpOnly; SameSite=Lax${platform.cookieEnd}$`),
      ),
    ]);
  });

  it.each(['https://999.1.1.1/cb', 'com.example.app://[x'])(
    'may name the redirect URI %s, which a client could register earlier',
    async (redirect_uri) => {
      const own = await callbackClient(platform);
      await platform.store.transact((tx) => {
        const record = tx.get('clients', own.id);
        if (record) tx.put('clients', { ...record, redirectUris: [redirect_uri] });
      });
      expect((await get(authorizePath(own, { redirect_uri }))).status).toBe(200);
    },
  );

  it('R01 R23 may hold unknown and empty parameters', async () => {
    const answer = await get(
      `${authorizePath(client, { scope: '', state: '' })}&a[b]=c&__proto__=x&constructor=&nonce`,
    );
    expect(answer.status).toBe(200);
  });

  it('R22 is answered without CORS headers, so no other origin can read it', async () => {
    const headers = { origin: 'https://evil.example' };
    const answers = [
      await platform.ask('GET', authorizePath(client), { headers }),
      await platform.ask('POST', '/authorize/login', { headers }),
      await platform.ask('OPTIONS', '/authorize', { headers: { ...headers, 'access-control-request-method': 'GET' } }),
    ];
    for (const answer of answers) {
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('with HEAD has no body', async () => {
    expect((await platform.ask('HEAD', authorizePath(client))).text).toBe('');
  });

  it('R156 leaves no part of its query in the log', async () => {
    await get(authorizePath(client, { state: 'secret-of-the-client' }));
    expect(JSON.stringify(platform.log)).not.toContain('secret-of-the-client');
  });
});

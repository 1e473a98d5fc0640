// The token endpoint: the format of its responses, and the requests that it refuses before it evaluates the grant.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD, makeClient, member, type Platform, startPlatform } from '../../support/service/platform.ts';
import { clientForm, passwordForm, refusal, SCOPE, textOf } from '../../support/service/token-calls.ts';

let platform: Platform;
let client: Awaited<ReturnType<typeof makeClient>>;
beforeAll(async () => {
  platform = await startPlatform();
  client = await makeClient(platform);
});
afterAll(() => platform.close());

const byClient = (form: Readonly<Record<string, string>>) => platform.token(form, client.header);
const post = (body: string, headers: Readonly<Record<string, string>> = client.header) =>
  platform.ask('POST', '/token', {
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });

describe('a token response', () => {
  it('R33 has exactly the standard members and the scope', async () => {
    expect((await byClient(clientForm)).json).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'bearer',
      expires_in: 14_400,
      scope: SCOPE,
    });
    expect(Object.keys((await byClient(passwordForm)).json ?? {}).sort()).toEqual([
      'access_token',
      'expires_in',
      'refresh_token',
      'scope',
      'token_type',
    ]);
  });

  it('R64 has no refresh token for a client without the refresh grant, and none is stored', async () => {
    const limited = await makeClient(platform, { grants: 'password' });
    const answer = await platform.token(passwordForm, limited.header);
    expect([answer.status, member(answer, 'refresh_token')]).toEqual([200, undefined]);
    expect(platform.store.by('tokens', 'client', limited.id).map(({ kind }) => kind)).toEqual(['access']);
  });

  it('R34 is marked as not cacheable, on success and on error', async () => {
    for (const answer of [
      await byClient(clientForm),
      await byClient({ grant_type: 'x' }),
      await platform.token(clientForm),
    ]) {
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['pragma']).toBe('no-cache');
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
    }
  });

  it('R41 R70 holds a new token each time, and all of them are valid', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => byClient(clientForm)));
    const values = new Set(tokens.map((answer) => textOf(answer, 'access_token')));
    expect(values.size).toBe(20);
    for (const value of values) {
      const me = await platform.ask('GET', '/profiles/v2/me', { headers: { authorization: `Bearer ${value}` } });
      expect(me.status).toBe(200);
    }
  });

  it('R70 leaves the old access token valid after a refresh, until it expires', async () => {
    const works = async (answer: Parameters<typeof textOf>[0]): Promise<boolean> => {
      const headers = { authorization: `Bearer ${textOf(answer, 'access_token')}` };
      return (await platform.ask('GET', '/profiles/v2/me', { headers })).status === 200;
    };
    const first = await byClient(passwordForm);
    platform.advance(3_600_000);
    const second = await byClient({ grant_type: 'refresh_token', refresh_token: textOf(first, 'refresh_token') });
    expect([await works(first), await works(second)]).toEqual([true, true]);
    platform.advance(10_799_000);
    expect([await works(first), await works(second)]).toEqual([true, true]);
    platform.advance(2_000);
    expect([await works(first), await works(second)]).toEqual([false, true]);
  });

  it('R38 C9 has the token lifetime of the tenant, at most 14400 seconds', async () => {
    const put = (lifetimes: Readonly<Record<string, number>>) =>
      platform.store.transact((tx) => tx.put('tenants', { id: 'DEV', name: 'Development', lifetimes, createdAt: 0 }));
    await put({ password: 60, client_credentials: 999_999 });
    const first = await byClient(passwordForm);
    expect(member(first, 'expires_in')).toBe(60);
    expect(member(await byClient(clientForm), 'expires_in')).toBe(14_400);
    const again = await byClient({ grant_type: 'refresh_token', refresh_token: textOf(first, 'refresh_token') });
    expect(member(again, 'expires_in')).toBe(60);
    await put({});
  });
});

describe('R31 R32 a token request', () => {
  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('by %s is refused with 405 and Allow: POST', async (method) => {
    const answer = await platform.ask(method, '/token', { headers: client.header });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('POST, OPTIONS');
    expect(member(answer, 'error')).toBe('invalid_request');
  });

  it('with its parameters in the URL is refused', async () => {
    const answer = await platform.ask('POST', '/token?grant_type=client_credentials', {
      body: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...client.header },
    });
    expect(refusal(answer)).toEqual([400, 'invalid_request']);
  });

  it.each([
    ['application/json', JSON.stringify(clientForm)],
    ['text/plain', 'grant_type=client_credentials'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="grant_type"\r\n\r\nclient_credentials\r\n--b--\r\n',
    ],
    ['', 'grant_type=client_credentials'],
  ])('of type %j gives no token', async (type, body) => {
    expect(refusal(await post(body, { ...client.header, 'content-type': type }))).toEqual([400, 'invalid_request']);
  });

  it('may name a character set in its content type', async () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };
    expect((await post('grant_type=client_credentials', { ...client.header, ...type })).status).toBe(200);
  });

  it.each([
    ['grant_type=client_credentials&grant_type=client_credentials', 'R36 a repeated parameter'],
    ['grant_type=password&username=a&username=b&password=c&scope=PRODUCTION', 'R36 a repeated name'],
    ['grant_type[]=client_credentials', 'R37 an array'],
    ['grant_type[a]=client_credentials', 'R37 an object'],
    ['', 'R40 nothing'],
    ['&&&', 'R40 nothing but separators'],
    ['grant_type=', 'R40 an empty parameter'],
    ['grant_type=%zz', 'R40 a broken escape'],
    ['grant_type=%ff', 'R40 no UTF-8'],
  ])('%j (%s) is refused with 400 invalid_request', async (body) => {
    expect(refusal(await post(body))).toEqual([400, 'invalid_request']);
  });

  it.each(['__proto__', 'constructor', 'toString', 'implicit', 'PASSWORD', 'password '])(
    'R37 with the grant type %j is refused with unsupported_grant_type',
    async (type) => {
      expect(refusal(await byClient({ grant_type: type }))).toEqual([400, 'unsupported_grant_type']);
    },
  );

  it('R37 with a parameter named __proto__ has no effect on objects', async () => {
    expect((await post('grant_type=client_credentials&__proto__=x&constructor=y')).status).toBe(200);
  });

  it('R39 has at most 64 kB and 1000 parameters', async () => {
    expect(refusal(await post(`grant_type=client_credentials&x=${'a'.repeat(64 * 1024)}`))).toEqual([
      413,
      'invalid_request',
    ]);
    expect((await post(`grant_type=client_credentials${'&a=1'.repeat(1_001)}`)).status).toBe(413);
  });

  it('with a compressed body is refused with 415', async () => {
    expect((await post('x', { ...client.header, 'content-encoding': 'gzip' })).status).toBe(415);
  });

  it('R35 that is refused is answered with error and error_description in ASCII', async () => {
    const answer = await byClient({ grant_type: 'gr\u00fc\u00dfe"\\' });
    expect(Object.keys(answer.json ?? {}).sort()).toEqual(['error', 'error_description']);
    expect(textOf(answer, 'error_description')).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  });
});

it('R240 a page of another site cannot use the password grant, and no password is checked', async () => {
  const inner = await startPlatform();
  try {
    const own = await makeClient(inner);
    const begun = inner.log.length;
    const foreigners: readonly Record<string, string>[] = [
      { origin: 'http://127.0.0.1:1' },
      { origin: 'null' },
      { origin: inner.baseUrl, 'sec-fetch-site': 'same-site' },
    ];
    for (const foreign of foreigners) {
      for (const password of [ADMIN_PASSWORD, 'wrong']) {
        const headers = { ...own.header, ...foreign };
        const refused = await inner.token({ ...passwordForm, password }, headers);
        expect([refused.status, member(refused, 'error')]).toEqual([400, 'invalid_request']);
        const byBody = { ...passwordForm, password, client_id: own.id, client_secret: 'x' };
        expect((await inner.token(byBody, foreign)).status).toBe(400);
      }
    }
    const events = inner.log.slice(begun).map(({ fields }) => fields['event']);
    expect(events.filter((event) => event !== undefined)).toEqual([]);
    expect((await inner.token(passwordForm, { ...own.header, origin: inner.baseUrl })).status).toBe(200);
    // Browser programs use the other grants from any origin.
    const other = await inner.token(clientForm, { ...own.header, origin: 'http://app.test' });
    expect([other.status, other.headers['access-control-allow-origin']]).toEqual([200, 'http://app.test']);
  } finally {
    await inner.close();
  }
});

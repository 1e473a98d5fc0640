// The token endpoint: what it answers, and what it refuses before any grant is looked at.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeClient, member, type Platform, startPlatform } from '../../support/service/platform.ts';
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

describe('an answer', () => {
  it('R33 has exactly the members of the spec and the scope', async () => {
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

  it('R34 is not stored, on success and on error', async () => {
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

  it('R41 R70 is another token at every request, and all of them work', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => byClient(clientForm)));
    const values = new Set(tokens.map((answer) => textOf(answer, 'access_token')));
    expect(values.size).toBe(20);
    for (const value of values) {
      const me = await platform.ask('GET', '/profiles/v2/me', { headers: { authorization: `Bearer ${value}` } });
      expect(me.status).toBe(200);
    }
  });

  it('R38 C9 has the lifetime of the tenant, never above 14400', async () => {
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

describe('R31 R32 the request', () => {
  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('%s is 405 with Allow: POST', async (method) => {
    const answer = await platform.ask(method, '/token', { headers: client.header });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('POST, OPTIONS');
    expect(member(answer, 'error')).toBe('invalid_request');
  });

  it('nothing is read from the URL', async () => {
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
  ])('of type %j issues nothing', async (type, body) => {
    expect(refusal(await post(body, { ...client.header, 'content-type': type }))).toEqual([400, 'invalid_request']);
  });

  it('may name its character set', async () => {
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
  ])('%j (%s) is 400 invalid_request', async (body) => {
    expect(refusal(await post(body))).toEqual([400, 'invalid_request']);
  });

  it.each(['__proto__', 'constructor', 'toString', 'implicit', 'PASSWORD', 'password '])(
    'R37 the grant type %j is unsupported',
    async (type) => {
      expect(refusal(await byClient({ grant_type: type }))).toEqual([400, 'unsupported_grant_type']);
    },
  );

  it('R37 __proto__ as a name is nothing', async () => {
    expect((await post('grant_type=client_credentials&__proto__=x&constructor=y')).status).toBe(200);
  });

  it('R39 is 64 kB at most, and 1000 parameters', async () => {
    expect(refusal(await post(`grant_type=client_credentials&x=${'a'.repeat(64 * 1024)}`))).toEqual([
      413,
      'invalid_request',
    ]);
    expect((await post(`grant_type=client_credentials${'&a=1'.repeat(1_001)}`)).status).toBe(413);
  });

  it('compressed is 415', async () => {
    expect((await post('x', { ...client.header, 'content-encoding': 'gzip' })).status).toBe(415);
  });

  it('R35 refusals say error and error_description in ASCII', async () => {
    const answer = await byClient({ grant_type: 'gr\u00fc\u00dfe"\\' });
    expect(Object.keys(answer.json ?? {}).sort()).toEqual(['error', 'error_description']);
    expect(textOf(answer, 'error_description')).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  });
});

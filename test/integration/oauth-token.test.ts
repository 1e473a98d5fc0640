// The token endpoint: three grants, two ways to authenticate a client, the errors of RFC 6749.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepTokens } from '../../daemon/oauth/sweep.ts';
import type { Answer } from '../support/call.ts';
import { ADMIN_PASSWORD, basic, makeClient, member, type Platform, startPlatform } from '../support/platform.ts';

let platform: Platform;
let client: Awaited<ReturnType<typeof makeClient>>;
beforeAll(async () => {
  platform = await startPlatform();
  client = await makeClient(platform);
});
afterAll(() => platform.close());

const SCOPE = 'PRODUCTION';
const passwordForm = { grant_type: 'password', username: 'admin', password: ADMIN_PASSWORD, scope: SCOPE };
const grant = { grant_type: 'client_credentials' };
const byClient = (form: Readonly<Record<string, string>>) => platform.token(form, client.header);
const textOf = (answer: Answer, name: string) => String(member(answer, name));
const refusal = (answer: Answer) => [answer.status, member(answer, 'error')];
const post = (body: string, headers: Readonly<Record<string, string>> = client.header) =>
  platform.ask('POST', '/token', {
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });

const grants: readonly [string, () => Promise<Readonly<Record<string, string>>>][] = [
  ['password', async () => passwordForm],
  ['client_credentials', async () => grant],
  [
    'refresh_token',
    async () => ({ grant_type: 'refresh_token', refresh_token: textOf(await byClient(passwordForm), 'refresh_token') }),
  ],
];

describe('an answer', () => {
  it('R33 has exactly the members of the spec and the scope', async () => {
    expect((await byClient(grant)).json).toEqual({
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
    for (const answer of [await byClient(grant), await byClient({ grant_type: 'x' }), await platform.token(grant)]) {
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['pragma']).toBe('no-cache');
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
    }
  });

  it('R41 R70 is another token at every request, and all of them work', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => byClient(grant)));
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
    expect(member(await byClient(grant), 'expires_in')).toBe(14_400);
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
    ['application/json', JSON.stringify(grant)],
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

  it.each(['__proto__', 'constructor', 'toString', 'authorization_code', 'implicit', 'PASSWORD', 'password '])(
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

describe.each(grants)('client authentication for %s', (_, form) => {
  it('R42 works by Basic and in the body', async () => {
    expect((await byClient(await form())).status).toBe(200);
    const inBody = { ...(await form()), client_id: client.id, client_secret: client.secret };
    expect((await platform.token(inBody)).status).toBe(200);
  });

  it('R44 takes one method: both, or two ids, are invalid_request', async () => {
    const both = { ...(await form()), client_id: client.id, client_secret: client.secret };
    expect(refusal(await byClient(both))).toEqual([400, 'invalid_request']);
    expect(refusal(await byClient({ ...(await form()), client_id: 'other' }))).toEqual([400, 'invalid_request']);
    expect((await byClient({ ...(await form()), client_id: client.id })).status).toBe(200);
  });

  it('R45 R46 R47 refuses missing, empty, near and foreign secrets, all alike', async () => {
    const other = await makeClient(platform);
    const fields = await form();
    const answers = [
      await platform.token(fields),
      await platform.token(fields, { authorization: basic(client.id, '') }),
      await platform.token(fields, { authorization: basic('', '') }),
      await platform.token(fields, { authorization: basic(client.id, client.secret.slice(0, -1)) }),
      await platform.token(fields, { authorization: basic(client.id, `${client.secret} `) }),
      await platform.token(fields, { authorization: basic(client.id, client.secret.toUpperCase()) }),
      await platform.token(fields, { authorization: basic(client.id, other.secret) }),
      await platform.token(fields, { authorization: basic('nobody', client.secret) }),
      await platform.token(fields, { authorization: basic('__proto__', 'x') }),
      await platform.token({ ...fields, client_id: client.id }),
      await platform.token({ ...fields, client_secret: client.secret }),
      await platform.token({ ...fields, client_id: client.id, client_secret: 'wrong' }),
      await platform.token(fields, { authorization: `Bearer ${client.secret}` }),
    ];
    for (const answer of answers) {
      expect(refusal(answer)).toEqual([401, 'invalid_client']);
      expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
      expect(answer.text).toBe(answers[0]?.text);
    }
  });
});

describe('Basic credentials of a client', () => {
  it('R43 are percent-decoded, split at the first colon, and their scheme has no case', async () => {
    const escaped = [...client.id].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
    expect((await platform.token(grant, { authorization: basic(escaped, client.secret) })).status).toBe(200);
    for (const scheme of ['basic', 'BASIC']) {
      const authorization = client.header.authorization.replace('Basic', scheme);
      expect((await platform.token(grant, { authorization })).status).toBe(200);
    }
  });

  it.each([
    'Basic',
    'Basic ',
    'Basic %%%',
    `Basic ${Buffer.from('nocolon').toString('base64')}`,
    `Basic ${Buffer.from('%zz:x').toString('base64')}`,
    `Basic ${'A'.repeat(5_000)}`,
    'Basic a b c',
  ])('R50 %s is 4xx', async (authorization) => {
    const answer = await platform.token(grant, { authorization });
    expect(answer.status).toBe(400);
    expect(member(answer, 'error')).toBe('invalid_request');
  });
});

describe('the password grant', () => {
  it('R71 C8 needs the scope, exactly', async () => {
    const { scope, ...without } = passwordForm;
    expect(refusal(await byClient(without))).toEqual([400, 'invalid_scope']);
    for (const wrong of ['production', 'PRODUCTION other', 'PRODUCTION PRODUCTION', ' PRODUCTION', 'x', '']) {
      expect([wrong, ...refusal(await byClient({ ...passwordForm, scope: wrong }))]).toEqual([
        wrong,
        400,
        'invalid_scope',
      ]);
    }
    expect(scope).toBe(SCOPE);
  });

  it('R72 answers the same for an unknown user and a wrong password', async () => {
    const wrong = await byClient({ ...passwordForm, password: 'wrong' });
    const unknown = await byClient({ ...passwordForm, username: 'nobody' });
    expect(refusal(wrong)).toEqual([400, 'invalid_grant']);
    expect(unknown.text).toBe(wrong.text);
    await byClient(passwordForm);
  });

  it('R73 misses name or password: invalid_request; the typo of the table issues nothing', async () => {
    for (const name of ['username', 'password']) {
      expect(refusal(await byClient({ ...passwordForm, [name]: '' }))).toEqual([400, 'invalid_request']);
    }
    expect(refusal(await byClient({ ...passwordForm, grant_type: 'refresh_token' }))).toEqual([400, 'invalid_request']);
  });

  it('R74 compares exactly, composed or not, and a long password is only wrong', async () => {
    for (const password of [` ${ADMIN_PASSWORD}`, ADMIN_PASSWORD.toUpperCase(), 'x'.repeat(2_000)]) {
      expect(refusal(await byClient({ ...passwordForm, password }))).toEqual([400, 'invalid_grant']);
    }
    expect((await byClient(passwordForm)).status).toBe(200);
  });

  it('R123 looks the user up in the tenant of the client', async () => {
    const passwordHash = await platform.vault.hashPassword('other password');
    const admin = [...platform.store.all('users')][0];
    await platform.store.transact((tx) => {
      tx.put('tenants', { id: 'OTHER', name: 'Other', lifetimes: {}, createdAt: 0 });
      if (admin) tx.put('users', { ...admin, tenant: 'OTHER', passwordHash });
    });
    expect(refusal(await byClient({ ...passwordForm, password: 'other password' }))).toEqual([400, 'invalid_grant']);
    const other = await platform.ask('POST', '/clients/v2', {
      json: { clientName: 'theirs' },
      headers: { authorization: basic('OTHER/admin', 'other password') },
    });
    const header = {
      authorization: basic(String(other.result['consumerKey']), String(other.result['consumerSecret'])),
    };
    expect((await platform.token({ ...passwordForm, password: 'other password' }, header)).status).toBe(200);
    expect(refusal(await platform.token(passwordForm, header))).toEqual([400, 'invalid_grant']);
  });
});

describe('the client credentials grant', () => {
  it('R77 gives no refresh token, takes the scope or not, and acts as the one who registered', async () => {
    const answer = await byClient({ ...grant, scope: SCOPE });
    expect(member(answer, 'refresh_token')).toBeUndefined();
    expect(refusal(await byClient({ ...grant, scope: 'x' }))).toEqual([400, 'invalid_scope']);
  });

  it('is refused to a client that is not registered for it', async () => {
    const limited = await makeClient(platform, { grants: 'password refresh_token' });
    expect(refusal(await platform.token(grant, limited.header))).toEqual([400, 'unauthorized_client']);
    expect((await platform.token(passwordForm, limited.header)).status).toBe(200);
  });
});

describe('the refresh grant', () => {
  const refresh = (value: string, more: Readonly<Record<string, string>> = {}) =>
    byClient({ grant_type: 'refresh_token', refresh_token: value, ...more });

  it('R64 R68 answers a new access token and the same refresh token, again and again', async () => {
    const first = await byClient(passwordForm);
    const value = textOf(first, 'refresh_token');
    for (let time = 0; time < 3; time += 1) {
      const answer = await refresh(value);
      expect(answer.status).toBe(200);
      expect(member(answer, 'refresh_token')).toBe(value);
      expect(member(answer, 'access_token')).not.toBe(member(first, 'access_token'));
    }
  });

  it('R66 never expires by time', async () => {
    const value = textOf(await byClient(passwordForm), 'refresh_token');
    platform.advance(10 * 365 * 24 * 3_600_000);
    expect((await refresh(value)).status).toBe(200);
  });

  it('R65 belongs to its client', async () => {
    const value = textOf(await byClient(passwordForm), 'refresh_token');
    const other = await makeClient(platform);
    const form = { grant_type: 'refresh_token', refresh_token: value };
    expect(refusal(await platform.token(form, other.header))).toEqual([400, 'invalid_grant']);
    expect((await refresh(value)).status).toBe(200);
  });

  it('R67 R69 an unknown one is invalid_grant, none invalid_request, another scope invalid_scope', async () => {
    const answer = await byClient(passwordForm);
    const value = textOf(answer, 'refresh_token');
    expect(refusal(await refresh('unknown'))).toEqual([400, 'invalid_grant']);
    expect(refusal(await refresh(textOf(answer, 'access_token')))).toEqual([400, 'invalid_grant']);
    expect(refusal(await refresh(value.toLowerCase()))).toEqual([400, 'invalid_grant']);
    expect(refusal(await refresh(''))).toEqual([400, 'invalid_request']);
    expect(refusal(await refresh(value, { scope: 'PRODUCTION admin' }))).toEqual([400, 'invalid_scope']);
    expect((await refresh(value, { scope: SCOPE })).status).toBe(200);
  });
});

it('R76 guessing at one account is throttled with 429, and never locks it for good', async () => {
  const inner = await startPlatform();
  try {
    const own = await makeClient(inner);
    const attempt = (password: string) => inner.token({ ...passwordForm, password }, own.header);
    const statuses: number[] = [];
    for (let time = 0; time < 7; time += 1) statuses.push((await attempt('wrong')).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429]);
    const throttled = await attempt(ADMIN_PASSWORD);
    expect(throttled.status).toBe(429);
    expect(Number(throttled.headers['retry-after'])).toBeGreaterThan(0);
    expect(member(throttled, 'error')).toBe('invalid_request');
    const byBasic = await inner.ask('GET', '/clients/v2', {
      headers: { authorization: basic('admin', ADMIN_PASSWORD) },
    });
    expect(byBasic.status).toBe(429);
    inner.advance(60_000);
    expect((await attempt(ADMIN_PASSWORD)).status).toBe(200);
    expect((await attempt('wrong')).status).toBe(400);
  } finally {
    await inner.close();
  }
});

it('R76 guesses in parallel do not slip by', async () => {
  const inner = await startPlatform();
  try {
    const own = await makeClient(inner);
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => inner.token({ ...passwordForm, password: 'wrong' }, own.header)),
    );
    expect(answers.filter(({ status }) => status === 400).length).toBeLessThanOrEqual(6);
  } finally {
    await inner.close();
  }
});

it('many right passwords at once are all taken', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => byClient(passwordForm)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

it('R146 expired tokens are swept an hour later, refresh tokens never', async () => {
  const { store } = platform;
  const kept = textOf(await byClient(passwordForm), 'refresh_token');
  const clock = { now: () => Date.now() + 100 * 365 * 24 * 3_600_000 };
  expect(await sweepTokens({ store, clock })).toBeGreaterThan(0);
  expect([...store.all('tokens')].every(({ kind }) => kind === 'refresh')).toBe(true);
  expect((await byClient({ grant_type: 'refresh_token', refresh_token: kept })).status).toBe(200);
  expect(await sweepTokens({ store, clock: { now: () => 0 } })).toBe(0);
});

it('R139 no password, secret or token stands in any file, as it is or encoded', async () => {
  const answer = await byClient(passwordForm);
  const words = [ADMIN_PASSWORD, client.secret, textOf(answer, 'access_token'), textOf(answer, 'refresh_token')];
  const files = (folder: string): string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? files(path) : [path];
    });
  const all = files(platform.folder);
  expect(all.length).toBeGreaterThan(0);
  const text = all.map((file) => readFileSync(file, 'latin1')).join('\n') + JSON.stringify(platform.log);
  for (const word of words) {
    for (const form of [word, Buffer.from(word).toString('base64'), Buffer.from(word).toString('hex')]) {
      expect(text).not.toContain(form.replace(/=+$/, ''));
    }
  }
});

it('R159 logins, refusals and throttling are in the log, without values', () => {
  const events = new Set(platform.log.map(({ fields }) => fields['event']));
  for (const event of ['login', 'login-failed', 'client-refused']) expect(events).toContain(event);
});

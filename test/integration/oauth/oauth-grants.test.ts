// The password, client credentials and refresh grants, the throttling of guesses, sweeping, and the absence of secrets
// in files.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepTokens } from '../../../daemon/oauth/service.ts';
import {
  ADMIN_PASSWORD,
  basic,
  makeClient,
  member,
  type Platform,
  startPlatform,
} from '../../support/service/platform.ts';
import { clientForm, passwordForm, refusal, SCOPE, textOf } from '../../support/service/token-calls.ts';

let platform: Platform;
let client: Awaited<ReturnType<typeof makeClient>>;
beforeAll(async () => {
  platform = await startPlatform();
  client = await makeClient(platform);
});
afterAll(() => platform.close());

const byClient = (form: Readonly<Record<string, string>>) => platform.token(form, client.header);

describe('the password grant', () => {
  it('R71 C8 needs exactly the scope PRODUCTION', async () => {
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

  it('R72 gives the same response for an unknown user and a wrong password', async () => {
    const wrong = await byClient({ ...passwordForm, password: 'wrong' });
    const unknown = await byClient({ ...passwordForm, username: 'nobody' });
    expect(refusal(wrong)).toEqual([400, 'invalid_grant']);
    expect(unknown.text).toBe(wrong.text);
    await byClient(passwordForm);
  });

  it('R73 refuses a missing name or password with invalid_request, and the wrong grant type refresh_token gives no token', async () => {
    for (const name of ['username', 'password']) {
      expect(refusal(await byClient({ ...passwordForm, [name]: '' }))).toEqual([400, 'invalid_request']);
    }
    expect(refusal(await byClient({ ...passwordForm, grant_type: 'refresh_token' }))).toEqual([400, 'invalid_request']);
  });

  it('R74 compares passwords exactly, and treats a very long password as a wrong one', async () => {
    for (const password of [` ${ADMIN_PASSWORD}`, ADMIN_PASSWORD.toUpperCase(), 'x'.repeat(2_000)]) {
      expect(refusal(await byClient({ ...passwordForm, password }))).toEqual([400, 'invalid_grant']);
    }
    expect((await byClient(passwordForm)).status).toBe(200);
  });

  it('R123 looks up the user in the tenant of the client', async () => {
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
  it('R77 gives no refresh token, treats the scope as optional, and acts as the owner of the client', async () => {
    const answer = await byClient({ ...clientForm, scope: SCOPE });
    expect(member(answer, 'refresh_token')).toBeUndefined();
    expect(refusal(await byClient({ ...clientForm, scope: 'x' }))).toEqual([400, 'invalid_scope']);
  });

  it('is refused to a client that is not registered for it', async () => {
    const limited = await makeClient(platform, { grants: 'password refresh_token' });
    expect(refusal(await platform.token(clientForm, limited.header))).toEqual([400, 'unauthorized_client']);
    expect((await platform.token(passwordForm, limited.header)).status).toBe(200);
  });
});

describe('the refresh grant', () => {
  const refresh = (value: string, more: Readonly<Record<string, string>> = {}) =>
    byClient({ grant_type: 'refresh_token', refresh_token: value, ...more });

  it('R64 R68 returns a new access token and the same refresh token on every use', async () => {
    const first = await byClient(passwordForm);
    const value = textOf(first, 'refresh_token');
    for (let time = 0; time < 3; time += 1) {
      const answer = await refresh(value);
      expect(answer.status).toBe(200);
      expect(member(answer, 'refresh_token')).toBe(value);
      expect(member(answer, 'access_token')).not.toBe(member(first, 'access_token'));
    }
  });

  it('R66 accepts a refresh token of any age', async () => {
    const value = textOf(await byClient(passwordForm), 'refresh_token');
    platform.advance(10 * 365 * 24 * 3_600_000);
    expect((await refresh(value)).status).toBe(200);
  });

  it('R65 accepts a refresh token only from its own client', async () => {
    const value = textOf(await byClient(passwordForm), 'refresh_token');
    const other = await makeClient(platform);
    const form = { grant_type: 'refresh_token', refresh_token: value };
    expect(refusal(await platform.token(form, other.header))).toEqual([400, 'invalid_grant']);
    expect((await refresh(value)).status).toBe(200);
  });

  it('R67 R69 answers an unknown token with invalid_grant, no token with invalid_request, another scope with invalid_scope', async () => {
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

it('R76 password guesses for one account are throttled with 429, and never lock it permanently', async () => {
  const inner = await startPlatform({ stillClock: true });
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

it('R76 password guesses do not lock out a client that had used the right password before', async () => {
  const inner = await startPlatform({ stillClock: true });
  try {
    const own = await makeClient(inner);
    const attackers = await makeClient(inner);
    const login = (by: typeof own, password: string) => inner.token({ ...passwordForm, password }, by.header);
    expect((await login(own, ADMIN_PASSWORD)).status).toBe(200);
    for (let time = 0; time < 30; time += 1) await login(attackers, 'wrong');
    for (let time = 0; time < 30; time += 1) {
      await inner.ask('GET', '/clients/v2', { headers: { authorization: basic(`nobody${time}`, 'wrong') } });
    }
    expect((await login(attackers, ADMIN_PASSWORD)).status).toBe(429);
    for (let time = 0; time < 3; time += 1) expect((await login(own, ADMIN_PASSWORD)).status).toBe(200);
    // That client cannot bypass the throttle: its own wrong guesses are counted too.
    const statuses: number[] = [];
    for (let time = 0; time < 7; time += 1) statuses.push((await login(own, 'wrong')).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429]);
    expect((await login(attackers, ADMIN_PASSWORD)).status).toBe(429);
  } finally {
    await inner.close();
  }
});

it('R76 simultaneous guesses are throttled too', async () => {
  const inner = await startPlatform({ stillClock: true });
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

it('simultaneous logins with the right password all succeed, as many as one runs and its queue holds', async () => {
  const answers = await Promise.all(Array.from({ length: 17 }, () => byClient(passwordForm)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

it('R146 expired access tokens are swept an hour later, refresh tokens never', async () => {
  const { store } = platform;
  const kept = textOf(await byClient(passwordForm), 'refresh_token');
  const clock = { now: () => Date.now() + 100 * 365 * 24 * 3_600_000 };
  expect(await sweepTokens({ store, clock })).toBeGreaterThan(0);
  expect([...store.all('tokens')].every(({ kind }) => kind === 'refresh')).toBe(true);
  expect((await byClient({ grant_type: 'refresh_token', refresh_token: kept })).status).toBe(200);
  expect(await sweepTokens({ store, clock: { now: () => 0 } })).toBe(0);
});

it('R139 no password, secret or token is in any file or log, in clear or encoded', async () => {
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

it('R159 logins, refusals and throttling are logged without secret values', async () => {
  const inner = await startPlatform();
  try {
    const own = await makeClient(inner);
    await inner.token(clientForm, { authorization: basic(own.id, 'not-the-secret') });
    const wrong = { ...passwordForm, password: 'not-the-password' };
    for (let time = 0; time < 6; time += 1) await inner.token(wrong, own.header);
    const events = new Set(inner.log.map(({ fields }) => fields['event']));
    for (const event of ['login', 'login-failed', 'login-throttled', 'client-refused']) expect(events).toContain(event);
    expect(JSON.stringify(inner.log)).not.toMatch(/not-the-/);
  } finally {
    await inner.close();
  }
});

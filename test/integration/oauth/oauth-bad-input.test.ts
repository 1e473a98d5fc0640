// Bad input to /token, /revoke and /introspect: each parameter missing, repeated, empty, too long or malformed never
// leads to a 5xx or a token.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../daemon/http/request/limits.ts';
import { type Browserless, sentTo } from '../../support/browser/browserless.ts';
import {
  atConsent,
  authorizePath,
  callbackClient,
  codeForm,
  pkce,
  type TestClient,
  VERIFIER,
} from '../../support/service/authorize-calls.ts';
import { member, type Platform, startPlatform } from '../../support/service/platform.ts';
import { clientForm, passwordForm, textOf } from '../../support/service/token-calls.ts';

let platform: Platform;
let client: TestClient;
let other: TestClient;
/** Logged in, so that a code costs no login. */
let browser: Browserless;
beforeAll(async () => {
  platform = await startPlatform();
  client = await callbackClient(platform);
  other = await callbackClient(platform);
  ({ browser } = await atConsent(platform, client, pkce));
});
afterAll(() => platform.close());

type Fields = Readonly<Record<string, string>>;

/** Valid forms. The client credentials are in the body so that these parameters are tested too. */
const forms: readonly (readonly [string, string, () => Promise<Fields>])[] = [
  ['a code', '/token', async () => codeForm(await newCode(), { code_verifier: VERIFIER })],
  ['a password', '/token', async () => passwordForm],
  ['client credentials', '/token', async () => clientForm],
  ['a refresh token', '/token', async () => ({ grant_type: 'refresh_token', refresh_token: await refreshToken() })],
  ['a revocation', '/revoke', async () => ({ token: await refreshToken() })],
  ['an introspection', '/introspect', async () => ({ token: await refreshToken() })],
];

const newCode = async () => {
  const page = await browser.follow(await browser.get(authorizePath(client, pkce)));
  return sentTo(await browser.decide(page, 'approve')).query.get('code') ?? '';
};
const refreshToken = async () => textOf(await platform.token(passwordForm, client.header), 'refresh_token');
const encoded = (fields: Fields) => new URLSearchParams(fields).toString();
const post = (path: string, body: string, headers: Fields = {}) =>
  platform.ask('POST', path, { body, headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } });

/** Ways to make the parameter `name` of a form invalid, each with the allowed statuses. */
const spoilers: readonly (readonly [string, (fields: Fields, name: string) => string, readonly number[]])[] = [
  ['missing', (fields, name) => encoded(without(fields, name)), [400, 401]],
  ['empty', (fields, name) => encoded({ ...fields, [name]: '' }), [400, 401]],
  ['doubled', (fields, name) => `${encoded(fields)}&${name}=${encodeURIComponent(fields[name] ?? '')}`, [400]],
  ['a list', (fields, name) => `${encoded(without(fields, name))}&${name}[]=${fields[name]}`, [400, 401]],
  ['as long as a form', (fields, name) => encoded({ ...fields, [name]: 'x'.repeat(defaultLimits.formBytes) }), [413]],
  ['60 kB long', (fields, name) => encoded({ ...fields, [name]: 'x'.repeat(60_000) }), [400, 401]],
  ['with NUL', (fields, name) => encoded({ ...fields, [name]: `${fields[name]}\u0000` }), [400, 401]],
  ['with CR LF', (fields, name) => encoded({ ...fields, [name]: `${fields[name]}\r\nX: y` }), [400, 401]],
  ['with a space', (fields, name) => encoded({ ...fields, [name]: ` ${fields[name]}` }), [400, 401]],
  ['with a broken escape', (fields, name) => `${encoded(without(fields, name))}&${name}=%zz`, [400]],
  ['not UTF-8', (fields, name) => `${encoded(without(fields, name))}&${name}=%ff%fe`, [400]],
];

const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));

/** With these changes the token is only unknown. /revoke and /introspect return 200 for an unknown token. */
const onlyAltered = new Set(['60 kB long', 'with NUL', 'with CR LF', 'with a space']);
const isHarmless = (path: string, name: string, how: string): boolean =>
  path !== '/token' && name === 'token' && onlyAltered.has(how);

describe.each(forms)('%s (%s)', (_, path, make) => {
  let names: readonly string[] = [];

  beforeAll(async () => {
    names = [...Object.keys(await make()), 'client_id', 'client_secret'];
  });

  it('is accepted when it is valid', async () => {
    const form = { ...(await make()), client_id: client.id, client_secret: client.secret };
    expect((await post(path, encoded(form))).status).toBe(200);
  });

  it.each(spoilers)('with a parameter that is %s is refused, for each parameter', async (how, spoil, statuses) => {
    for (const name of names) {
      const form = { ...(await make()), client_id: client.id, client_secret: client.secret };
      const answer = await post(path, spoil(form, name));
      const allowed = isHarmless(path, name, how) ? [200] : statuses;
      expect([name, allowed.includes(answer.status), answer.status]).toEqual([name, true, answer.status]);
      expect(member(answer, 'access_token')).toBeUndefined();
      expect(answer.headers['cache-control']).toBe('no-store');
      if (answer.status !== 200) expect(member(answer, 'error')).toEqual(expect.any(String));
    }
  });

  it('R31 R32 by another method, in the query, or with another content type is refused', async () => {
    const form = { ...(await make()), client_id: client.id, client_secret: client.secret };
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await platform.ask(method, `${path}?${encoded(form)}`);
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST, OPTIONS']);
    }
    expect((await platform.ask('POST', `${path}?${encoded(form)}`)).status).toBe(400);
    expect((await platform.ask('POST', `${path}?${encoded(form)}`, { form: { a: 'b' } })).status).toBe(401);
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'x', '']) {
      const body = type === 'application/json' ? JSON.stringify(form) : encoded(form);
      const answer = await platform.ask('POST', path, { body, headers: { 'content-type': type } });
      expect([type, answer.status, member(answer, 'error')]).toEqual([type, 400, 'invalid_request']);
    }
  });

  it('R105 for another host name is refused with 421', async () => {
    const form = { ...(await make()), client_id: client.id, client_secret: client.secret };
    expect((await post(path, encoded(form), { host: 'evil.example' })).status).toBe(421);
    expect((await post(path, encoded(form), { host: `evil.example:${platform.port}` })).status).toBe(421);
  });
});

it('R65 a refresh token is refused to another client', async () => {
  const form = { grant_type: 'refresh_token', refresh_token: await refreshToken() };
  const answer = await platform.token(form, other.header);
  expect([answer.status, member(answer, 'error')]).toEqual([400, 'invalid_grant']);
});

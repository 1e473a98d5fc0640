// PKCE, and the public clients that depend on it.
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
import { type Platform, startPlatform } from '../../support/service/platform.ts';
import { passwordForm, refusal, textOf } from '../../support/service/token-calls.ts';

let platform: Platform;
let client: TestClient;
beforeAll(async () => {
  platform = await startPlatform();
  client = await callbackClient(platform);
});
afterAll(() => platform.close());

const redeem = (code: string, changes: Readonly<Record<string, string>> = {}) =>
  platform.token(codeForm(code, changes), client.header);
const me = (token: string) => platform.ask('GET', '/profiles/v2/me', { headers: { authorization: `Bearer ${token}` } });
const INVALID = [400, 'invalid_grant'];

describe('PKCE', () => {
  it('R60 gives tokens for the verifier that matches the challenge', async () => {
    const code = await codeFor(platform, client, pkce);
    expect((await redeem(code, { code_verifier: VERIFIER })).status).toBe(200);
  });

  it.each([
    ['another', 'w'.repeat(43)],
    ['none', ''],
    ['the challenge itself', String(pkce['code_challenge'])],
    ['a short', 'v'.repeat(42)],
    ['a long', 'v'.repeat(129)],
  ])('R60 R63 refuses %s verifier, and the code is used up', async (_, verifier) => {
    const code = await codeFor(platform, client, pkce);
    expect(refusal(await redeem(code, { code_verifier: verifier }))).toEqual(INVALID);
    expect(refusal(await redeem(code, { code_verifier: VERIFIER }))).toEqual(INVALID);
  });

  it('R61 refuses a verifier if the request had no challenge', async () => {
    expect(refusal(await redeem(await codeFor(platform, client), { code_verifier: VERIFIER }))).toEqual(INVALID);
  });

  it('C18 is required from a public client, which needs no secret', async () => {
    const app = await publicClient(platform);
    const code = await codeFor(platform, app, pkce);
    const answer = await platform.token(codeForm(code, { client_id: app.id, code_verifier: VERIFIER }));
    expect(answer.status).toBe(200);
    const stolen = await codeFor(platform, app, pkce);
    expect(refusal(await platform.token(codeForm(stolen, { client_id: app.id })))).toEqual(INVALID);
  });

  it('C18 does not make a public client a client with an empty secret, and allows it no other grant', async () => {
    const app = await publicClient(platform);
    const byNobody = { grant_type: 'client_credentials', client_id: app.id };
    expect(refusal(await platform.token(byNobody))).toEqual([400, 'unauthorized_client']);
    expect(refusal(await platform.token({ ...passwordForm, client_id: app.id }))).toEqual([400, 'unauthorized_client']);
    expect(refusal(await platform.token({ ...byNobody, client_secret: 'x' }))).toEqual([401, 'invalid_client']);
    const header = { authorization: `Basic ${Buffer.from(`${app.id}:`).toString('base64')}` };
    expect(refusal(await platform.token(byNobody, header))).toEqual([401, 'invalid_client']);
  });
});

describe('R68 the refresh token of a public client', () => {
  const firstTokens = async (app: TestClient) => {
    const code = await codeFor(platform, app, pkce);
    return platform.token(codeForm(code, { client_id: app.id, code_verifier: VERIFIER }));
  };
  const refresh = (app: TestClient, value: string) =>
    platform.token({ grant_type: 'refresh_token', refresh_token: value, client_id: app.id });

  it('works once, and the response holds its successor', async () => {
    const app = await publicClient(platform);
    const first = textOf(await firstTokens(app), 'refresh_token');
    const second = textOf(await refresh(app, first), 'refresh_token');
    expect(second).not.toBe(first);
    expect((await refresh(app, second)).status).toBe(200);
  });

  it('revokes its whole grant on a second use', async () => {
    const app = await publicClient(platform);
    const first = textOf(await firstTokens(app), 'refresh_token');
    const next = await refresh(app, first);
    expect(refusal(await refresh(app, first))).toEqual(INVALID);
    expect(refusal(await refresh(app, textOf(next, 'refresh_token')))).toEqual(INVALID);
    expect((await me(textOf(next, 'access_token'))).status).toBe(401);
  });

  it('works for exactly one of several simultaneous uses', async () => {
    const app = await publicClient(platform);
    const first = textOf(await firstTokens(app), 'refresh_token');
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(app, first)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

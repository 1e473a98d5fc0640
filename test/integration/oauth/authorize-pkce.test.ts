// PKCE, and clients without a secret, which live by it.
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
  it('R60 the verifier of the challenge gives tokens', async () => {
    const code = await codeFor(platform, client, pkce);
    expect((await redeem(code, { code_verifier: VERIFIER })).status).toBe(200);
  });

  it.each([
    ['another', 'w'.repeat(43)],
    ['none', ''],
    ['the challenge itself', String(pkce['code_challenge'])],
    ['a short', 'v'.repeat(42)],
    ['a long', 'v'.repeat(129)],
  ])('R60 R63 %s verifier is refused, and uses the code up', async (_, verifier) => {
    const code = await codeFor(platform, client, pkce);
    expect(refusal(await redeem(code, { code_verifier: verifier }))).toEqual(INVALID);
    expect(refusal(await redeem(code, { code_verifier: VERIFIER }))).toEqual(INVALID);
  });

  it('R61 a verifier without a challenge is refused', async () => {
    expect(refusal(await redeem(await codeFor(platform, client), { code_verifier: VERIFIER }))).toEqual(INVALID);
  });

  it('C18 a public client needs it, and no secret', async () => {
    const app = await publicClient(platform);
    const code = await codeFor(platform, app, pkce);
    const answer = await platform.token(codeForm(code, { client_id: app.id, code_verifier: VERIFIER }));
    expect(answer.status).toBe(200);
    const stolen = await codeFor(platform, app, pkce);
    expect(refusal(await platform.token(codeForm(stolen, { client_id: app.id })))).toEqual(INVALID);
  });

  it('C18 a public client is not one with an empty secret, and gets tokens by no other grant', async () => {
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

  it('serves once and is answered by the next', async () => {
    const app = await publicClient(platform);
    const first = textOf(await firstTokens(app), 'refresh_token');
    const second = textOf(await refresh(app, first), 'refresh_token');
    expect(second).not.toBe(first);
    expect((await refresh(app, second)).status).toBe(200);
  });

  it('ends its whole grant with a second use', async () => {
    const app = await publicClient(platform);
    const first = textOf(await firstTokens(app), 'refresh_token');
    const next = await refresh(app, first);
    expect(refusal(await refresh(app, first))).toEqual(INVALID);
    expect(refusal(await refresh(app, textOf(next, 'refresh_token')))).toEqual(INVALID);
    expect((await me(textOf(next, 'access_token'))).status).toBe(401);
  });

  it('has one winner among uses at once', async () => {
    const app = await publicClient(platform);
    const first = textOf(await firstTokens(app), 'refresh_token');
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(app, first)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

// Redemption of authorization codes: valid use, repeated use, expiry, wrong parameters and wrong clients.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepCodes } from '../../../daemon/oauth/service.ts';
import { CALLBACK, callbackClient, codeFor, codeForm, type TestClient } from '../../support/service/authorize-calls.ts';
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

describe('an authorization code', () => {
  it('R51 R52 can be redeemed once, and a second use revokes the tokens of the first', async () => {
    const code = await codeFor(platform, client);
    const first = await redeem(code);
    expect((await me(textOf(first, 'access_token'))).status).toBe(200);
    expect(refusal(await redeem(code))).toEqual(INVALID);
    expect((await me(textOf(first, 'access_token'))).status).toBe(401);
    const form = { grant_type: 'refresh_token', refresh_token: textOf(first, 'refresh_token') };
    expect(refusal(await platform.token(form, client.header))).toEqual(INVALID);
    expect(platform.log.some(({ fields }) => fields['event'] === 'code-replayed')).toBe(true);
  });

  it('R52 revokes its tokens on a second use, even long after it expired', async () => {
    const code = await codeFor(platform, client);
    const first = await redeem(code);
    platform.advance(3_600_000);
    await sweepCodes({ store: platform.store, clock: { now: () => Date.now() + 3_600_000 } });
    expect(refusal(await redeem(code))).toEqual(INVALID);
    expect((await me(textOf(first, 'access_token'))).status).toBe(401);
  });

  it('R53 is redeemed by one of many simultaneous attempts, and the tokens of that attempt are revoked too', async () => {
    const code = await codeFor(platform, client);
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(code)));
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    for (const answer of good) expect((await me(textOf(answer, 'access_token'))).status).toBe(401);
  });

  it('R53 R145 is stored as used before the response with the tokens is sent', async () => {
    const code = await codeFor(platform, client);
    await redeem(code);
    expect(platform.store.get('codes', platform.vault.digest(code))?.usedAt).toBeGreaterThan(0);
  });

  it('R54 is refused to another client, and stays valid for its own client', async () => {
    const code = await codeFor(platform, client);
    const other = await callbackClient(platform);
    expect(refusal(await platform.token(codeForm(code), other.header))).toEqual(INVALID);
    expect((await redeem(code)).status).toBe(200);
    expect(refusal(await platform.token(codeForm(code), other.header))).toEqual(INVALID);
    expect(refusal(await redeem(code))).toEqual(INVALID);
  });

  it.each([`${CALLBACK}/`, CALLBACK.toUpperCase(), `${CALLBACK}?`, 'https://app.example/callbacK', ' '])(
    'R54 R57 R59 with the redirect URI %j is refused, and is used up',
    async (redirect_uri) => {
      const code = await codeFor(platform, client);
      expect(refusal(await redeem(code, { redirect_uri }))).toEqual(INVALID);
      expect(refusal(await redeem(code))).toEqual(INVALID);
    },
  );

  it('R54 without a redirect URI is refused with invalid_request', async () => {
    const code = await codeFor(platform, client);
    expect(refusal(await redeem(code, { redirect_uri: '' }))).toEqual([400, 'invalid_request']);
    expect(refusal(await redeem(''))).toEqual([400, 'invalid_request']);
    expect((await redeem(code)).status).toBe(200);
  });

  it('R55 is valid for 60 seconds', async () => {
    const soon = await codeFor(platform, client);
    platform.advance(58_000);
    expect((await redeem(soon)).status).toBe(200);
    const late = await codeFor(platform, client);
    platform.advance(61_000);
    expect(refusal(await redeem(late))).toEqual(INVALID);
  });

  it('R56 R139 has 256 random bits, is URL-safe, and is neither stored nor logged in clear', async () => {
    const code = await codeFor(platform, client);
    expect(code).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify([...platform.store.all('codes')])).not.toContain(code);
    expect(JSON.stringify(platform.log)).not.toContain(code);
  });

  it('R57 R58 is not matched by similar values or by other kinds of secrets', async () => {
    const code = await codeFor(platform, client);
    const tokens = await platform.token(passwordForm, client.header);
    for (const near of [
      ` ${code}`,
      `${code} `,
      `${code}=`,
      code.slice(0, -1),
      code.toLowerCase() === code ? code.toUpperCase() : code.toLowerCase(),
      `${code}\u0000`,
      textOf(tokens, 'access_token'),
      textOf(tokens, 'refresh_token'),
      client.secret,
      '__proto__',
    ]) {
      expect(refusal(await redeem(near))).toEqual(INVALID);
    }
    expect((await me(code)).status).toBe(401);
    const refresh = { grant_type: 'refresh_token', refresh_token: code };
    expect(refusal(await platform.token(refresh, client.header))).toEqual(INVALID);
    expect((await redeem(code)).status).toBe(200);
  });

  it('R59 stays valid after a failed client authentication', async () => {
    const code = await codeFor(platform, client);
    const form = codeForm(code, { client_id: client.id, client_secret: 'wrong' });
    expect(refusal(await platform.token(form))).toEqual([401, 'invalid_client']);
    expect(refusal(await platform.token(codeForm(code, { client_id: client.id })))).toEqual([401, 'invalid_client']);
    expect((await redeem(code)).status).toBe(200);
  });

  it('ends with the password of its user', async () => {
    const code = await codeFor(platform, client);
    const [admin] = [...platform.store.all('users')];
    await platform.store.transact((tx) => tx.delete('users', `DEV\u001f${admin?.username}`));
    expect(refusal(await redeem(code))).toEqual(INVALID);
    await platform.store.transact((tx) => admin && tx.put('users', admin));
  });

  it('R146 is swept an hour after its expiry if unused, and after 30 days if used', async () => {
    const { store } = platform;
    await codeFor(platform, client);
    const used = await codeFor(platform, client);
    await redeem(used);
    const at = (days: number) => ({ store, clock: { now: () => Date.now() + days * 24 * 3_600_000 } });
    await sweepCodes(at(2));
    expect([...store.all('codes')].every(({ usedAt }) => usedAt !== undefined)).toBe(true);
    expect(store.get('codes', platform.vault.digest(used))).toBeDefined();
    await sweepCodes(at(40));
    expect(store.count('codes')).toBe(0);
  });

  it('is refused to a client that has lost the authorization code grant', async () => {
    const limited = await callbackClient(platform);
    const code = await codeFor(platform, limited);
    await platform.store.transact((tx) => {
      const record = tx.get('clients', limited.id);
      if (record) tx.put('clients', { ...record, grants: ['password'] });
    });
    expect(refusal(await platform.token(codeForm(code), limited.header))).toEqual([400, 'unauthorized_client']);
  });
});

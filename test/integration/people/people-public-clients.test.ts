// OAuth clients without a secret.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeFor, codeForm, pkce, publicClient, VERIFIER } from '../../support/service/authorize-calls.ts';
import { makePerson, ok, type TestPerson } from '../../support/service/people.ts';
import {
  ADMIN_PASSWORD,
  adminToken,
  basic,
  member,
  type Platform,
  startPlatform,
} from '../../support/service/platform.ts';
import { clientForm, textOf } from '../../support/service/token-calls.ts';

let platform: Platform;
let ana: TestPerson;
beforeAll(async () => {
  platform = await startPlatform();
  ana = await makePerson(platform, await adminToken(platform), { username: 'ana' });
});
afterAll(() => platform.close());

const ask = (method: string, path: string, json: unknown) => platform.ask(method, path, { json, headers: ana.basic });

const works = async (client: { readonly authorization: string }) =>
  (await platform.token(clientForm, client)).status === 200;

describe('a public client', () => {
  it('has no secret, and only the grants that need none', async () => {
    const made = ok(
      await ask('POST', '/clients/v2', { clientName: 'spa', public: true, callbackUrl: 'https://a.example/' }),
    );
    expect(made.result).toMatchObject({ public: true, grants: ['authorization_code', 'implicit', 'refresh_token'] });
    expect(made.text).not.toContain('consumerSecret');
    for (const [id, secret] of [
      [made.result['consumerKey'], ''],
      [made.result['consumerKey'], 'x'],
    ]) {
      expect(await works({ authorization: basic(String(id), String(secret)) })).toBe(false);
    }
    const rotation = await ask('POST', '/clients/v2/spa/secret', {});
    expect([rotation.status, member(rotation, 'message')]).toEqual([400, expect.stringContaining('no secret')]);
    expect((await ask('PUT', '/clients/v2/spa', { public: false })).status).toBe(400);
    expect((await ask('PUT', '/clients/v2/spa', { grants: 'password' })).status).toBe(400);
    expect(ok(await ask('PUT', '/clients/v2/spa', { grants: 'implicit' })).result['grants']).toEqual(['implicit']);
  });

  it('is shown with the number of its valid tokens: spent and expired ones do not count', async () => {
    const client = await publicClient(platform);
    const path = `/clients/v2/${platform.store.get('clients', client.id)?.name}`;
    const admin = { authorization: basic('admin', ADMIN_PASSWORD) };
    const tokens = async () => (await platform.ask('GET', path, { headers: admin })).result['tokens'];
    const proof = { client_id: client.id, code_verifier: VERIFIER };
    const first = await platform.token(codeForm(await codeFor(platform, client, pkce), proof));
    const form = { grant_type: 'refresh_token', refresh_token: textOf(first, 'refresh_token'), client_id: client.id };
    expect((await platform.token(form)).status).toBe(200);
    expect(await tokens()).toEqual({ access: 2, refresh: 1 });
    platform.advance(14_400_000);
    expect(await tokens()).toEqual({ access: 0, refresh: 1 });
    expect(ok(await platform.ask('DELETE', path, { headers: admin })).result['revoked']).toBe(1);
  });

  it.each(['password', 'client_credentials', 'implicit,password'])(
    'is not registered with the grants %s',
    async (grants) => {
      const answer = await ask('POST', '/clients/v2', { clientName: 'never', public: true, grants });
      expect([answer.status, member(answer, 'message')]).toEqual([400, expect.stringContaining('needs a secret')]);
    },
  );
});

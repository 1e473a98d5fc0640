// Logging in to the dashboard: one-time links, and the code flow of its client without consent.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureDashboardClient } from '../../../daemon/clients/dashboard-client.ts';
import { browserless, formsOf, locationOf } from '../../support/browser/browserless.ts';
import { type ActorService, passwordOf, startActorService } from '../../support/service/actor-service.ts';
import type { Answer } from '../../support/service/call.ts';

const verifier = 'v'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');

let service: ActorService;
let client: string;
beforeAll(async () => {
  service = await startActorService();
  client = (await ensureDashboardClient(service.dependencies, undefined)) ?? '';
});
afterAll(() => service.close());

const authorize = (change: Record<string, string> = {}): string =>
  `/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: `${service.baseUrl}/`,
    state: 'state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...change,
  }).toString()}`;

const token = (form: Record<string, string>): Promise<Answer> =>
  service.ask(undefined, 'POST', '/token', { form: { client_id: client, ...form } });

const redeemed = (code: string): Promise<Answer> =>
  token({
    grant_type: 'authorization_code',
    redirect_uri: `${service.baseUrl}/`,
    code,
    code_verifier: verifier,
  });

describe('C29 a one-time link', () => {
  it('logs a browser in once, and leads to the dashboard of the tenant', async () => {
    const link = service.loginLink('ana');
    const browser = browserless(service.baseUrl);
    expect(locationOf(await browser.get(link)).search).toBe('?tenant=DEV');
    expect(browser.cookie).toMatch(/^actorctl_session=/);
    const again = await browserless(service.baseUrl).get(link);
    expect([again.status, again.headers['set-cookie']]).toEqual([400, undefined]);
    expect(again.text).toContain('actorctl open');
  });

  it('expires after 60 seconds', async () => {
    const link = service.loginLink('ana');
    service.advance(60_000);
    expect((await browserless(service.baseUrl).get(link)).status).toBe(400);
  });

  it('is not used up by HEAD or by a prefetch', async () => {
    const link = service.loginLink('ana');
    expect((await service.ask(undefined, 'HEAD', link)).status).toBe(400);
    const prefetch = { headers: { 'sec-purpose': 'prefetch' } };
    expect((await service.ask(undefined, 'GET', link, prefetch)).status).toBe(400);
    expect((await browserless(service.baseUrl).get(link)).status).toBe(303);
  });

  it.each(['/authorize/link', '/authorize/link?code=', '/authorize/link?code=a&code=b'])(
    'without a valid code is refused: %s',
    async (path) => {
      expect((await service.ask(undefined, 'GET', path)).status).toBe(400);
    },
  );
});

describe('C28 the client of the dashboard', () => {
  it('gets a code without consent for a browser with a session, and a refresh token that serves once', async () => {
    const browser = browserless(service.baseUrl);
    await browser.get(service.loginLink('ana'));
    const location = locationOf(await browser.get(authorize()));
    expect(location.href).toMatch(new RegExp(`^${service.baseUrl}/\\?code=`));
    const answer = await redeemed(location.searchParams.get('code') ?? '');
    const { refresh_token } = answer.json as { refresh_token: string };
    expect(answer.status).toBe(200);
    const refresh = { grant_type: 'refresh_token', refresh_token };
    expect((await token(refresh)).status).toBe(200);
    expect((await token(refresh)).status).toBe(400);
  });

  it('shows the login page to a browser without a session, and no consent after it', async () => {
    const browser = browserless(service.baseUrl);
    expect(formsOf(await browser.get(authorize())).map(({ action }) => action)).toEqual(['/authorize/login']);
    const answer = await browser.login(authorize(), 'ana', passwordOf('ana'));
    expect(locationOf(answer).searchParams.has('code')).toBe(true);
  });

  it('needs a challenge, has one redirect URI, and no other flow', async () => {
    const browser = browserless(service.baseUrl);
    await browser.get(service.loginLink('ana'));
    const page = await browser.get(authorize({ redirect_uri: 'http://127.0.0.1:1/' }));
    expect(page.status).toBe(400);
    const { origin, searchParams } = locationOf(
      await browser.get(authorize({ response_type: 'token', scope: 'PRODUCTION' })),
    );
    expect([origin, searchParams.get('error')]).toEqual([service.baseUrl, 'unauthorized_client']);
    const bare = locationOf(await browser.get(authorize({ code_challenge: '', code_challenge_method: '' })));
    expect(bare.searchParams.get('error')).toBe('invalid_request');
  });

  it('belongs to nobody, so that no user can change it', async () => {
    const { json } = await service.ask('admin', 'GET', '/clients/v2');
    expect(JSON.stringify(json)).not.toContain('dashboard');
    expect((await service.ask('admin', 'DELETE', '/clients/v2/actorctl%20dashboard')).status).toBe(404);
  });

  it('serves no user of another tenant', async () => {
    const browser = browserless(service.baseUrl);
    await browser.get(service.loginLink('otherAna'));
    expect(formsOf(await browser.get(authorize())).map(({ action }) => action)).toContain('/authorize/login');
  });
});

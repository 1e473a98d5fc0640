// The logins of a user: their list, and the end of single ones.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locationOf, sentTo } from '../../support/browser/browserless.ts';
import { authorize, CALLBACK, loginCalls, loginsIn, VERIFIER } from '../../support/browser/login-calls.ts';
import { type ActorService, passwordOf, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
let calls: Awaited<ReturnType<typeof loginCalls>>;
beforeAll(async () => {
  service = await startActorService();
  calls = await loginCalls(service);
});
afterAll(() => service.close());

describe('the list of logins', () => {
  it('has one entry for a grant, with its client, its flow and its times', async () => {
    const { loginOf, password } = calls;
    const { access } = await password('bob');
    const first = await loginOf(access);
    expect(first).toMatchObject({ kind: 'grant', flow: 'password', scope: 'PRODUCTION', current: true });
    expect([first.expireTime, first.lastRenewTime, first.browser]).toEqual([undefined, undefined, undefined]);
    const client = service.store.get('clients', first.clientId ?? '');
    expect(first.clientName).toBe(client?.name);
  });

  it('shows the renewal of a public client, and keeps the begin of the grant', async () => {
    const { dashboard, tokens, loginOf, openPage, browserOf } = calls;
    const page = await openPage(await browserOf());
    const before = await loginOf(page.access);
    service.advance(60_000);
    const next = await tokens({ grant_type: 'refresh_token', client_id: dashboard, refresh_token: page.refresh });
    const after = await loginOf(next.access);
    expect([after.id, after.createTime]).toEqual([before.id, before.createTime]);
    expect(Date.parse(after.lastRenewTime ?? '') - Date.parse(after.createTime)).toBeGreaterThanOrEqual(60_000);
  });

  it('shows the browser of a page, with the end of its session, and marks both as the asking login', async () => {
    const { listedTo, loginOf, openPage, browserOf } = calls;
    const browser = await browserOf();
    const page = await openPage(browser);
    const all = await listedTo(page.access);
    const current = all.filter((login) => login.current);
    expect(current.map(({ kind }) => kind).toSorted()).toEqual(['browser', 'grant']);
    const own = current.find(({ kind }) => kind === 'browser');
    expect((await loginOf(page.access)).browser).toBe(own?.id);
    expect(Date.parse(own?.expireTime ?? '') - Date.parse(own?.lastUseTime ?? '')).toBe(60 * 60_000);
  });

  it('shows the end of an access token without renewal, and leaves out expired logins', async () => {
    const { clientOf, tokens, loginOf } = calls;
    const client = await clientOf('ana');
    const { access } = await tokens({ grant_type: 'client_credentials', ...client });
    const login = await loginOf(access);
    expect(login.flow).toBe('client_credentials');
    expect(Date.parse(login.expireTime ?? '') - Date.parse(login.createTime)).toBe(14_400_000);
    service.advance(14_400_000);
    const ids = loginsIn(await service.ask('ana', 'GET', '/logins'));
    expect(ids.map(({ id }) => id)).not.toContain(login.id);
  });

  it('contains no token, no cookie and no digest of them', async () => {
    const { ask, openPage, browserOf } = calls;
    const browser = await browserOf();
    const page = await openPage(browser);
    const { text } = await ask(page.access, 'GET', '/logins?limit=1000');
    const { digest } = service.dependencies.vault;
    const cookie = browser.cookie.slice(browser.cookie.indexOf('=') + 1);
    const session = service.store.get('sessions', digest(cookie));
    for (const secret of [page.access, page.refresh, cookie]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(digest(secret).slice(0, 16));
    }
    expect(session?.browser).toHaveLength(64);
    expect(text).not.toContain(session?.browser.slice(0, 16));
  });

  it('is bounded, newest first, and refuses a limit beyond 1000', async () => {
    const { ask, listedTo, password } = calls;
    const { access } = await password('ana');
    const all = await listedTo(access, '/logins?limit=2');
    expect(all).toHaveLength(2);
    const times = (await listedTo(access)).map(({ createTime }) => createTime);
    expect(times).toEqual(times.toSorted().toReversed());
    expect((await ask(access, 'GET', '/logins?limit=1001')).status).toBe(400);
  });
});

describe('the end of a login', () => {
  it('R84 R88 ends all tokens of the grant at once, and no other login', async () => {
    const { clientOf, tokens, works, loginOf, end } = calls;
    const client = await clientOf('ana');
    const form = { grant_type: 'password', username: 'ana', password: passwordOf('ana'), scope: 'PRODUCTION' };
    const lost = await tokens({ ...form, ...client });
    const renew = { grant_type: 'refresh_token', refresh_token: lost.refresh, ...client };
    const second = await tokens(renew);
    const other = await tokens({ ...form, ...client });
    const answer = await end(other.access, await loginOf(lost.access));
    expect([answer.status, answer.result['revoked'], answer.result['browser']]).toEqual([200, 3, false]);
    expect([await works(lost.access), await works(second.access), await works(other.access)]).toEqual([
      false,
      false,
      true,
    ]);
    expect((await tokens(renew)).status).toBe(400);
  });

  it('is not found for the login of another user, which stays', async () => {
    const { works, loginOf, end, password, openPage, browserOf, asksToLogIn } = calls;
    const bob = await password('bob');
    const ana = await password('ana');
    const answer = await end(ana.access, await loginOf(bob.access));
    const unknown = await end(ana.access, { id: 'unknown' });
    expect([answer.status, unknown.status]).toEqual([404, 404]);
    expect(await works(bob.access)).toBe(true);
    const browser = await browserOf('bob');
    const page = await openPage(browser);
    expect((await end(ana.access, { id: (await loginOf(page.access)).browser ?? '' })).status).toBe(404);
    expect(await asksToLogIn(browser)).toBe(false);
  });

  it('succeeds once if it is asked for several times at once', async () => {
    const { loginOf, end, password } = calls;
    const lost = await loginOf((await password('ana')).access);
    const { access } = await password('ana');
    const answers = await Promise.all([1, 2, 3].map(() => end(access, lost)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
  });

  it('R95 of a browser logs it out with its dashboard pages, and leaves other browsers logged in', async () => {
    const { dashboard, tokens, works, loginOf, end, openPage, browserOf, asksToLogIn } = calls;
    const [lost, other] = [await browserOf(), await browserOf()];
    const pages = [await openPage(lost), await openPage(lost)];
    const kept = await openPage(other);
    const { browser = '' } = await loginOf(pages[0]?.access ?? '');
    const answer = await end(kept.access, { id: browser });
    expect([answer.status, answer.result['browser'], answer.result['revoked']]).toEqual([200, true, 4]);
    for (const { access, refresh } of pages) {
      expect(await works(access)).toBe(false);
      const form = { grant_type: 'refresh_token', client_id: dashboard, refresh_token: refresh };
      expect((await tokens(form)).status).toBe(400);
    }
    expect([await asksToLogIn(lost), await asksToLogIn(other), await works(kept.access)]).toEqual([true, false, true]);
  });

  it('R95 of a dashboard page logs its browser out, which would log the page in again', async () => {
    const { works, loginOf, end, openPage, browserOf, asksToLogIn } = calls;
    const browser = await browserOf();
    const page = await openPage(browser);
    expect((await end(page.access, await loginOf(page.access))).status).toBe(200);
    expect([await works(page.access), await asksToLogIn(browser)]).toEqual([false, true]);
  });

  it('of a browser also ends a code that nobody has redeemed yet', async () => {
    const { dashboard, tokens, loginOf, end, dashboardPath, openPage, browserOf } = calls;
    const browser = await browserOf();
    const { access } = await openPage(browser);
    const code = locationOf(await browser.get(dashboardPath())).searchParams.get('code') ?? '';
    await end(access, await loginOf(access));
    const form = { grant_type: 'authorization_code', client_id: dashboard, redirect_uri: `${service.baseUrl}/` };
    expect((await tokens({ ...form, code, code_verifier: VERIFIER })).status).toBe(400);
  });

  it('of a browser leaves other clients that were approved in it', async () => {
    const { clientOf, tokens, works, loginOf, end, browserOf } = calls;
    const browser = await browserOf();
    const client = await clientOf('ana');
    const consent = await browser.get(authorize({ client_id: client.client_id, redirect_uri: CALLBACK }));
    const code = sentTo(await browser.decide(consent, 'approve')).query.get('code') ?? '';
    const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code, code_verifier: VERIFIER };
    const app = await tokens({ ...form, ...client });
    const login = await loginOf(app.access);
    expect((await end(app.access, { id: login.browser ?? '' })).status).toBe(200);
    expect([await works(app.access), (await loginOf(app.access)).browser]).toEqual([true, undefined]);
  });

  it('of the implicit flow makes the client ask again', async () => {
    const { clientOf, loginOf, end, browserOf } = calls;
    const browser = await browserOf();
    const { client_id } = await clientOf('ana');
    const path = `/authorize?${new URLSearchParams({
      ...{ response_type: 'token', scope: 'PRODUCTION', client_id, redirect_uri: CALLBACK },
    }).toString()}`;
    const token = sentTo(await browser.decide(await browser.get(path), 'approve')).fragment.get('access_token') ?? '';
    expect((await browser.get(path)).status).toBe(303);
    await end(token, await loginOf(token));
    expect((await browser.get(path)).status).toBe(200);
  });

  it('is refused to the anonymous, and to a token that has ended', async () => {
    const { ask, loginOf, end, password } = calls;
    expect((await service.ask(undefined, 'GET', '/logins')).status).toBe(401);
    const { access } = await password('ana');
    await end(access, await loginOf(access));
    expect((await ask(access, 'GET', '/logins')).status).toBe(401);
  });
});

describe('an admin', () => {
  it('lists and ends the logins of a user of the tenant', async () => {
    const { works, loginOf, password } = calls;
    const { access } = await password('bob');
    const { id } = await loginOf(access);
    const listed = await service.ask('admin', 'GET', '/users/v2/bob/logins?limit=1000');
    const found = loginsIn(listed).find((login) => login.id === id);
    expect([found?.flow, found?.current]).toEqual(['password', false]);
    expect((await service.ask('admin', 'DELETE', `/users/v2/bob/logins/${id}`)).status).toBe(200);
    expect(await works(access)).toBe(false);
  });

  it('of another tenant, and a user without the role, end nothing', async () => {
    const { works, loginOf, password } = calls;
    const { access } = await password('bob');
    const { id } = await loginOf(access);
    const path = `/users/v2/bob/logins/${id}`;
    const answers = [
      await service.ask('ana', 'DELETE', path),
      await service.ask('otherAdmin', 'DELETE', path),
      await service.ask('otherAdmin', 'DELETE', `${path}?tenant=DEV`),
      await service.ask('admin', 'DELETE', `/users/v2/ana/logins/${id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 404, 403, 404]);
    expect(await works(access)).toBe(true);
  });
});

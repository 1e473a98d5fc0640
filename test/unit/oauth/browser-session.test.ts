// Browser sessions and pending authorizations: what they store, and the limits of that.
import type { IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../../daemon/domain/failure.ts';
import type { AuthorizationRequest } from '../../../daemon/domain/oauth/authorization-request.ts';
import { revokeUser } from '../../../daemon/domain/oauth/revocation.ts';
import type { UserRecord } from '../../../daemon/domain/records/account-records.ts';
import { joinKey } from '../../../daemon/domain/records/record-key.ts';
import { createPendingAuthorizations } from '../../../daemon/oauth/pending-authorization.ts';
import { createSessions, type Sessions } from '../../../daemon/oauth/session.ts';
import { createIds } from '../../../daemon/vault/ids.ts';
import { createVault } from '../../../daemon/vault/vault.ts';
import { type MemoryStore, memoryStore } from '../../support/store/memory-store.ts';

describe('browser sessions', () => {
  let store: MemoryStore;
  let sessions: Sessions;
  const ana: UserRecord = {
    tenant: 'DEV',
    username: 'ana',
    passwordHash: 'hash',
    roles: ['user'],
    uid: 1,
    profile: { email: '', firstName: '', lastName: '', phone: '', mobilePhone: '' },
    createdAt: 0,
  };
  let now = 0;
  const make = (baseUrl: string) =>
    createSessions({
      store,
      vault: createVault(),
      ids: createIds(),
      clock: { now: () => now },
      baseUrl: () => baseUrl,
    });
  const begin = async (user: UserRecord, at = sessions) => {
    const begun = await at.begin(user);
    if (begun === undefined) throw new Error('no session began');
    return begun;
  };
  const withCookie = (cookie: string) => ({ headers: { cookie } }) as IncomingMessage;
  const sent = (cookie: string) => withCookie(cookie.split(';')[0] ?? '');

  beforeEach(async () => {
    now = 0;
    store = memoryStore();
    sessions = make('http://127.0.0.1:8722');
    await store.transact((tx) => tx.put('users', ana));
  });

  it('R243 and visits survive a flood of visits', async () => {
    const { cookie, session } = await begin(ana);
    const visit = sessions.visit();
    for (let more = 0; more < 6_000; more += 1) sessions.visit();
    expect(await sessions.find(sent(cookie))).toEqual(session);
    expect(await sessions.find(sent(visit.cookie))).toEqual(visit.session);
  });

  it('R95 R243 are not accepted from another daemon or if altered', async () => {
    const [own = ''] = sessions.visit().cookie.split(';');
    expect(await sessions.find(withCookie(own))).toBeDefined();
    const [browser, signature] = own.split('.');
    const foreign = make('http://127.0.0.1:8722').visit().cookie;
    for (const altered of [`${browser}x.${signature}`, `${browser}.`, `${browser}`, `${own}.x`, `${own}0`])
      expect(await sessions.find(withCookie(altered))).toBeUndefined();
    expect(await sessions.find(sent(foreign))).toBeUndefined();
  });

  it('R95 are found after a visit cookie of the same name', async () => {
    const visit = sessions.visit();
    const { cookie, session } = await begin(ana);
    const both = [visit.cookie, cookie].map((each) => each.split(';')[0]).join('; ');
    expect(await sessions.find(withCookie(both))).toEqual(session);
  });

  it('R95 are found despite other cookies of the same name', async () => {
    const { cookie, session } = await begin(ana);
    const own = cookie.split(';')[0] ?? '';
    expect(await sessions.find(withCookie(`actorctl_session=evil; other=1; ${own}; actorctl_session=`))).toEqual(
      session,
    );
    for (const strange of ['', ';', '=', '=;actorctl_session', 'actorctl_session', `x${own}`]) {
      expect(await sessions.find(withCookie(strange))).toBeUndefined();
    }
  });

  it('C10 end with the revocation of everything of their user, and with the user', async () => {
    const other = { ...ana, tenant: 'OTHER' };
    await store.transact((tx) => tx.put('users', other));
    const [first, second] = [await begin(ana), await begin(other)];
    await store.transact((tx) => revokeUser(tx, 'DEV', 'ana', 0));
    expect(await sessions.find(sent(first.cookie))).toBeUndefined();
    expect(await sessions.find(sent(second.cookie))).toEqual(second.session);
    await store.transact((tx) => tx.delete('users', joinKey('OTHER', 'ana')));
    expect(await sessions.find(sent(second.cookie))).toBeUndefined();
  });

  it('C10 do not begin if the password changed after it was checked', async () => {
    await store.transact((tx) => tx.put('users', { ...ana, passwordHash: 'new' }));
    expect(await sessions.begin(ana)).toBeUndefined();
    expect(store.count('sessions')).toBe(0);
  });

  it('R95 are found by the next daemon, with the limits that they had', async () => {
    const { cookie, session } = await begin(ana);
    now = 59 * 60_000;
    expect(await make('http://127.0.0.1:8722').find(sent(cookie))).toMatchObject({ key: session.key, startedAt: 0 });
    now = 118 * 60_000;
    expect(await make('http://127.0.0.1:8722').find(sent(cookie))).toBeDefined();
    now = 178 * 60_000;
    expect(await make('http://127.0.0.1:8722').find(sent(cookie))).toBeUndefined();
  });

  it('R95 are stored as in use at most once a minute', async () => {
    const { cookie } = await begin(ana);
    const seen = () => [...store.all('sessions')].map(({ seenAt }) => seenAt);
    now = 59_999;
    await sessions.find(sent(cookie));
    expect(seen()).toEqual([0]);
    now = 60_000;
    await sessions.find(sent(cookie));
    expect(seen()).toEqual([60_000]);
  });

  it('R146 of one user are at most 50: a login beyond that ends the oldest', async () => {
    const cookies: string[] = [];
    for (let count = 0; count < 53; count += 1) {
      now = count;
      cookies.push((await begin(ana)).cookie);
    }
    const found = await Promise.all(cookies.map((cookie) => sessions.find(sent(cookie))));
    expect(cookies.filter((_, index) => found[index] !== undefined)).toEqual(cookies.slice(3));
  });

  it('R95 end durably at a logout', async () => {
    const { cookie, session } = await begin(ana);
    await sessions.end(session);
    expect(await make('http://127.0.0.1:8722').find(sent(cookie))).toBeUndefined();
    expect(store.count('sessions')).toBe(0);
  });

  it('R95 have their id in the cookie only', async () => {
    const { cookie, session } = await begin(ana);
    const id = /=([\w-]{43});/.exec(cookie)?.[1] ?? 'none';
    expect(JSON.stringify(session)).not.toContain(id);
  });

  it('R96 C20 have a cookie that is bound to the host over https, and an unbound one over http', async () => {
    expect((await begin(ana)).cookie).toMatch(/^actorctl_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(sessions.visit().cookie).toMatch(/^actorctl_session=[\w-]+\.\w{64}; Path=\/; HttpOnly; SameSite=Lax$/);
    const secure = make('https://platform.example');
    const { cookie, session } = await begin(ana, secure);
    expect(cookie).toMatch(/^__Host-actorctl_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    expect(await secure.find(sent(cookie))).toEqual(session);
    expect(await secure.end(session)).toBe(
      '__Host-actorctl_session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0',
    );
  });
});

describe('pending authorizations', () => {
  const request: AuthorizationRequest = {
    clientId: 'client1',
    redirectUri: 'https://app.example/cb',
    flow: 'code',
    scope: 'PRODUCTION',
    alwaysAsk: false,
    isRenewable: true,
  };
  const visit = { key: 'visit', browser: 'anybody', startedAt: 0 };
  const session = {
    key: 'session',
    browser: 'ana',
    startedAt: 0,
    user: { tenant: 'DEV', username: 'ana', passwordHash: 'hash' },
  };
  const make = () => createPendingAuthorizations({ vault: createVault(), ids: createIds(), clock: { now: () => 0 } });

  const bob = { ...session, key: 'other', browser: 'bob', user: { ...session.user, username: 'bob' } };
  const isHeld = (find: () => unknown): boolean => {
    try {
      return find() !== undefined;
    } catch {
      return false;
    }
  };

  it('R243 a flood of login forms ends no login form and no consent form', () => {
    const transactions = make();
    const login = transactions.open(request, visit, 'login');
    const consent = transactions.open(request, session, 'consent');
    for (let count = 0; count < 6_000; count += 1)
      transactions.open(request, { ...visit, browser: `${count}` }, 'login');
    expect(transactions.find(login, visit, 'login')).toMatchObject({ request, browser: 'anybody' });
    expect(transactions.find(consent, session, 'consent')).toMatchObject({ request, browser: 'ana' });
  });

  it('R243 a flood of consent forms ends forms of its own user only', () => {
    const transactions = make();
    const kept = transactions.open(request, session, 'consent');
    const flood = Array.from({ length: 1_200 }, () => transactions.open(request, bob, 'consent'));
    expect(transactions.find(kept, session, 'consent')).toMatchObject({ request });
    expect(flood.filter((keys) => isHeld(() => transactions.find(keys, bob, 'consent')))).toEqual(flood.slice(-50));
  });

  it('R76 consent forms of all users are limited in number', () => {
    const transactions = make();
    const all = Array.from({ length: 3_000 }, (_, user) =>
      transactions.open(request, { ...session, user: { ...session.user, username: `${user % 300}` } }, 'consent'),
    );
    expect(all.filter((keys) => isHeld(() => transactions.find(keys, session, 'consent')))).toEqual(all.slice(-1_000));
  });

  it('R17 R243 a login form of another daemon, or one whose request was changed, is invalid', () => {
    const transactions = make();
    const { transaction, csrf } = transactions.open(request, visit, 'login');
    const [form = '', signature = ''] = transaction.split('.');
    const changed = Buffer.from(form, 'base64url').toString().replace('app.example', 'bad.example');
    const forged = `${Buffer.from(changed).toString('base64url')}.${signature}`;
    expect(changed).toContain('bad.example');
    expect(transactions.find({ transaction, csrf }, visit, 'login')).toMatchObject({ request });
    expect(() => transactions.find({ transaction: forged, csrf }, visit, 'login')).toThrow('has expired');
    expect(() => transactions.find(make().open(request, visit, 'login'), visit, 'login')).toThrow(Failure);
    expect(() => make().find({ transaction, csrf }, visit, 'login')).toThrow('has expired');
  });

  it('R92 the form of one step is invalid in the other', () => {
    const transactions = make();
    expect(() => transactions.find(transactions.open(request, session, 'login'), session, 'consent')).toThrow(Failure);
    expect(() => transactions.find(transactions.open(request, session, 'consent'), session, 'login')).toThrow(Failure);
  });
});

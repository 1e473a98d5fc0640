// Browser sessions and pending authorizations: what they store, and the limits of that.
import type { IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../../daemon/domain/failure.ts';
import type { AuthorizationRequest } from '../../../daemon/domain/oauth/authorization-request.ts';
import type { UserRecord } from '../../../daemon/domain/records/account-records.ts';
import { createExpiringMap } from '../../../daemon/oauth/expiring-map.ts';
import { createPendingAuthorizations } from '../../../daemon/oauth/pending-authorization.ts';
import { createSessions, type Sessions } from '../../../daemon/oauth/session.ts';
import { createIds } from '../../../daemon/vault/ids.ts';
import { createVault } from '../../../daemon/vault/vault.ts';
import { type MemoryStore, memoryStore } from '../../support/store/memory-store.ts';

describe('an expiring map', () => {
  it('forgets expired entries', () => {
    const memory = createExpiringMap<string>(10);
    memory.put('a', 'one', 100, 0);
    expect([memory.get('a', 99), memory.get('a', 100)]).toEqual(['one', undefined]);
  });

  it('R76 keeps at most its maximum, and drops the least recently written entry first', () => {
    const memory = createExpiringMap<number>(3);
    for (const [index, key] of ['a', 'b', 'c', 'a', 'd'].entries()) memory.put(key, index, 100, 0);
    expect([...memory.entries()]).toEqual([
      ['c', 2],
      ['a', 3],
      ['d', 4],
    ]);
  });

  it('R146 deletes expired entries when a new one is added', () => {
    const memory = createExpiringMap<number>(100);
    for (let index = 0; index < 50; index += 1) memory.put(`${index}`, index, 10, 0);
    memory.put('new', 1, 100, 50);
    expect([...memory.entries()]).toEqual([['new', 1]]);
  });
});

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
  const make = (baseUrl: string) =>
    createSessions({ store, vault: createVault(), ids: createIds(), clock: { now: () => 0 }, baseUrl: () => baseUrl });
  const withCookie = (cookie: string) => ({ headers: { cookie } }) as IncomingMessage;
  const sent = (cookie: string) => withCookie(cookie.split(';')[0] ?? '');

  beforeEach(async () => {
    store = memoryStore();
    sessions = make('http://127.0.0.1:8722');
    await store.transact((tx) => tx.put('users', ana));
  });

  it('R76 survive a flood of visits', () => {
    const { cookie, session } = sessions.begin(ana);
    for (let visit = 0; visit < 6_000; visit += 1) sessions.begin();
    expect(sessions.find(sent(cookie))).toEqual(session);
  });

  it('R95 are found despite other cookies of the same name', () => {
    const { cookie, session } = sessions.begin(ana);
    const own = cookie.split(';')[0] ?? '';
    expect(sessions.find(withCookie(`actorctl_session=evil; other=1; ${own}; actorctl_session=`))).toEqual(session);
    for (const strange of ['', ';', '=', '=;actorctl_session', 'actorctl_session', `x${own}`]) {
      expect(sessions.find(withCookie(strange))).toBeUndefined();
    }
  });

  it('C10 end with a password change, with the deletion of the user, and on request', async () => {
    const { cookie } = sessions.begin(ana);
    await store.transact((tx) => tx.put('users', { ...ana, passwordHash: 'new' }));
    expect(sessions.find(sent(cookie))).toBeUndefined();
    await store.transact((tx) => tx.put('users', ana));
    expect(sessions.find(sent(cookie))).toBeUndefined();
    const again = sessions.begin(ana);
    const bob = sessions.begin({ ...ana, tenant: 'OTHER' });
    await store.transact((tx) => tx.put('users', { ...ana, tenant: 'OTHER' }));
    sessions.endAllOf('DEV', 'ana');
    expect(sessions.find(sent(again.cookie))).toBeUndefined();
    expect(sessions.find(sent(bob.cookie))).toEqual(bob.session);
  });

  it('R95 have their id in the cookie only', () => {
    const { cookie, session } = sessions.begin(ana);
    const id = /=([\w-]{43});/.exec(cookie)?.[1] ?? 'none';
    expect(JSON.stringify(session)).not.toContain(id);
  });

  it('R96 C20 have a cookie that is bound to the host over https, and an unbound one over http', () => {
    expect(sessions.begin().cookie).toMatch(/^actorctl_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const secure = make('https://platform.example');
    const { cookie, session } = secure.begin(ana);
    expect(cookie).toMatch(/^__Host-actorctl_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    expect(secure.find(sent(cookie))).toEqual(session);
    expect(secure.end(session)).toBe('__Host-actorctl_session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0');
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

  it('R76 a flood of login forms removes no consent form', () => {
    const transactions = make();
    const keys = transactions.open(request, session, 'consent');
    for (let count = 0; count < 5_000; count += 1) transactions.open(request, visit, 'login');
    expect(transactions.find(keys, session, 'consent')).toMatchObject({ request, username: 'ana' });
  });

  it('R76 are limited in number', () => {
    const transactions = make();
    const all = Array.from({ length: 3_000 }, () => transactions.open(request, visit, 'login'));
    const isHeld = (keys: (typeof all)[number]): boolean => {
      try {
        return transactions.find(keys, visit, 'login') !== undefined;
      } catch {
        return false;
      }
    };
    expect(all.filter(isHeld)).toEqual(all.slice(-1_000));
  });

  it('R92 the form of one step is invalid in the other', () => {
    const transactions = make();
    expect(() => transactions.find(transactions.open(request, session, 'login'), session, 'consent')).toThrow(Failure);
    expect(() => transactions.find(transactions.open(request, session, 'consent'), session, 'login')).toThrow(Failure);
  });
});

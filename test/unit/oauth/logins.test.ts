// Which records make a login, and which of them its end deletes.
import { beforeEach, describe, expect, it } from 'vitest';
import { dashboardClient } from '../../../daemon/domain/oauth/dashboard-client.ts';
import { endLogin, loginsOf } from '../../../daemon/domain/oauth/logins.ts';
import type { SessionRecord, TokenRecord } from '../../../daemon/domain/records/account-records.ts';
import { createVault } from '../../../daemon/vault/vault.ts';
import { tokenRecord } from '../../support/service/records.ts';
import { type MemoryStore, memoryStore } from '../../support/store/memory-store.ts';

const NOW = 1_000_000;
const ana = { tenant: 'DEV', username: 'ana' };
const { digest } = createVault();
const dashboard = dashboardClient('DEV', 'http://127.0.0.1:8722', 0);
const page = { clientId: dashboard.id, flow: 'authorization_code', browser: 'laptop' } as const;

let store: MemoryStore;
beforeEach(async () => {
  store = memoryStore();
  await store.transact((tx) => {
    tx.put('clients', dashboard);
    tx.put('clients', { ...dashboard, id: 'client1', name: 'app' });
  });
});

const token = (hash: string, changes: Partial<TokenRecord>) =>
  store.transact((tx) => tx.put('tokens', tokenRecord(hash, changes)));
const session = (hash: string, changes: Partial<SessionRecord> = {}) =>
  store.transact((tx) =>
    tx.put('sessions', { ...ana, hash, browser: 'laptop', startedAt: NOW, seenAt: NOW, ...changes }),
  );
const listed = () => loginsOf(store, ana, NOW, digest);
const end = (id: string) => store.transact((tx) => endLogin(tx, ana, id, NOW, digest));
const left = () => [...store.all('tokens')].map(({ hash }) => hash);

describe('a login', () => {
  it('is every grant with a valid token, and no execution, expired, used or foreign token', async () => {
    await token('a', { grantId: 'a' });
    await token('b', { grantId: 'b', executionId: 'x', flow: 'execution' });
    await token('c', { grantId: 'c', expiresAt: NOW });
    await token('d', { grantId: 'd', kind: 'refresh', usedAt: 1 });
    await token('e', { grantId: 'e', username: 'bob' });
    await token('f', { grantId: 'f', tenant: 'OTHER' });
    await token('g', { grantId: 'g', clientId: 'deleted' });
    expect(listed().map(({ id }) => id)).toEqual(['a']);
    for (const id of ['b', 'c', 'd', 'e', 'f', 'unknown', '']) expect(await end(id)).toBeUndefined();
    expect(left()).toHaveLength(7);
  });

  it('ends when its last token does, and not before a lasting or refresh token', async () => {
    await token('a', { grantId: 'a', expiresAt: NOW + 1 });
    await token('b', { grantId: 'a', expiresAt: NOW + 2 });
    await token('c', { grantId: 'c', expiresAt: NOW + 1 });
    await token('d', { grantId: 'c', kind: 'refresh' });
    const ends = Object.fromEntries(listed().map(({ id, endsAt }) => [id, endsAt]));
    expect(ends).toEqual({ a: NOW + 2, c: undefined });
  });

  it('is every browser with a session that is not over, once', async () => {
    await session('s1');
    await session('s2');
    await session('s3', { browser: 'phone', seenAt: NOW - 60 * 60_000 });
    await session('s4', { browser: 'other', username: 'bob' });
    const [only, ...more] = listed();
    expect([only?.kind, more]).toEqual(['browser', []]);
    expect(await end(only?.id ?? '')).toEqual({ revoked: 0, browser: true });
    expect([...store.all('sessions')].map(({ hash }) => hash)).toEqual(['s3', 's4']);
  });
});

describe('the end of a dashboard page', () => {
  it('ends its browser, the pages in it, and codes that were not redeemed, and nothing else', async () => {
    await session('s1');
    await session('s2', { browser: 'phone' });
    await token('own', { ...page, grantId: 'own' });
    await token('second tab', { ...page, grantId: 'second' });
    await token('phone', { ...page, grantId: 'phone', browser: 'phone' });
    await token('app', { grantId: 'app', browser: 'laptop' });
    await token('of bob', { ...page, grantId: 'bob', username: 'bob' });
    const code = { ...ana, clientId: 'client1', redirectUri: '', scope: '', expiresAt: NOW, browser: 'laptop' };
    await store.transact((tx) => {
      tx.put('codes', { ...code, hash: 'open', grantId: 'x' });
      tx.put('codes', { ...code, hash: 'used', grantId: 'y', usedAt: 1 });
      tx.put('codes', { ...code, hash: 'of the phone', grantId: 'z', browser: 'phone' });
    });
    expect(await end('own')).toEqual({ revoked: 2, browser: true });
    expect(left()).toEqual(['phone', 'app', 'of bob']);
    expect([...store.all('codes')].map(({ hash }) => hash)).toEqual(['used', 'of the phone']);
    expect([...store.all('sessions')].map(({ hash }) => hash)).toEqual(['s2']);
  });

  it('changes nothing if the disk refuses it', async () => {
    await session('s1');
    await token('own', { ...page, grantId: 'own' });
    store.refuse('the disk is full');
    await expect(end('own')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect([left(), store.count('sessions')]).toEqual([['own'], 1]);
  });
});

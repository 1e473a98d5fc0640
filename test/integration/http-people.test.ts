// Clients, users and profiles over the wire; the first admin and the command line's own client.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliClient } from '../../daemon/clients/cli-client.ts';
import { openStore } from '../../daemon/store/store.ts';
import { bootstrap } from '../../daemon/users/bootstrap.ts';
import { createPasswordCheck } from '../../daemon/users/password-check.ts';
import { createIds } from '../../daemon/vault/ids.ts';
import { createVault } from '../../daemon/vault/vault.ts';
import { ADMIN_PASSWORD, adminToken, basic, member, type Platform, startPlatform } from '../support/platform.ts';

let platform: Platform;
let headers: { readonly authorization: string };
beforeAll(async () => {
  platform = await startPlatform();
  headers = await adminToken(platform);
});
afterAll(() => platform.close());

const post = (path: string, json: unknown, given: Readonly<Record<string, string>> = headers) =>
  platform.ask('POST', path, { json, headers: given });

describe('clients', () => {
  it('R49 are answered with their secret once; the list has none', async () => {
    const made = await post('/clients/v2', {
      clientName: 'one',
      description: 'd',
      callbackUrl: 'https://a.example/x, http://127.0.0.1:1/y',
    });
    expect(made.result).toEqual({
      name: 'one',
      description: 'd',
      consumerKey: expect.stringMatching(/^[A-Za-z0-9]{26}$/),
      consumerSecret: expect.stringMatching(/^[\w-]{43}$/),
      tier: 'Unlimited',
      callbackUrl: 'https://a.example/x,http://127.0.0.1:1/y',
      grants: ['authorization_code', 'implicit', 'password', 'client_credentials', 'refresh_token'],
      _links: {
        self: `${platform.baseUrl}/clients/v2/one`,
        subscriptions: `${platform.baseUrl}/clients/v2/one/subscriptions`,
      },
    });
    const list = await platform.ask('GET', '/clients/v2', { headers });
    expect(list.text).toContain('"one"');
    expect(list.text).not.toContain('consumerSecret');
    expect(list.text).not.toContain(String(made.result['consumerSecret']));
  });

  it('are made by what agavepy sends: Basic, a form, an empty callbackUrl, a slash at the end', async () => {
    const answer = await platform.ask('POST', '/clients/v2/', {
      form: { clientName: 'agave', description: '', tier: 'Unlimited', callbackUrl: '' },
      headers: { authorization: basic('admin', ADMIN_PASSWORD) },
    });
    expect(answer.result).toMatchObject({ name: 'agave', callbackUrl: '' });
  });

  it('have one name each, per user', async () => {
    await post('/clients/v2', { clientName: 'twice' });
    const again = await post('/clients/v2', { clientName: 'twice' });
    expect(again.status).toBe(409);
    expect(member(again, 'message')).toContain('already exists');
    const race = await Promise.all(Array.from({ length: 10 }, () => post('/clients/v2', { clientName: 'race' })));
    expect(race.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it.each([
    { clientName: 'x', callbackUrl: 'javascript:alert(1)' },
    { clientName: 'x', callbackUrl: 'https://ok.example/, http://evil.example/' },
    { clientName: 'x', grants: 'password,everything' },
    { clientName: 'x', grants: ['__proto__'] },
    { clientName: '../x' },
    { clientName: 'x'.repeat(200) },
    { clientName: '' },
  ])('R06 %j is refused', async (fields) => {
    expect((await post('/clients/v2', fields)).status).toBe(400);
  });

  it('R122 are listed to their owner only', async () => {
    await post('/users/v2', { username: 'lister', password: 'lister-password' });
    const own = { authorization: basic('lister', 'lister-password') };
    await post('/clients/v2', { clientName: 'mine' }, own);
    const list = await platform.ask('GET', '/clients/v2', { headers: own });
    expect(list.json).toMatchObject({ result: [{ name: 'mine' }] });
  });
});

describe('users', () => {
  it('are created with both shapes of a profile, roles and tenant, and never with the password', async () => {
    const answer = await post('/users/v2', {
      username: 'grace',
      password: 'a long password',
      firstName: 'Grace',
      last_name: 'Hopper',
      email: 'g@example.org',
      roles: ['user', 'privileged', 'user'],
    });
    expect(answer.result).toMatchObject({
      username: 'grace',
      first_name: 'Grace',
      lastName: 'Hopper',
      full_name: 'Grace Hopper',
      email: 'g@example.org',
      status: 'Active',
      roles: ['user', 'privileged'],
      tenant: 'DEV',
      create_time: expect.stringMatching(/^\d{14}Z$/),
      uid: expect.any(Number),
    });
    expect(answer.text).not.toMatch(/password|scrypt/);
    const list = await platform.ask('GET', '/users/v2', { headers });
    expect(list.text).toContain('"grace"');
    expect(list.text).not.toMatch(/scrypt/);
  });

  it('take roles in a form too', async () => {
    const answer = await platform.ask('POST', '/users/v2', {
      form: { username: 'formed', password: 'a long password', roles: 'user,limited' },
      headers,
    });
    expect(answer.result['roles']).toEqual(['user', 'limited']);
  });

  it.each([
    [{ username: 'a', password: 'short' }, 400],
    [{ username: 'a' }, 400],
    [{ username: 'a/b', password: 'a long password' }, 400],
    [{ username: 'a', password: 'x'.repeat(1_025) }, 400],
    [{ username: 'a', password: 'a long password', roles: ['king'] }, 400],
    [{ username: 'a', password: 'a long password', roles: [] }, 400],
    [{ username: 'ABACO_WORLD', password: 'a long password' }, 400],
    [{ username: 'a', password: 'a long password', tenant: 'NOWHERE' }, 404],
    [{ username: 'admin', password: 'a long password' }, 409],
  ])('%j is %i', async (fields, status) => {
    expect((await post('/users/v2', fields)).status).toBe(status);
  });

  it('of another tenant may be made by admins of the first tenant only', async () => {
    await platform.store.transact((tx) => tx.put('tenants', { id: 'TWO', name: 'Two', lifetimes: {}, createdAt: 0 }));
    const made = await post('/users/v2', {
      username: 'boss',
      password: 'boss-password',
      tenant: 'TWO',
      roles: ['admin'],
    });
    expect(made.result['tenant']).toBe('TWO');
    const client = await post(
      '/clients/v2',
      { clientName: 'boss' },
      { authorization: basic('TWO/boss', 'boss-password') },
    );
    const header = {
      authorization: basic(String(client.result['consumerKey']), String(client.result['consumerSecret'])),
    };
    const token = member(await platform.token({ grant_type: 'client_credentials' }, header), 'access_token');
    const boss = { authorization: `Bearer ${String(token)}` };
    expect((await post('/users/v2', { username: 'spy', password: 'spy-password', tenant: 'DEV' }, boss)).status).toBe(
      403,
    );
    expect((await post('/users/v2', { username: 'own', password: 'own-password' }, boss)).result['tenant']).toBe('TWO');
    const list = await platform.ask('GET', '/users/v2', { headers: boss });
    expect(list.text).not.toContain('"grace"');
  });
});

it('R86 the profile is that of the token, with absolute links', async () => {
  const answer = await platform.ask('GET', '/profiles/v2/me', { headers });
  expect(answer.result).toMatchObject({
    username: 'admin',
    full_name: 'admin',
    _links: {
      self: { href: `${platform.baseUrl}/profiles/v2/admin` },
      users: { href: `${platform.baseUrl}/profiles/v2` },
    },
  });
});

describe('the beginning', () => {
  const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const clock = { now: () => 5_000_000 };
  const vault = createVault({ cost: { logN: 4, r: 8, p: 1 } });
  const ids = createIds();
  const inFolder = async (work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<void>) => {
    const folder = mkdtempSync(join(tmpdir(), 'actorctl-bootstrap-'));
    const store = await openStore({ folder, clock, logger });
    try {
      await work(store);
    } finally {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  };

  it('makes tenant DEV and one admin, once, and shows a password it made up', () =>
    inFolder(async (store) => {
      const parts = { store, vault, ids, clock };
      const both = await Promise.all([bootstrap(parts), bootstrap(parts)]);
      expect(both.filter(({ created }) => created)).toHaveLength(1);
      const made = both.find(({ created }) => created);
      expect(made).toMatchObject({ username: 'admin', tenant: 'DEV', password: expect.stringMatching(/^[\w-]{20}$/) });
      const check = createPasswordCheck({ store, vault, clock, logger });
      const right = { tenant: 'DEV', username: 'admin', password: made?.password ?? '', source: 's' };
      expect((await check(right))?.roles).toEqual(['admin']);
      expect(await bootstrap(parts, { username: 'other', password: 'other password' })).toEqual({
        created: false,
        username: 'admin',
        tenant: 'DEV',
      });
      expect(store.count('users')).toBe(1);
    }));

  it('does not repeat a password that was given, and refuses one that is too short', () =>
    inFolder(async (store) => {
      const parts = { store, vault, ids, clock };
      await expect(bootstrap(parts, { password: 'short' })).rejects.toThrow('password must have at least 8 characters');
      const made = await bootstrap(parts, { username: 'ada', password: 'long enough' });
      expect(made).toEqual({ created: true, username: 'ada', tenant: 'DEV' });
    }));

  it('gives the command line a client, and a new secret each time it asks; old refresh tokens die', () =>
    inFolder(async (store) => {
      const parts = { store, vault, ids, clock };
      await expect(cliClient(parts)).rejects.toThrow('no admin user');
      await bootstrap(parts);
      const first = await cliClient(parts);
      const record = store.get('clients', first.client_id);
      expect(record).toMatchObject({ name: 'actorctl-cli', owner: 'admin', tenant: 'DEV' });
      expect(record?.redirectUris).toHaveLength(5);
      const token = {
        tenant: 'DEV',
        username: 'admin',
        clientId: first.client_id,
        scope: '',
        grantId: 'g',
        flow: 'password',
        issuedAt: 0,
      } as const;
      await store.transact((tx) => {
        tx.put('tokens', { ...token, hash: 'r', kind: 'refresh' });
        tx.put('tokens', { ...token, hash: 'a', kind: 'access', expiresAt: 9e12 });
      });
      const second = await cliClient(parts);
      expect(second.client_id).toBe(first.client_id);
      expect(second.client_secret).not.toBe(first.client_secret);
      expect(store.get('clients', first.client_id)?.secretHash).toBe(vault.digest(second.client_secret));
      expect(store.count('clients')).toBe(1);
      expect([...store.all('tokens')].map(({ hash }) => hash)).toEqual(['a']);
    }));

  it('R76 remembers a bounded number of accounts', () =>
    inFolder(async (store) => {
      const check = createPasswordCheck({ store, vault, clock, logger, remember: 3 });
      const guess = (username: string, source: string) => check({ tenant: 'DEV', username, password: 'x', source });
      for (let time = 0; time < 5; time += 1) expect(await guess('first', `a${time}`)).toBeUndefined();
      await expect(guess('first', 'b')).rejects.toThrow('Too many failed attempts');
      for (const name of ['second', 'third', 'fourth']) await guess(name, 'c');
      // Three younger accounts have pushed the first one out of memory.
      expect(await guess('first', 'b')).toBeUndefined();
    }));
});

// Clients, users and profiles over HTTP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ADMIN_PASSWORD,
  adminToken,
  basic,
  member,
  type Platform,
  startPlatform,
} from '../../support/service/platform.ts';

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
  it('R49 are returned with their secret once, and listed without it', async () => {
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
      public: false,
      createTime: expect.stringMatching(/^\d{4}-.*Z$/),
      _links: { self: `${platform.baseUrl}/clients/v2/one` },
    });
    const list = await platform.ask('GET', '/clients/v2', { headers });
    expect(list.text).toContain('"one"');
    expect(list.text).not.toContain('consumerSecret');
    expect(list.text).not.toContain(String(made.result['consumerSecret']));
  });

  it('R78 get generated ids, whatever id the request contains', async () => {
    const chosen = { id: 'admin', client_id: 'admin', clientId: 'admin', consumerKey: 'admin', consumer_key: 'admin' };
    const made = await post('/clients/v2', { clientName: 'chooser', ...chosen });
    expect(made.result['consumerKey']).toMatch(/^[A-Za-z0-9]{26}$/);
    expect(platform.store.get('clients', 'admin')).toBeUndefined();
  });

  it('are created by the requests of agavepy: Basic, a form, an empty callbackUrl, a trailing slash', async () => {
    const answer = await platform.ask('POST', '/clients/v2/', {
      form: { clientName: 'agave', description: '', tier: 'Unlimited', callbackUrl: '' },
      headers: { authorization: basic('admin', ADMIN_PASSWORD) },
    });
    expect(answer.result).toMatchObject({ name: 'agave', callbackUrl: '' });
  });

  it('have names that are unique for each user', async () => {
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
  ])('R06 with %j are refused', async (fields) => {
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
  it('are created with both field spellings, roles and tenant, and never returned with the password', async () => {
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

  it('accept roles in a form', async () => {
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
  ])('created from %j get status %i', async (fields, status) => {
    expect((await post('/users/v2', fields)).status).toBe(status);
  });

  it('of another tenant are created by admins of the first tenant only', async () => {
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

it('R86 the profile is that of the user of the token, with absolute links', async () => {
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

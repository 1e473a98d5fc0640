// Users after their registration: show, change, delete, and what ends together with a password, a role or a user.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ActorRecord } from '../../../daemon/domain/records/actor-records.ts';
import { listOf, makePerson, ok, type TestPerson, tokensFor } from '../../support/service/people.ts';
import {
  ADMIN_PASSWORD,
  adminToken,
  basic,
  browserSession,
  member,
  type Platform,
  startPlatform,
} from '../../support/service/platform.ts';
import { actorRecord, tokenRecord } from '../../support/service/records.ts';
import { clientForm, refusal } from '../../support/service/token-calls.ts';

let platform: Platform;
let admin: { readonly authorization: string };
let person: TestPerson;
let count = 0;
let hasSession: () => boolean;
beforeAll(async () => {
  platform = await startPlatform();
  admin = await adminToken(platform);
});
afterAll(() => platform.close());
beforeEach(async () => {
  count += 1;
  person = await makePerson(platform, admin, { username: `user-${count}` });
  hasSession = await browserSession(platform, 'DEV', person.username);
});

const ask = (method: string, path: string, json?: unknown, headers = admin) =>
  platform.ask(method, path, { ...(json !== undefined && { json }), headers });
const pathOf = ({ username }: { readonly username: string }, query = '') => `/users/v2/${username}${query}`;
const meStatus = async (headers: { readonly authorization: string }) =>
  (await ask('GET', '/profiles/v2/me', undefined, headers)).status;
const works = async (client: { readonly authorization: string }) =>
  (await platform.token(clientForm, client)).status === 200;
const messageOf = async (asked: ReturnType<typeof ask>) => {
  const answer = await asked;
  return [answer.status, member(answer, 'message')] as const;
};

describe('a user', () => {
  it('is shown to admins in both field spellings, without password or password hash', async () => {
    const shown = ok(await ask('GET', pathOf(person)));
    expect(shown.result).toMatchObject({ username: person.username, roles: ['user'], tenant: 'DEV', firstName: '' });
    expect(shown.text).not.toMatch(/scrypt|password/i);
  });

  it('keeps the fields that an update omits', async () => {
    ok(await ask('PUT', pathOf(person), { firstName: 'Ada', email: 'a@example.org', roles: ['user', 'privileged'] }));
    const updated = ok(await ask('PUT', pathOf(person), { last_name: 'Lovelace', username: person.username }));
    expect(updated.result).toMatchObject({
      full_name: 'Ada Lovelace',
      email: 'a@example.org',
      roles: ['user', 'privileged'],
    });
    expect(updated.result['revoked']).toBeUndefined();
    expect(ok(await ask('PUT', pathOf(person), { email: '' })).result).toMatchObject({ email: '', first_name: 'Ada' });
    const form = await platform.ask('PUT', pathOf(person), { form: { roles: 'user,limited' }, headers: admin });
    expect(ok(form).result['roles']).toEqual(['user', 'limited']);
    expect(await meStatus(person.bearer)).toBe(200);
    expect(hasSession()).toBe(true);
  });

  it.each([
    [{ username: 'another' }, 'username'],
    [{ password: 'short' }, 'password'],
    [{ password: 'x'.repeat(1_025) }, 'password'],
    [{ roles: ['king'] }, 'roles'],
    [{ roles: [] }, 'roles'],
    [{ email: 'x'.repeat(400) }, 'email'],
    [{ phone: 5 }, 'phone'],
  ])('is not changed by the invalid update %j', async (fields, named) => {
    const answer = await ask('PUT', pathOf(person), { ...fields, last_name: 'Changed' });
    expect(answer.status).toBe(400);
    expect(member(answer, 'message')).toContain(named);
    expect((await ask('GET', pathOf(person))).result['last_name']).toBe('');
  });
  it('R66 C10 loses its tokens and sessions on a password change, and keeps its clients', async () => {
    const changed = ok(await ask('PUT', pathOf(person), { password: 'another password' }));
    expect(changed.result['revoked']).toBe(2);
    expect(changed.text).not.toContain('another password');
    expect(hasSession()).toBe(false);
    expect(await meStatus(person.bearer)).toBe(401);
    const refresh = { grant_type: 'refresh_token', refresh_token: person.refreshToken };
    expect(refusal(await platform.token(refresh, person.client))).toEqual([400, 'invalid_grant']);
    expect((await tokensFor(platform, person.client, person.username, person.password)).status).toBe(400);
    expect((await tokensFor(platform, person.client, person.username, 'another password')).status).toBe(200);
    expect(await works(person.client)).toBe(true);
  });

  it('gets no valid token by a login during a password change', async () => {
    const change = ask('PUT', pathOf(person), { password: 'another password' });
    const logins = await Promise.all(
      Array.from({ length: 5 }, () => tokensFor(platform, person.client, person.username, person.password)),
    );
    await change;
    for (const { status, access } of logins) {
      if (status === 200) expect(await meStatus({ authorization: `Bearer ${access}` })).toBe(401);
    }
    expect(platform.store.countBy('tokens', 'user', `DEV\u001f${person.username}`)).toBe(0);
  });

  it('R84 loses its tokens, sessions and clients on deletion, and other users lose the tokens of those clients', async () => {
    const through = await tokensFor(platform, person.client, 'admin', ADMIN_PASSWORD);
    expect(ok(await ask('DELETE', pathOf(person))).result).toEqual({
      deleted: person.username,
      revoked: 4,
      clients: 1,
      nonces: 0,
      reassigned: 0,
      reassignedAliases: 0,
      reassignedConfigs: 0,
    });
    expect(hasSession()).toBe(false);
    expect(await meStatus(person.bearer)).toBe(401);
    expect(await meStatus({ authorization: `Bearer ${through.access}` })).toBe(401);
    expect(await works(person.client)).toBe(false);
    expect((await ask('GET', '/clients/v2', undefined, person.basic)).status).toBe(401);
    expect((await ask('GET', pathOf(person))).status).toBe(404);
    expect((await ask('DELETE', pathOf(person))).status).toBe(404);
    const again = await makePerson(platform, admin, { username: person.username });
    expect(await meStatus(again.bearer)).toBe(200);
    expect(await meStatus(person.bearer)).toBe(401);
  });

  it('is shown to and changed by admins only, and an unknown user is 404', async () => {
    for (const headers of [person.bearer, { authorization: 'Bearer nobody' }]) {
      const expected = headers === person.bearer ? 403 : 401;
      for (const method of ['GET', 'PUT', 'DELETE']) {
        expect((await ask(method, '/users/v2/admin', method === 'PUT' ? {} : undefined, headers)).status).toBe(
          expected,
        );
      }
    }
    expect((await ask('PUT', '/users/v2/admin', { password: 'a long password' }, basicAdmin())).status).toBe(401);
    for (const name of ['absent', '__proto__', 'constructor', 'a%2Fb', '%00']) {
      expect((await ask('GET', `/users/v2/${name}`)).status).toBe(404);
      expect((await ask('PUT', `/users/v2/${name}`, { email: 'x' })).status).toBe(404);
      expect((await ask('DELETE', `/users/v2/${name}`)).status).toBe(404);
    }
  });
});

/** Basic credentials of the admin, which `/users/v2` refuses: Basic is accepted by `/clients/v2` only. */
const basicAdmin = () => ({ authorization: basic('admin', ADMIN_PASSWORD) });

describe('the last admin', () => {
  it('cannot be deleted nor lose the role while there is no second admin', async () => {
    const refused = await ask('DELETE', '/users/v2/admin');
    expect([refused.status, refused.headers['x-failure-code']]).toEqual([409, 'LAST_ADMIN']);
    expect((await ask('PUT', '/users/v2/admin', { roles: ['user'] })).status).toBe(409);
    expect(ok(await ask('PUT', '/users/v2/admin', { roles: ['user', 'admin'] })).result['roles']).toEqual([
      'user',
      'admin',
    ]);
    ok(await ask('PUT', pathOf(person), { roles: ['admin'] }));
    const both = await Promise.all([
      ask('PUT', pathOf(person), { roles: ['user'] }),
      ask('PUT', '/users/v2/admin', { roles: ['user'] }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const left = [...platform.store.all('users')].filter(({ roles }) => roles.includes('admin'));
    expect(left).toHaveLength(1);
    await platform.store.transact((tx) => {
      for (const user of tx.all('users')) if (user.username === 'admin') tx.put('users', { ...user, roles: ['admin'] });
    });
  });
});

describe('the actors of a user', () => {
  const put = ({ id, ...changes }: Partial<ActorRecord> & { readonly id: string }) =>
    platform.store.transact((tx) => tx.put('actors', actorRecord(id, changes)));

  it('prevent its deletion unless another user takes them over', async () => {
    const heir = await makePerson(platform, admin, { username: `heir-${count}` });
    const id = `A${String(count).padStart(12, '0')}`;
    await put({ id, owner: person.username, permissions: { [person.username]: 'UPDATE', ABACO_WORLD: 'READ' } });
    const refused = await ask('DELETE', pathOf(person));
    expect([refused.status, refused.headers['x-failure-code']]).toEqual([409, 'IN_USE']);
    expect(await meStatus(person.bearer)).toBe(200);
    expect(await messageOf(ask('DELETE', pathOf(person, '?reassignTo=nobody')))).toEqual([404, expect.any(String)]);
    expect((await ask('DELETE', pathOf(person, `?reassignTo=${person.username}`))).status).toBe(400);
    const gone = ok(await ask('DELETE', pathOf(person, `?reassign_to=${heir.username}`)));
    expect(gone.result).toMatchObject({ reassigned: 1, clients: 1 });
    expect(platform.store.get('actors', id)).toMatchObject({
      owner: heir.username,
      permissions: { [heir.username]: 'UPDATE', ABACO_WORLD: 'READ' },
    });
  });

  it('can be transferred only to a user who may register such actors', async () => {
    const heir = await makePerson(platform, admin, { username: `heir-${count}` });
    const id = `A${String(count).padStart(12, '0')}`;
    await put({ id, owner: person.username, image: 'file:///srv/actor', permissions: { [person.username]: 'UPDATE' } });
    const refused = await messageOf(ask('DELETE', pathOf(person, `?reassignTo=${heir.username}`)));
    expect(refused).toEqual([400, expect.stringContaining('image')]);
    ok(await ask('DELETE', pathOf(person, '?reassignTo=admin')));
  });

  it('that belong to other users lose the permission entry of the deleted user', async () => {
    const id = `A${String(count).padStart(12, '0')}`;
    await put({ id, owner: 'admin', permissions: { admin: 'UPDATE', [person.username]: 'EXECUTE' } });
    ok(await ask('DELETE', pathOf(person)));
    expect(platform.store.get('actors', id)?.permissions).toEqual({ admin: 'UPDATE' });
  });

  it('that are being deleted do not prevent its deletion', async () => {
    const id = `A${String(count).padStart(12, '0')}`;
    await put({ id, owner: person.username, status: 'SHUTTING_DOWN', permissions: { [person.username]: 'UPDATE' } });
    expect((await ask('DELETE', pathOf(person))).status).toBe(200);
  });
});

it('R154 the token of a running execution ends with the password of its owner', async () => {
  const hash = platform.vault.digest('inside');
  const token = tokenRecord(hash, { username: person.username, clientId: '', flow: 'execution', executionId: 'X1' });
  await platform.store.transact((tx) => tx.put('tokens', token));
  ok(await ask('PUT', pathOf(person), { password: 'another password' }));
  expect(platform.store.get('tokens', hash)).toBeUndefined();
});

it.each(['ABACO_WORLD', 'abaco_world', 'me', 'Constructor'])(
  '%s is refused as the name of a new user',
  async (username) => {
    expect((await ask('POST', '/users/v2', { username, password: 'a long password' })).status).toBe(400);
    const names = listOf(await ask('GET', '/users/v2')).map((user) => user['username']);
    expect(names).not.toContain(username);
  },
);

it('R159 R156 the end of passwords, secrets, clients and users is logged without any secret value', async () => {
  const json = { password: 'never in a log' };
  ok(await ask('PUT', pathOf(person), json));
  const own = { authorization: basic(person.username, json.password) };
  const rotated = ok(await ask('POST', '/clients/v2/own/secret', {}, own));
  ok(await ask('DELETE', '/clients/v2/own', undefined, own));
  ok(await ask('DELETE', pathOf(person)));
  const lines = platform.log.filter(({ fields }) => fields['user'] === person.username);
  expect(lines.map(({ fields }) => fields['event'])).toEqual(
    expect.arrayContaining(['password-changed', 'secret-rotated', 'client-deleted', 'user-deleted']),
  );
  const text = JSON.stringify(platform.log);
  for (const value of [json.password, person.password, rotated.result['consumerSecret'], person.refreshToken]) {
    expect(text).not.toContain(String(value));
  }
});

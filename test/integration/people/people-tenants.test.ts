// Tenants: create, list and change, and the isolation of two tenants that use the same names.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listOf, makePerson, ok, type TestPerson, tokensFor } from '../../support/service/people.ts';
import {
  adminToken,
  basic,
  browserSession,
  member,
  type Platform,
  startPlatform,
} from '../../support/service/platform.ts';
import { actorRecord } from '../../support/service/records.ts';
import { clientForm } from '../../support/service/token-calls.ts';

let platform: Platform;
let admin: { readonly authorization: string };
/** An admin of the tenant LAB. */
let boss: TestPerson;
/** The user `ana` of DEV. The tenant LAB has a user of the same name. */
let ana: TestPerson;
let otherAna: TestPerson;

const ask = (method: string, path: string, json?: unknown, headers = admin) =>
  platform.ask(method, path, { ...(json !== undefined && { json }), headers });

beforeAll(async () => {
  platform = await startPlatform();
  admin = await adminToken(platform);
  ok(await ask('POST', '/tenants', { id: 'LAB', name: 'The lab' }));
  boss = await makePerson(platform, admin, { username: 'boss', tenant: 'LAB', roles: ['admin'] });
  ana = await makePerson(platform, admin, { username: 'ana' });
  otherAna = await makePerson(platform, boss.bearer, { username: 'ana', tenant: 'LAB' });
});
afterAll(() => platform.close());

const usernames = async (path: string, headers: { readonly authorization: string }) =>
  listOf(await ask('GET', path, undefined, headers)).map(({ username }) => username);

const spec = { authorization_code: 14_400, implicit: 3_600, password: 14_400, client_credentials: 14_400 };

describe('tenants', () => {
  it('are listed without a token, the first tenant first, each with exactly the base URL of the daemon', async () => {
    expect(listOf(await platform.ask('GET', '/tenants')).slice(0, 2)).toEqual([
      { code: 'DEV', name: 'Development', baseUrl: platform.baseUrl },
      { code: 'LAB', name: 'The lab', baseUrl: platform.baseUrl },
    ]);
  });

  it('R38 C9 have their own token lifetimes, limited to the maximum, with the default lifetimes otherwise', async () => {
    const made = ok(
      await ask('POST', '/tenants', { id: 'timed', lifetimes: { password: 60, clientCredentials: 99_999 } }),
    );
    expect(made.result).toEqual({
      code: 'timed',
      name: 'timed',
      baseUrl: platform.baseUrl,
      lifetimes: { ...spec, password: 60, client_credentials: 14_400 },
    });
    expect((await ask('GET', '/tenants/timed')).result).toEqual(made.result);
    const person = await makePerson(platform, admin, { username: 'quick', tenant: 'timed' });
    const form = { grant_type: 'password', username: 'quick', password: person.password, scope: 'PRODUCTION' };
    expect(member(await platform.token(form, person.client), 'expires_in')).toBe(60);
    expect(member(await platform.token(clientForm, person.client), 'expires_in')).toBe(14_400);
    const changed = ok(await ask('PUT', '/tenants/timed', { lifetimes: { client_credentials: 5 } }));
    expect(changed.result).toMatchObject({
      name: 'timed',
      lifetimes: { ...spec, password: 60, client_credentials: 5 },
    });
    expect(member(await platform.token(clientForm, person.client), 'expires_in')).toBe(5);
  });

  it('are shown to and changed by their own admins and the admins of the first tenant only', async () => {
    expect(ok(await ask('PUT', '/tenants/LAB', { name: 'Lab' }, boss.bearer)).result).toMatchObject({ name: 'Lab' });
    expect(ok(await ask('PUT', '/tenants/LAB', { name: 'The lab' })).result['lifetimes']).toEqual(spec);
    for (const path of ['/tenants/DEV', '/tenants/NOWHERE']) {
      expect((await ask('GET', path, undefined, boss.bearer)).status).toBe(403);
      expect((await ask('PUT', path, { name: 'x' }, boss.bearer)).status).toBe(403);
    }
    expect((await ask('GET', '/tenants/LAB', undefined, otherAna.bearer)).status).toBe(403);
    expect((await ask('PUT', '/tenants/NOWHERE', { name: 'x' })).status).toBe(404);
    expect((await ask('GET', '/tenants/__proto__')).status).toBe(404);
  });

  it('are created by admins of the first tenant only', async () => {
    expect((await ask('POST', '/tenants', { id: 'MINE' }, boss.bearer)).status).toBe(403);
    expect((await ask('POST', '/tenants', { id: 'MINE' }, ana.bearer)).status).toBe(403);
    expect((await platform.ask('POST', '/tenants', { json: { id: 'MINE' } })).status).toBe(401);
    const form = await platform.ask('POST', '/tenants', { form: { id: 'MINE' }, headers: admin });
    expect(form.status).toBe(415);
    expect((await platform.ask('GET', '/tenants')).text).not.toContain('MINE');
  });

  it('may have dots in their ids, as on the hosted platform', async () => {
    const made = await platform.ask('POST', '/tenants', { json: { id: 'tacc.prod' }, headers: admin });
    expect([made.status, made.result['code']]).toEqual([200, 'tacc.prod']);
    expect((await platform.ask('GET', '/tenants/tacc.prod', { headers: admin })).status).toBe(200);
  });

  it.each([
    [{ id: 'dev' }, 409],
    [{ id: 'LAB' }, 409],
    [{ id: 'a_b' }, 400],
    [{ id: 'a/b' }, 400],
    [{ id: 'a..b' }, 400],
    [{ id: 'a.' }, 400],
    [{ id: '1a' }, 400],
    [{ id: '' }, 400],
    [{ id: 'x'.repeat(33) }, 400],
    [{ id: '__proto__' }, 400],
    [{}, 400],
    [{ id: 'new', lifetimes: { password: 0 } }, 400],
    [{ id: 'new', lifetimes: { password: -5 } }, 400],
    [{ id: 'new', lifetimes: { password: 'long' } }, 400],
    [{ id: 'new', lifetimes: { everything: 5 } }, 400],
    [{ id: 'new', lifetimes: 60 }, 400],
  ])('R123 creating %j returns %i', async (fields, status) => {
    expect((await ask('POST', '/tenants', fields)).status).toBe(status);
    expect((await platform.ask('GET', '/tenants')).text).not.toContain('"new"');
  });
});

describe('R123 one name in two tenants', () => {
  it('means two users, and each token, profile and password belongs to one of them', async () => {
    // Each is the second user of its tenant.
    for (const { bearer } of [ana, otherAna]) {
      expect((await ask('GET', '/profiles/v2/me', undefined, bearer)).result['uid']).toBe(2);
    }
    ok(await ask('PUT', '/users/v2/ana?tenant=LAB', { email: 'lab@example.org' }));
    expect((await ask('GET', '/profiles/v2/ana', undefined, ana.bearer)).result['email']).toBe('');
    expect((await ask('GET', '/profiles/v2/ana', undefined, otherAna.bearer)).result['email']).toBe('lab@example.org');
    const sessions = [await browserSession(platform, 'DEV', 'ana'), await browserSession(platform, 'LAB', 'ana')];
    ok(await ask('PUT', '/users/v2/ana', { password: 'another password' }, boss.bearer));
    expect(sessions.map((exists) => exists())).toEqual([true, false]);
    expect((await ask('GET', '/profiles/v2/me', undefined, ana.bearer)).status).toBe(200);
    expect((await ask('GET', '/profiles/v2/me', undefined, otherAna.bearer)).status).toBe(401);
    expect((await tokensFor(platform, ana.client, 'ana', 'another password')).status).toBe(400);
    expect((await tokensFor(platform, otherAna.client, 'ana', 'another password')).status).toBe(200);
  });

  it('means two clients, and a deletion in one tenant leaves the client of the other', async () => {
    const inLab = { authorization: basic('LAB/ana', 'another password') };
    ok(await ask('PUT', '/clients/v2/own', { description: 'of the lab' }, inLab));
    expect((await ask('GET', '/clients/v2/own', undefined, ana.basic)).result['description']).toBe('');
    ok(await ask('DELETE', '/clients/v2/own', undefined, inLab));
    expect((await platform.token(clientForm, ana.client)).status).toBe(200);
    expect((await platform.token(clientForm, otherAna.client)).status).toBe(401);
  });

  it('limits lists and lookups to one tenant, and admins of the first tenant may name another tenant', async () => {
    expect(await usernames('/users/v2', boss.bearer)).toEqual(['boss', 'ana']);
    expect(await usernames('/profiles/v2', boss.bearer)).toEqual(['boss', 'ana']);
    expect(await usernames('/users/v2', admin)).toEqual(['admin', 'ana']);
    expect(await usernames('/users/v2?tenant=LAB', admin)).toEqual(['boss', 'ana']);
    expect((await ask('GET', '/users/v2/boss')).status).toBe(404);
    expect((await ask('GET', '/users/v2/boss?tenant=LAB')).result['tenant']).toBe('LAB');
    expect((await ask('GET', '/profiles/v2/boss')).status).toBe(404);
    expect((await ask('GET', '/profiles/v2/admin', undefined, boss.bearer)).status).toBe(404);
    expect((await ask('GET', '/users/v2?tenant=NOWHERE')).status).toBe(404);
  });

  it.each(['DEV', 'NOWHERE'])(
    'keeps admins of another tenant out of tenant %s, whether it exists or not',
    async (tenant) => {
      const query = `?tenant=${tenant}`;
      for (const [method, path] of [
        ['GET', '/users/v2'],
        ['GET', '/users/v2/ana'],
        ['PUT', '/users/v2/ana'],
        ['DELETE', '/users/v2/ana'],
      ] as const) {
        const answer = await ask(
          method,
          path + query,
          method === 'PUT' ? { password: 'a long password' } : undefined,
          boss.bearer,
        );
        expect(answer.status).toBe(403);
      }
      const made = await ask(
        'POST',
        '/users/v2',
        { username: 'spy', password: 'a long password', tenant },
        boss.bearer,
      );
      expect(made.status).toBe(403);
    },
  );

  it('keeps the last admin of a tenant and its actors when the same name is deleted in another tenant', async () => {
    expect((await ask('DELETE', '/users/v2/boss?tenant=LAB')).status).toBe(409);
    const actor = actorRecord('A000000000001', { tenant: 'DEV', owner: 'ana', permissions: { ana: 'UPDATE' } });
    await platform.store.transact((tx) => tx.put('actors', actor));
    expect((await ask('DELETE', '/users/v2/ana?tenant=LAB&reassignTo=admin')).status).toBe(404);
    ok(await ask('DELETE', '/users/v2/ana', undefined, boss.bearer));
    expect(platform.store.get('actors', 'A000000000001')).toEqual(actor);
    expect((await ask('GET', '/profiles/v2/me', undefined, ana.bearer)).status).toBe(200);
  });
});

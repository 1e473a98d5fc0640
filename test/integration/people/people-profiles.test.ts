// Profiles: the caller's own, those of other users of the tenant, and the list, in the forms that clients use.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listOf, makePerson, ok, type TestPerson } from '../../support/service/people.ts';
import { adminToken, member, type Platform, startPlatform } from '../../support/service/platform.ts';

let platform: Platform;
let ana: TestPerson;
beforeAll(async () => {
  platform = await startPlatform();
  const admin = await adminToken(platform);
  ana = await makePerson(platform, admin, { username: 'ana' });
  const json = { email: 'g@example.org', first_name: 'Grace', last_name: 'Hopper', phone: '1', mobile_phone: '2' };
  await makePerson(platform, admin, { username: 'grace' });
  ok(await platform.ask('PUT', '/users/v2/grace', { json, headers: admin }));
});
afterAll(() => platform.close());

const get = (path: string) => platform.ask('GET', path, { headers: ana.bearer });

it('a profile of another user of the tenant has both field spellings, and neither roles nor password', async () => {
  const { result, text } = ok(await get('/profiles/v2/grace'));
  expect(result).toMatchObject({
    username: 'grace',
    email: 'g@example.org',
    first_name: 'Grace',
    last_name: 'Hopper',
    full_name: 'Grace Hopper',
    phone: '1',
    mobile_phone: '2',
    status: 'Active',
    uid: expect.any(Number),
    create_time: expect.stringMatching(/^\d{14}Z$/),
    firstName: 'Grace',
    lastName: 'Hopper',
    _links: {
      self: { href: `${platform.baseUrl}/profiles/v2/grace` },
      users: { href: `${platform.baseUrl}/profiles/v2` },
    },
  });
  for (const name of [
    'position',
    'institution',
    'fax',
    'researchArea',
    'department',
    'city',
    'state',
    'country',
    'gender',
  ]) {
    expect(result[name]).toBe('');
  }
  expect(text).not.toMatch(/scrypt|password|roles|tenant/);
});

it('R86 `me` is the user of the token', async () => {
  expect((await get('/profiles/v2/me')).result).toEqual((await get('/profiles/v2/ana')).result);
});

it.each([
  ['', ['admin', 'ana', 'grace']],
  ['?username=grace', ['grace']],
  ['?username=grace&email=g@example.org', ['grace']],
  ['?username=ana&email=g@example.org', []],
  ['?first_name=Grace', ['grace']],
  ['?lastName=Hopper', ['grace']],
  ['?username=GRACE', []],
  ['?username=gra', []],
  ['?username=', ['admin', 'ana', 'grace']],
])('the list with the query %j holds %j', async (query, names) => {
  expect(listOf(await get(`/profiles/v2${query}`)).map(({ username }) => username)).toEqual(names);
  expect(listOf(await get(`/profiles/v2/${query}`)).map(({ username }) => username)).toEqual(names);
});

it.each(['/profiles/v2/me', '/profiles/v2/grace', '/profiles/v2'])(
  '%s is bare with naked=true and indented with pretty=true',
  async (path) => {
    const whole = await get(path);
    const naked = await get(`${path}?naked=true`);
    expect(naked.json).toEqual(member(whole, 'result'));
    expect((await get(`${path}?pretty=true`)).text).toBe(JSON.stringify(whole.json, null, 2));
    expect((await get(`${path}?pretty=true&naked=true`)).text).toBe(JSON.stringify(naked.json, null, 2));
  },
);

it.each(['nobody', '__proto__', 'constructor', 'GRACE', 'a%2Fb', '%00'])(
  'there is no profile named %s',
  async (name) => {
    expect((await get(`/profiles/v2/${name}`)).status).toBe(404);
  },
);

it('a profile needs a bearer token, Basic is refused, and PUT is 405', async () => {
  for (const path of ['/profiles/v2/me', '/profiles/v2/grace', '/profiles/v2/nobody', '/profiles/v2']) {
    expect((await platform.ask('GET', path)).status).toBe(401);
    expect((await platform.ask('GET', path, { headers: ana.basic })).status).toBe(401);
  }
  expect((await platform.ask('PUT', '/profiles/v2/grace', { json: {}, headers: ana.bearer })).status).toBe(405);
});

// OAuth clients after their registration: show, update, rotate, delete, and access by other users.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePerson, ok, type TestPerson, tokensFor } from '../../support/service/people.ts';
import { adminToken, basic, member, type Platform, startPlatform } from '../../support/service/platform.ts';
import { clientForm, refusal, textOf } from '../../support/service/token-calls.ts';

let platform: Platform;
let ana: TestPerson;
let bob: TestPerson;
beforeAll(async () => {
  platform = await startPlatform();
  const admin = await adminToken(platform);
  ana = await makePerson(platform, admin, { username: 'ana' });
  bob = await makePerson(platform, admin, { username: 'bob' });
});
afterAll(() => platform.close());

const ask = (method: string, path: string, json?: unknown, headers = ana.basic) =>
  platform.ask(method, path, { ...(json !== undefined && { json }), headers });

let count = 0;
const register = async (fields: Readonly<Record<string, unknown>> = {}) => {
  count += 1;
  const name = `client-${count}`;
  const { result } = ok(await ask('POST', '/clients/v2', { clientName: name, ...fields }));
  const id = String(result['consumerKey']);
  const secret = String(result['consumerSecret']);
  return { name, path: `/clients/v2/${name}`, id, secret, header: { authorization: basic(id, secret) } };
};

const works = async (client: { readonly authorization: string }) =>
  (await platform.token(clientForm, client)).status === 200;

const meStatus = async (token: string) =>
  (await platform.ask('GET', '/profiles/v2/me', { headers: { authorization: `Bearer ${token}` } })).status;

describe('a client', () => {
  it('is shown without its secret and with the number of its valid tokens', async () => {
    const client = await register({ description: 'd', callbackUrl: 'https://a.example/x' });
    await tokensFor(platform, client.header, 'ana', ana.password);
    await platform.token(clientForm, client.header);
    const shown = await ask('GET', client.path);
    expect(shown.result).toMatchObject({
      name: client.name,
      consumerKey: client.id,
      callbackUrl: 'https://a.example/x',
      public: false,
      tokens: { access: 2, refresh: 1 },
    });
    expect(shown.text).not.toContain('consumerSecret');
    expect(shown.text).not.toContain(client.secret);
    expect((await ask('GET', client.path, undefined, ana.bearer)).result).toEqual(shown.result);
  });

  it('keeps the fields that an update omits, and omitting `grants` adds no grant', async () => {
    const client = await register({ grants: 'client_credentials', callbackUrl: 'https://a.example/x', tier: 'Gold' });
    const updated = ok(await ask('PUT', client.path, { description: 'new' }));
    expect(updated.result).toMatchObject({
      description: 'new',
      grants: ['client_credentials'],
      callbackUrl: 'https://a.example/x',
      tier: 'Gold',
    });
    expect(updated.text).not.toContain('consumerSecret');
    const moved = ok(await ask('PUT', client.path, { callback_url: 'https://b.example/,https://c.example/' }));
    expect(moved.result).toMatchObject({ description: 'new', callbackUrl: 'https://b.example/,https://c.example/' });
    expect(ok(await ask('PUT', client.path, { callbackUrl: '', description: '' })).result).toMatchObject({
      callbackUrl: '',
      description: '',
    });
    expect(ok(await ask('PUT', client.path, { clientName: client.name, public: 'false' })).status).toBe(200);
    expect(await works(client.header)).toBe(true);
  });

  it.each([
    [{ callbackUrl: 'https://user@a.example/' }, 'callbackUrl'],
    [{ callbackUrl: 'https://a.example/#x' }, 'callbackUrl'],
    [{ callback_url: 'https://*.example/' }, 'callback_url'],
    [{ callbackUrl: '/relative' }, 'callbackUrl'],
    [{ callbackUrl: 'https://999.1.1.1/cb' }, 'callbackUrl'],
    [{ callbackUrl: 'JavaScript:alert(1)' }, 'callbackUrl'],
    [{ grants: 'password,everything' }, 'grants'],
    [{ clientName: 'another' }, 'clientName'],
    [{ public: true }, 'public'],
    [{ public: 'perhaps' }, 'public'],
    [{ description: 5 }, 'description'],
  ])('R06 refuses the update %j and changes nothing', async (fields, named) => {
    const client = await register({ callbackUrl: 'https://a.example/x' });
    const answer = await ask('PUT', client.path, { ...fields, tier: 'Gold' });
    expect(answer.status).toBe(400);
    expect(member(answer, 'message')).toContain(named);
    expect((await ask('GET', client.path)).result).toMatchObject({
      callbackUrl: 'https://a.example/x',
      tier: 'Unlimited',
    });
  });

  it('R30 loses the tokens of a removed grant, and keeps its other tokens', async () => {
    const client = await register();
    const byPassword = await tokensFor(platform, client.header, 'ana', ana.password);
    const byClient = textOf(await platform.token(clientForm, client.header), 'access_token');
    ok(await ask('PUT', client.path, { grants: ['client_credentials', 'refresh_token'] }));
    expect(await meStatus(byPassword.access)).toBe(401);
    expect(await meStatus(byClient)).toBe(200);
    expect((await tokensFor(platform, client.header, 'ana', ana.password)).status).toBe(400);
    const refresh = { grant_type: 'refresh_token', refresh_token: byPassword.refresh };
    expect(refusal(await platform.token(refresh, client.header))).toEqual([400, 'invalid_grant']);
  });

  it('R30 gets no token by a grant that is removed during the request', async () => {
    const client = await register();
    const requests = Promise.all(
      Array.from({ length: 5 }, () => tokensFor(platform, client.header, 'ana', ana.password)),
    );
    await ask('PUT', client.path, { grants: 'client_credentials' }, ana.bearer);
    const refused = (await requests).filter(({ status }) => status !== 200);
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400));
    expect(platform.store.by('tokens', 'client', client.id)).toEqual([]);
  });

  it('R84 R66 loses its tokens when it is deleted, and its name can be registered again', async () => {
    const client = await register();
    const { access, refresh } = await tokensFor(platform, client.header, 'bob', bob.password);
    expect(ok(await ask('DELETE', client.path)).result).toEqual({ deleted: client.name, revoked: 2 });
    expect(await meStatus(access)).toBe(401);
    expect(await works(client.header)).toBe(false);
    expect((await ask('GET', client.path)).status).toBe(404);
    expect((await ask('DELETE', client.path)).status).toBe(404);
    const again = ok(await ask('POST', '/clients/v2', { clientName: client.name })).result;
    const header = { authorization: basic(String(again['consumerKey']), String(again['consumerSecret'])) };
    expect(again['consumerKey']).not.toBe(client.id);
    expect(refusal(await platform.token({ grant_type: 'refresh_token', refresh_token: refresh }, header))).toEqual([
      400,
      'invalid_grant',
    ]);
  });

  it('R122 of another user is answered exactly like an unknown client, even to an admin', async () => {
    const client = await register();
    const admin = { authorization: basic('admin', 'correct horse battery') };
    for (const headers of [bob.basic, bob.bearer, admin]) {
      for (const [method, path] of [
        ['GET', client.path],
        ['PUT', client.path],
        ['DELETE', client.path],
        ['POST', `${client.path}/secret`],
      ] as const) {
        const foreign = await ask(method, path, method === 'GET' ? undefined : {}, headers);
        const absent = await ask(
          method,
          path.replace(client.name, 'absent'),
          method === 'GET' ? undefined : {},
          headers,
        );
        expect([foreign.status, absent.status]).toEqual([404, 404]);
        expect(foreign.text).toBe(absent.text.replaceAll('absent', client.name));
      }
    }
    expect(await works(client.header)).toBe(true);
  });

  it.each(['__proto__', 'constructor', 'toString', '%2e%2e', 'a%2Fb', '%00'])(
    'R125 R131 %s is not found',
    async (name) => {
      expect((await ask('GET', `/clients/v2/${name}`)).status).toBe(404);
    },
  );

  it('is refused with 401 without a credential', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await platform.ask(method, '/clients/v2/own')).status).toBe(401);
    }
    expect((await platform.ask('POST', '/clients/v2/own/secret')).status).toBe(401);
  });
});

describe('a rotation', () => {
  it('R49 gives a new secret, and the old secret and all tokens are invalid at once', async () => {
    const client = await register();
    const { access, refresh } = await tokensFor(platform, client.header, 'ana', ana.password);
    const rotated = ok(await ask('POST', `${client.path}/secret`, {})).result;
    expect(rotated).toMatchObject({ consumerKey: client.id, revoked: 2 });
    expect(rotated['consumerSecret']).toMatch(/^[\w-]{43}$/);
    expect(rotated['consumerSecret']).not.toBe(client.secret);
    expect(rotated['previousValidUntil']).toBeUndefined();
    const fresh = { authorization: basic(client.id, String(rotated['consumerSecret'])) };
    expect([await works(client.header), await works(fresh)]).toEqual([false, true]);
    expect(await meStatus(access)).toBe(401);
    expect(refusal(await platform.token({ grant_type: 'refresh_token', refresh_token: refresh }, fresh))).toEqual([
      400,
      'invalid_grant',
    ]);
    expect((await ask('GET', client.path)).text).not.toContain(String(rotated['consumerSecret']));
  });

  it('R48 with a grace period keeps the old secret and the tokens valid until the period ends', async () => {
    const client = await register();
    const { access } = await tokensFor(platform, client.header, 'ana', ana.password);
    const form = await platform.ask('POST', `${client.path}/secret`, { form: { grace: '3600' }, headers: ana.basic });
    const { result } = ok(form);
    const fresh = { authorization: basic(client.id, String(result['consumerSecret'])) };
    expect(result['revoked']).toBe(0);
    expect(await meStatus(access)).toBe(200);
    expect([await works(client.header), await works(fresh)]).toEqual([true, true]);
    expect((await ask('GET', client.path)).result['previousValidUntil']).toBe(result['previousValidUntil']);
    platform.advance(3_600_000);
    expect([await works(client.header), await works(fresh)]).toEqual([false, true]);
    expect((await ask('GET', client.path)).result['previousValidUntil']).toBeUndefined();
    platform.advance(-3_600_000);
  });

  it('ends the grace period of the previous rotation, so a client never has more than two secrets', async () => {
    const client = await register();
    const second = ok(await ask('POST', `${client.path}/secret`, { grace: 60 })).result['consumerSecret'];
    const third = ok(await ask('POST', `${client.path}/secret`, { grace: 60 })).result['consumerSecret'];
    const header = (secret: unknown) => ({ authorization: basic(client.id, String(secret)) });
    expect([await works(client.header), await works(header(second)), await works(header(third))]).toEqual([
      false,
      true,
      true,
    ]);
    ok(await ask('POST', `${client.path}/secret`));
    expect([await works(header(second)), await works(header(third))]).toEqual([false, false]);
  });

  it.each([-1, 2_592_001, 1.5, 'soon', '1h'])('refuses a grace period of %j', async (grace) => {
    const client = await register();
    const answer = await ask('POST', `${client.path}/secret`, { grace });
    expect([answer.status, String(member(answer, 'message')).startsWith('grace ')]).toEqual([400, true]);
    expect(await works(client.header)).toBe(true);
  });
});

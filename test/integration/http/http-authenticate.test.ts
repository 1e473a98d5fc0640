// Bearer tokens and Basic credentials: the requests that they allow, refusals and challenges.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinKey } from '../../../daemon/domain/records/record-key.ts';
import {
  ADMIN_PASSWORD,
  basic,
  makeClient,
  member,
  type Platform,
  startPlatform,
  statusOf,
} from '../../support/service/platform.ts';

let platform: Platform;
let client: Awaited<ReturnType<typeof makeClient>>;
beforeAll(async () => {
  platform = await startPlatform();
  client = await makeClient(platform);
});
afterAll(() => platform.close());

const newToken = async () =>
  String(member(await platform.token({ grant_type: 'client_credentials' }, client.header), 'access_token'));
const me = (authorization?: string, path = '/profiles/v2/me') =>
  platform.ask('GET', path, authorization === undefined ? {} : { headers: { authorization } });

describe('a bearer token', () => {
  it('R86 identifies its user', async () => {
    const answer = await me(`Bearer ${await newToken()}`);
    expect(answer.result['username']).toBe('admin');
  });

  it('R81 is accepted with any letter case of the scheme', async () => {
    const token = await newToken();
    for (const scheme of ['bearer', 'BEARER', 'BeArEr']) expect((await me(`${scheme} ${token}`)).status).toBe(200);
  });

  it('R80 that is missing is refused with 401 and a bare challenge', async () => {
    const answer = await me();
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="actorctl"');
    expect(answer.json).toMatchObject({
      result: null,
      status: 'error',
      fault: { code: 900902, message: 'Invalid Credentials' },
    });
  });

  it('R80 that is unknown is refused with 401 invalid_token', async () => {
    const answer = await me('Bearer nobody-knows-this');
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    expect(member(answer, 'fault')).toMatchObject({ code: 900901, message: 'Invalid Credentials' });
  });

  it('R80 that has expired is refused with that reason', async () => {
    const token = await newToken();
    platform.advance(14_400_000);
    const answer = await me(`Bearer ${token}`);
    expect(answer.status).toBe(401);
    expect(answer.headers['x-failure-code']).toBe('TOKEN_EXPIRED');
    expect(member(answer, 'fault')).toMatchObject({ code: 900903, message: 'Invalid Credentials' });
  });

  it('R79 is not read from the query, the body or a cookie', async () => {
    const token = await newToken();
    expect((await me(undefined, `/profiles/v2/me?access_token=${token}`)).status).toBe(401);
    expect((await platform.ask('POST', '/actors/v2', { form: { access_token: token, image: 'x' } })).status).toBe(401);
    const cookie = { headers: { cookie: `access_token=${token}` } };
    expect((await platform.ask('GET', '/profiles/v2/me', cookie)).status).toBe(401);
  });

  it('R81 that is altered, quoted, repeated or with another scheme is refused', async () => {
    const token = await newToken();
    const flipped = (token.startsWith('A') ? 'B' : 'A') + token.slice(1);
    for (const [header, status] of [
      [`Bearer ${flipped}`, 401],
      [`Bearer ${token.slice(0, -1)}`, 401],
      [`Bearer ${token}x`, 401],
      [`Bearer ${token.toUpperCase()}`, 401],
      [`Bearer "${token}"`, 400],
      [`Bearer ${token} ${token}`, 400],
      [`Bearer ${token}, Bearer ${token}`, 400],
      [`Bearer`, 400],
      [`Bearer ${'a'.repeat(5_000)}`, 400],
      [`Digest ${token}`, 401],
      [token, 400],
      [basic('admin', ADMIN_PASSWORD), 401],
      ['Bearer __proto__', 401],
      ['Bearer constructor', 401],
    ] as const) {
      expect([header.slice(0, 20), (await me(header)).status]).toEqual([header.slice(0, 20), status]);
    }
  });

  it('R80 that is malformed is refused with 400 invalid_request', async () => {
    const answer = await me('Bearer a"b');
    expect(answer.status).toBe(400);
    expect(answer.headers['www-authenticate']).toContain('error="invalid_request"');
  });

  it('R82 is opaque, in the alphabet of RFC 6750, and other characters are malformed', async () => {
    const token = await newToken();
    expect(token).toMatch(/^[\w-]{43}$/);
    for (const wrong of [
      `${token}!`,
      `${token.slice(0, 20)}=${token.slice(20)}`,
      `${token},`,
      `${token} x`,
      `é${token}`,
    ]) {
      expect([wrong, (await me(`Bearer ${wrong}`)).status]).toEqual([wrong, 400]);
    }
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${part({ alg: 'none' })}.${part({ sub: 'admin', tenant: 'DEV' })}.`;
    expect((await me(`Bearer ${unsigned}`)).status).toBe(401);
  });

  it('R81 in two headers is refused', async () => {
    const token = await newToken();
    const line = `Authorization: Bearer ${token}\r\n`;
    const text = await platform.raw(
      `GET /profiles/v2/me HTTP/1.1\r\nHost: 127.0.0.1:${platform.port}\r\n${line}${line}Connection: close\r\n\r\n`,
    );
    expect(statusOf(text)).toBe(400);
  });

  it('R58 that is a refresh token is refused', async () => {
    const form = { grant_type: 'password', username: 'admin', password: ADMIN_PASSWORD, scope: 'PRODUCTION' };
    const answer = await platform.token(form, client.header);
    expect((await me(`Bearer ${String(member(answer, 'refresh_token'))}`)).status).toBe(401);
  });

  it('R84 ends at once with its record, its client or its user', async () => {
    const { store, vault } = platform;
    const first = await newToken();
    await store.transact((tx) => tx.delete('tokens', vault.digest(first)));
    expect((await me(`Bearer ${first}`)).status).toBe(401);
    const other = await makeClient(platform);
    const token = String(
      member(await platform.token({ grant_type: 'client_credentials' }, other.header), 'access_token'),
    );
    expect((await me(`Bearer ${token}`)).status).toBe(200);
    await store.transact((tx) => tx.delete('clients', other.id));
    expect((await me(`Bearer ${token}`)).status).toBe(401);
    const second = await newToken();
    const key = joinKey('DEV', 'admin');
    const admin = store.get('users', key);
    await store.transact((tx) => tx.delete('users', key));
    expect((await me(`Bearer ${second}`)).status).toBe(401);
    if (admin) await store.transact((tx) => tx.put('users', admin));
    expect((await me(`Bearer ${second}`)).status).toBe(200);
  });
});

describe('Basic authentication', () => {
  const list = (authorization: string) => platform.ask('GET', '/clients/v2/', { headers: { authorization } });

  it('is accepted by the routes that support it, with or without the tenant in the name', async () => {
    expect((await list(basic('admin', ADMIN_PASSWORD))).status).toBe(200);
    expect((await list(basic('DEV/admin', ADMIN_PASSWORD))).status).toBe(200);
  });

  it('with wrong credentials is refused with 401 and both challenges', async () => {
    for (const [name, password] of [
      ['admin', 'wrong'],
      ['nobody', ADMIN_PASSWORD],
      ['OTHER/admin', ADMIN_PASSWORD],
      ['', ''],
    ] as const) {
      const answer = await list(basic(name, password));
      expect([name, answer.status]).toEqual([name, 401]);
      expect(answer.headers['www-authenticate']).toMatch(/Bearer.*Basic/);
    }
  });

  it.each(['Basic', 'Basic !!!', `Basic ${Buffer.from('nocolon').toString('base64')}`, 'Basic /////w=='])(
    'R50 given as %s is refused with 400',
    async (header) => {
      expect((await list(header)).status).toBe(400);
    },
  );
});

it('an admin route returns 403 to a user without the role', async () => {
  const headers = { authorization: `Bearer ${await newToken()}` };
  await platform.ask('POST', '/users/v2', { json: { username: 'plain', password: 'plain-password' }, headers });
  const own = await platform.ask('POST', '/clients/v2', {
    json: { clientName: 'own' },
    headers: { authorization: basic('plain', 'plain-password') },
  });
  const header = { authorization: basic(String(own.result['consumerKey']), String(own.result['consumerSecret'])) };
  const token = member(await platform.token({ grant_type: 'client_credentials' }, header), 'access_token');
  const answer = await platform.ask('GET', '/users/v2', { headers: { authorization: `Bearer ${String(token)}` } });
  expect(answer.status).toBe(403);
});

describe('the listener for containers', () => {
  it('C23 accepts only the token of a running execution', async () => {
    const inner = await startPlatform({ onlyExecutionTokens: true });
    try {
      const { store, vault } = inner;
      const common = {
        tenant: 'DEV',
        username: 'admin',
        clientId: '',
        scope: 'PRODUCTION',
        grantId: 'g',
        issuedAt: 0,
      } as const;
      const running = {
        id: 'e1',
        actorId: 'a',
        tenant: 'DEV',
        sequence: 1,
        executor: 'admin',
        status: 'RUNNING',
        receivedAt: 0,
      } as const;
      await store.transact((tx) => {
        tx.put('executions', running);
        tx.put('tokens', {
          ...common,
          hash: vault.digest('of-run'),
          kind: 'access',
          flow: 'execution',
          executionId: 'e1',
        });
        tx.put('tokens', { ...common, hash: vault.digest('of-user'), kind: 'access', flow: 'password' });
      });
      const ask = (path: string, authorization?: string) =>
        inner.ask('GET', path, authorization === undefined ? {} : { headers: { authorization } });
      expect((await ask('/profiles/v2/me', 'Bearer of-run')).status).toBe(200);
      expect((await ask('/profiles/v2/me', 'Bearer of-user')).status).toBe(401);
      expect((await ask('/clients/v2', basic('admin', ADMIN_PASSWORD))).status).toBe(401);
      expect((await ask('/healthz')).status).toBe(401);
      expect((await ask('/nope')).status).toBe(401);
      expect((await inner.token({ grant_type: 'password' }, { authorization: basic('a', 'b') })).status).toBe(401);
      await store.transact((tx) => tx.put('executions', { ...running, status: 'COMPLETE' }));
      expect((await ask('/profiles/v2/me', 'Bearer of-run')).status).toBe(401);
    } finally {
      await inner.close();
    }
  });
});

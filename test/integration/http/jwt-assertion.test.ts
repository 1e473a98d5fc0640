// Assertions of a gateway in place of tokens: only signed ones, for users that exist, from this machine, where a key is given.
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServices } from '../../../daemon/app/services.ts';
import { Failure } from '../../../daemon/domain/failure.ts';
import { joinKey } from '../../../daemon/domain/records/record-key.ts';
import { acceptAssertions } from '../../../daemon/http/jwt-assertion.ts';
import { parseAssertionKey } from '../../../src/local/daemon/tls-files.ts';
import { type ActorService, startActorService, tokenOf } from '../../support/service/actor-service.ts';
import { call } from '../../support/service/call.ts';
import { type ListeningLegacy, listenLegacy, madeIdentity } from '../../support/service/legacy-listener.ts';

const gateway = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const HEADER = 'X-Jwt-Assertion-DEV';

let service: ActorService;
let legacy: ListeningLegacy;
beforeAll(async () => {
  service = await startActorService();
  legacy = await listenLegacy(service.services, { gateway: { key: gateway.publicKey } });
});
afterAll(async () => {
  await legacy.app.close();
  await service.close();
});

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600;
const claims = (user: string, exp: unknown = inAnHour()) => ({ exp, 'http://wso2.org/claims/enduser': user });
const jwt = (body: unknown, { alg = 'RS256', key = gateway.privateKey }: { alg?: string; key?: KeyObject } = {}) => {
  const text = `${part({ alg, typ: 'JWT' })}.${part(body)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
};

const get = (headers: Readonly<Record<string, string>>, path = '/profiles/v2/me', at = legacy.baseUrl) =>
  call(at, 'GET', path, { headers });

describe('a JWT assertion of the gateway', () => {
  it.each([
    ['of a user', claims('ana')],
    ['in the form of the gateway', claims('DEV/ana@carbon.super')],
    ['with the tenant of the header', claims('ana@dev')],
    ['that has begun', { ...claims('ana'), nbf: inAnHour() - 3_601 }],
    ['that ends at a time in milliseconds', claims('ana', Date.now() + 60_000)],
  ])('%s is accepted', async (_what, body) => {
    const answer = await get({ [HEADER]: jwt(body) });
    expect([answer.status, answer.result['username']]).toEqual([200, 'ana']);
  });

  it('authenticates the user with the stored roles, not with roles from the assertion', async () => {
    expect((await get({ [HEADER]: jwt(claims('root')) }, '/users/v2')).status).toBe(200);
    const role = { ...claims('ana'), 'http://wso2.org/claims/role': 'admin' };
    expect((await get({ [HEADER]: jwt(role) }, '/users/v2')).status).toBe(400);
  });

  it('is accepted at the paths of the actor service with and without /v2', async () => {
    const headers = { [HEADER]: jwt(claims('ana')) };
    const id = await service.actor('ana');
    for (const path of ['/actors', '/actors?limit=1', `/actors/${id}`, `/actors/v2/${id}`, '/actors/v2'])
      expect([path, (await get(headers, path)).status]).toEqual([path, 200]);
    expect((await get(headers, '/actorsx')).status).toBe(404);
    expect((await service.askLegacy('ana', 'GET', '/actors')).status).toBe(404);
  });

  const hmac = () => {
    const text = `${part({ alg: 'HS256' })}.${part(claims('ana'))}`;
    const secret = gateway.publicKey.export({ type: 'spki', format: 'pem' });
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  it.each([
    ['without a signature', () => jwt(claims('ana')).replace(/[^.]*$/, ''), 'did not sign it'],
    ['with alg none', () => `${part({ alg: 'none' })}.${part(claims('ana'))}.`, 'its algorithm must be RS256'],
    ['that says none and is signed', () => jwt(claims('ana'), { alg: 'none' }), 'its algorithm must be RS256'],
    ['signed with the public key as a secret', hmac, 'its algorithm must be RS256'],
    ['of another key', () => jwt(claims('ana'), { key: stranger.privateKey }), 'did not sign it'],
    [
      'with other claims than were signed',
      () => jwt(claims('ana')).replace(/\.[^.]+\./, `.${part(claims('root'))}.`),
      'did not sign it',
    ],
    ['that has expired', () => jwt(claims('ana', inAnHour() - 7_200)), 'it has expired'],
    ['that has expired in milliseconds', () => jwt(claims('ana', Date.now() - 1)), 'it has expired'],
    ['R244 that ends in a week', () => jwt(claims('ana', inAnHour() + 7 * 86_400)), 'more than a day'],
    ['R244 that never ends', () => jwt(claims('ana', 1e300)), 'more than a day'],
    ['R244 that begins in a minute', () => jwt({ ...claims('ana'), nbf: inAnHour() - 3_540 }), 'not valid yet'],
    ['R244 that begins in a minute, in ms', () => jwt({ ...claims('ana'), nbf: Date.now() + 60_000 }), 'not valid yet'],
    ['R244 that begins at no time', () => jwt({ ...claims('ana'), nbf: 'soon' }), 'it needs the claims exp'],
    ['without an end', () => jwt({ 'http://wso2.org/claims/enduser': 'ana' }), 'it needs the claims exp'],
    ['without a user', () => jwt({ exp: inAnHour() }), 'it needs the claims exp'],
    ['of another tenant', () => jwt(claims('ana@OTHER')), 'it is for another tenant'],
    ['of nobody', () => jwt(claims('nobody')), 'there is no such user'],
    ['that is no JWT', () => '123', 'it is no signed JWT'],
    ['of four parts', () => `${jwt(claims('ana'))}.x`, 'it is no signed JWT'],
    ['that is no JSON', () => 'e30x.!!.x', ''],
  ])('%s is refused', async (_what, token, words) => {
    const answer = await get({ [HEADER]: token() });
    expect([answer.status, answer.headers['x-failure-code']]).toEqual([401, 'AUTH_FAILED']);
    expect(answer.text).toContain(words);
  });

  it('for a tenant that does not exist is refused, and so are two assertions in one request', async () => {
    const token = jwt(claims('ana'));
    expect((await get({ 'X-Jwt-Assertion-NONE': token })).status).toBe(401);
    expect((await get({ [HEADER]: token, 'X-Jwt-Assertion-OTHER': token })).status).toBe(401);
  });

  it('of a user whose name contains @ does not identify the user named before the @', async () => {
    const none = await get({ [HEADER]: jwt(claims('root@DEV@carbon.super')) });
    expect([none.status, none.text]).toEqual([401, expect.stringContaining('there is no such user')]);
    const { store } = service.dependencies;
    const root = store.get('users', joinKey('DEV', 'root'));
    await store.transact((tx) => {
      if (root) tx.put('users', { ...root, username: 'root@DEV', roles: ['user'] });
    });
    for (const tenant of ['carbon.super', 'DEV']) {
      const answer = await get({ [HEADER]: jwt(claims(`root@DEV@${tenant}`)) });
      expect(answer.result['username']).toBe('root@DEV');
    }
  });

  it('R244 is valid only for the tenant of the flag, whatever its unsigned header names', async () => {
    const { store } = service.dependencies;
    const ana = store.get('users', joinKey('DEV', 'ana'));
    await store.transact((tx) => {
      for (const id of ['a.b', 'a-b']) {
        tx.put('tenants', { id, name: id, lifetimes: {}, createdAt: 0 });
        if (ana) tx.put('users', { ...ana, tenant: id, uid: 900, roles: ['user'] });
      }
    });
    const other = await get({ 'X-Jwt-Assertion-a-b': jwt(claims('ana')) });
    expect([other.status, other.text]).toEqual([
      401,
      expect.stringContaining('another tenant than --legacy-jwt-public-key'),
    ]);
    for (const tenant of ['a.b', 'a-b']) {
      const pinned = await listenLegacy(service.services, { gateway: { key: gateway.publicKey, tenant } });
      const ask = (header: string, user: string) =>
        get({ [header]: jwt(claims(user)) }, '/profiles/v2/me', pinned.baseUrl);
      expect((await ask('X-Jwt-Assertion-A-B', 'ana')).status).toBe(200);
      expect((await ask('X-Jwt-Assertion-A-B', 'ana@a-b')).status).toBe(200);
      expect((await ask(HEADER, 'ana')).status).toBe(401);
      expect((await ask('X-Jwt-Assertion-A-B', 'ana@DEV')).status).toBe(401);
      await pinned.app.close();
    }
  });

  it('expires by the clock of the machine, even on an instance with a virtual clock', async () => {
    for (const now of [0, Date.now() + 365 * 86_400_000]) {
      const virtual = createServices({ ...service.dependencies, clock: { now: () => now } });
      const other = await listenLegacy(virtual, { gateway: { key: gateway.publicKey } });
      const status = async (exp: number) =>
        (await get({ [HEADER]: jwt(claims('ana', exp)) }, '/profiles/v2/me', other.baseUrl)).status;
      expect([await status(inAnHour()), await status(inAnHour() - 7_200)]).toEqual([200, 401]);
      await other.app.close();
    }
  });

  it('is ignored together with a token, without a key, or on the main listener', async () => {
    const token = jwt(claims('root'));
    const both = await get({ [HEADER]: token, authorization: `Bearer ${tokenOf('ana')}` });
    expect(both.result['username']).toBe('ana');
    const closed = await service.askLegacy(undefined, 'GET', '/profiles/v2/me', { headers: { [HEADER]: token } });
    expect([closed.status, closed.headers['x-failure-code']]).toEqual([401, 'AUTH_REQUIRED']);
    expect((await get({ [HEADER]: token }, '/profiles/v2/me', service.baseUrl)).status).toBe(401);
  });

  it('from another machine is refused', () => {
    const { store, clock } = service.dependencies;
    const next = () => {
      throw new Error('not called');
    };
    const authenticate = acceptAssertions({ store, clock, gateway: { key: gateway.publicKey } }, next);
    const from = (remoteAddress: string) => {
      const request = { headers: { [HEADER.toLowerCase()]: jwt(claims('ana')) }, socket: { remoteAddress } };
      return () => authenticate(request as unknown as IncomingMessage, { basic: false });
    };
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
      expect(from(address)()).toMatchObject({ username: 'ana' });
    for (const address of ['172.17.0.2', '10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', '']) {
      expect(from(address)).toThrow(Failure);
      expect(from(address)).toThrow('it is accepted from this machine only');
    }
  });
});

describe('the key of the gateway', () => {
  it('is an RSA or P-256 key, or a certificate with one', () => {
    const pem = (key: KeyObject) => String(key.export({ type: 'spki', format: 'pem' }));
    expect(parseAssertionKey(pem(gateway.publicKey))?.asymmetricKeyType).toBe('rsa');
    expect(parseAssertionKey(madeIdentity().cert)?.asymmetricKeyType).toBe('ec');
    const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey;
    expect(parseAssertionKey(pem(curve('P-256')))).toEqual(expect.objectContaining({ type: 'public' }));
    expect(parseAssertionKey(pem(curve('P-384')))).toBeUndefined();
    expect(parseAssertionKey(pem(generateKeyPairSync('ed25519').publicKey))).toBeUndefined();
    expect(parseAssertionKey('a secret')).toBeUndefined();
  });

  it('of type P-256 accepts ES256 only', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const other = await listenLegacy(service.services, { gateway: { key: createPublicKey(pair.privateKey) } });
    const status = async (alg: string) =>
      (await get({ [HEADER]: jwt(claims('ana'), { alg, key: pair.privateKey }) }, '/profiles/v2/me', other.baseUrl))
        .status;
    expect([await status('ES256'), await status('RS256')]).toEqual([200, 401]);
    await other.app.close();
  });
});

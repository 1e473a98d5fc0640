// Requests with a late body: the credential must still be valid when the whole body has arrived.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinKey } from '../../../daemon/domain/records/record-key.ts';
import { startActorService, tokenOf } from '../../support/service/actor-service.ts';
import { begun as beginRequest } from '../../support/service/late-request.ts';
import {
  ADMIN_PASSWORD,
  adminToken,
  basic,
  makeClient,
  type Platform,
  startPlatform,
} from '../../support/service/platform.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

const begun = (path: string, authorization: string, body: string) =>
  beginRequest(platform.baseUrl, path, authorization, body);

const user = (username: string) => JSON.stringify({ username, password: 'a long password' });

describe('R84 a request with a late body', () => {
  it('changes nothing if its token was revoked in the meantime', async () => {
    const client = await makeClient(platform);
    const { json } = await platform.token({ grant_type: 'client_credentials' }, client.header);
    const { access_token } = json as { access_token: string };
    const late = await begun('/users/v2', `Bearer ${access_token}`, user('late-one'));
    await platform.ask('POST', '/revoke', { form: { token: access_token }, headers: client.header });
    expect(await late.finish()).toBe(401);
    expect(platform.store.get('users', joinKey('DEV', 'late-one'))).toBeUndefined();
  });

  it('changes nothing if its user lost the role in the meantime', async () => {
    const admin = await adminToken(platform);
    const json = { username: 'deputy', password: 'a long password', roles: ['admin'] };
    await platform.ask('POST', '/users/v2', { json, headers: admin });
    const headers = { authorization: basic('deputy', json.password) };
    const { result } = await platform.ask('POST', '/clients/v2', { json: { clientName: 'own' }, headers });
    const { consumerKey, consumerSecret } = result as { consumerKey: string; consumerSecret: string };
    const tokens = await platform.token(
      { grant_type: 'client_credentials' },
      { authorization: basic(consumerKey, consumerSecret) },
    );
    const { access_token } = tokens.json as { access_token: string };
    const late = await begun('/users/v2', `Bearer ${access_token}`, user('late-two'));
    await platform.ask('PUT', '/users/v2/deputy', { json: { roles: ['user'] }, headers: admin });
    expect(await late.finish()).toBe(403);
    expect(platform.store.get('users', joinKey('DEV', 'late-two'))).toBeUndefined();
  });

  it('registers no client with a password that was changed in the meantime', async () => {
    const admin = await adminToken(platform);
    const json = { username: 'eve', password: 'the old password' };
    await platform.ask('POST', '/users/v2', { json, headers: admin });
    const late = await begun('/clients/v2', basic('eve', json.password), JSON.stringify({ clientName: 'late' }));
    await platform.ask('PUT', '/users/v2/eve', { json: { password: 'the new password' }, headers: admin });
    expect(await late.finish()).toBe(401);
    expect(platform.store.by('clients', 'owner', joinKey('DEV', 'eve'))).toEqual([]);
  });

  it('is accepted if its credential stays valid', async () => {
    const late = await begun('/clients/v2', basic('admin', ADMIN_PASSWORD), JSON.stringify({ clientName: 'patient' }));
    expect(await late.finish()).toBe(200);
  });

  it('leaves no message if its token was revoked in the meantime', async () => {
    const service = await startActorService();
    try {
      const actor = await service.actor('ana');
      const path = `/actors/v2/${actor}/messages`;
      const late = await begunAt(service.baseUrl, path);
      const inTime = await begunAt(service.baseUrl, path);
      expect(await inTime.finish()).toBe(200);
      await service.store.transact((tx) => {
        for (const token of tx.by('tokens', 'user', joinKey('DEV', 'ana'))) tx.delete('tokens', token.hash);
      });
      expect(await late.finish()).toBe(401);
      expect(service.store.countBy('messages', 'actor', actor)).toBe(1);
    } finally {
      await service.close();
    }
  });
});

const begunAt = (baseUrl: string, path: string) =>
  beginRequest(baseUrl, path, `Bearer ${tokenOf('ana')}`, JSON.stringify({ message: 'hi' }));

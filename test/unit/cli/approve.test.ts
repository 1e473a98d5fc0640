// Approvals that fail: the client gets the matching OAuth error, and nothing is issued.
import { describe, expect, it } from 'vitest';
import type { AuthorizationRequest } from '../../../daemon/domain/oauth/authorization-request.ts';
import type { ClientRecord, UserRecord } from '../../../daemon/domain/records/account-records.ts';
import { approve } from '../../../daemon/oauth/approve.ts';
import { createIssuer } from '../../../daemon/oauth/issue.ts';
import { createPendingAuthorizations } from '../../../daemon/oauth/pending-authorization.ts';
import { createSessions } from '../../../daemon/oauth/session.ts';
import { createIds } from '../../../daemon/vault/ids.ts';
import { createVault } from '../../../daemon/vault/vault.ts';
import { memoryStore } from '../../support/store/memory-store.ts';

const user: UserRecord = {
  tenant: 'DEV',
  username: 'ana',
  passwordHash: 'hash',
  roles: ['user'],
  uid: 1,
  profile: { email: '', firstName: '', lastName: '', phone: '', mobilePhone: '' },
  createdAt: 0,
};
const client: ClientRecord = {
  id: 'client1',
  tenant: 'DEV',
  owner: 'ana',
  name: 'app',
  description: '',
  tier: '',
  secretHash: 'x',
  redirectUris: ['https://app.example/cb'],
  grants: ['authorization_code', 'implicit'],
  createdAt: 0,
};

const house = async () => {
  const store = memoryStore();
  await store.transact((tx) => {
    tx.put('users', user);
    tx.put('clients', client);
  });
  const quiet = () => undefined;
  const parts = { store, vault: createVault(), ids: createIds(), clock: { now: () => 0 } };
  const baseUrl = () => 'http://127.0.0.1:8722';
  return {
    ...parts,
    baseUrl,
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    checkPassword: async () => undefined,
    issue: createIssuer(parts),
    sessions: createSessions({ ...parts, baseUrl }),
    transactions: createPendingAuthorizations(parts),
  };
};

type House = Awaited<ReturnType<typeof house>>;

const request = (flow: AuthorizationRequest['flow']): AuthorizationRequest => ({
  clientId: 'client1',
  redirectUri: 'https://app.example/cb',
  flow,
  scope: 'PRODUCTION',
  state: 's',
  alwaysAsk: false,
  isRenewable: false,
});

describe.each(['code', 'token'] as const)('an approval of the flow %s', (flow) => {
  it('R08 during a disk failure returns temporarily_unavailable with the state', async () => {
    const desk = await house();
    desk.store.refuse('the disk is full');
    const { searchParams } = new URL(await approve(desk, request(flow), user));
    expect(searchParams.get('error')).toBe('temporarily_unavailable');
    expect([searchParams.get('state'), searchParams.has('code')]).toEqual(['s', false]);
    expect(desk.store.count('codes') + desk.store.count('tokens')).toBe(0);
  });

  it('R08 that hits an internal error returns server_error', async () => {
    const desk = await house();
    const ids = {
      id: () => 'id',
      secret: () => {
        throw new Error('no chance');
      },
    };
    const broken = { ...desk, ids, issue: createIssuer({ ...desk, ids }) };
    const { searchParams } = new URL(await approve(broken, request(flow), user));
    expect(searchParams.get('error')).toBe('server_error');
  });

  it('R84 fails without a redirect if the user or the client changed in the meantime', async () => {
    for (const change of [
      (desk: House) => desk.store.transact((tx) => tx.delete('clients', client.id)),
      (desk: House) => desk.store.transact((tx) => tx.put('users', { ...user, passwordHash: 'new' })),
      (desk: House) => desk.store.transact((tx) => tx.put('clients', { ...client, redirectUris: [] })),
      (desk: House) => desk.store.transact((tx) => tx.put('clients', { ...client, grants: [] })),
      (desk: House) => desk.store.transact((tx) => tx.put('clients', { ...client, tenant: 'OTHER' })),
    ]) {
      const desk = await house();
      await change(desk);
      await expect(approve(desk, request(flow), user)).rejects.toMatchObject({ code: 'VALIDATION' });
    }
  });
});

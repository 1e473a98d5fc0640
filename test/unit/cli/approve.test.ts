// Approvals that fail: the client gets the matching OAuth error, and nothing is issued.
import { describe, expect, it } from 'vitest';
import type { AuthorizationRequest } from '../../../daemon/domain/oauth/authorization-request.ts';
import type { ClientRecord, SessionRecord, UserRecord } from '../../../daemon/domain/records/account-records.ts';
import { approve } from '../../../daemon/oauth/approve.ts';
import { createIssuer } from '../../../daemon/oauth/issue.ts';
import { createPendingAuthorizations } from '../../../daemon/oauth/pending-authorization.ts';
import { createSessions, type UserSession } from '../../../daemon/oauth/session.ts';
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

const session: UserSession = { key: 'session', browser: 'browser', startedAt: 0, user };
const sessionRecord: SessionRecord = {
  ...{ hash: 'session', browser: 'browser', tenant: 'DEV', username: 'ana' },
  ...{ startedAt: 0, seenAt: 0 },
};

const setUp = async () => {
  const store = memoryStore();
  await store.transact((tx) => {
    tx.put('users', user);
    tx.put('clients', client);
    tx.put('sessions', sessionRecord);
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

type Setup = Awaited<ReturnType<typeof setUp>>;

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
    const setup = await setUp();
    setup.store.refuse('the disk is full');
    const { searchParams } = new URL(await approve(setup, request(flow), session));
    expect(searchParams.get('error')).toBe('temporarily_unavailable');
    expect([searchParams.get('state'), searchParams.has('code')]).toEqual(['s', false]);
    expect(setup.store.count('codes') + setup.store.count('tokens')).toBe(0);
  });

  it('R08 that hits an internal error returns server_error', async () => {
    const setup = await setUp();
    const ids = {
      id: () => 'id',
      secret: () => {
        throw new Error('no chance');
      },
    };
    const broken = { ...setup, ids, issue: createIssuer({ ...setup, ids }) };
    const { searchParams } = new URL(await approve(broken, request(flow), session));
    expect(searchParams.get('error')).toBe('server_error');
  });

  it('R84 fails without a redirect if the user, the client or the session changed in the meantime', async () => {
    for (const change of [
      (setup: Setup) => setup.store.transact((tx) => tx.delete('sessions', sessionRecord.hash)),
      (setup: Setup) => setup.store.transact((tx) => tx.delete('clients', client.id)),
      (setup: Setup) => setup.store.transact((tx) => tx.put('users', { ...user, passwordHash: 'new' })),
      (setup: Setup) => setup.store.transact((tx) => tx.put('clients', { ...client, redirectUris: [] })),
      (setup: Setup) => setup.store.transact((tx) => tx.put('clients', { ...client, grants: [] })),
      (setup: Setup) => setup.store.transact((tx) => tx.put('clients', { ...client, tenant: 'OTHER' })),
    ]) {
      const setup = await setUp();
      await change(setup);
      await expect(approve(setup, request(flow), session)).rejects.toMatchObject({ code: 'VALIDATION' });
    }
  });
});

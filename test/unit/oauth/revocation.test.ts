// Revocation: the tokens, codes and approvals that end with a client or a user, and those that stay valid.
import { beforeEach, describe, expect, it } from 'vitest';
import { isStillProven, secretDigests, withNewSecret } from '../../../daemon/domain/oauth/client-secret.ts';
import {
  dropClient,
  dropUser,
  revokeClient,
  revokeGrant,
  revokeLost,
  revokeUser,
} from '../../../daemon/domain/oauth/revocation.ts';
import type {
  ApprovalRecord,
  ClientRecord,
  CodeRecord,
  TokenRecord,
  UserRecord,
} from '../../../daemon/domain/records/account-records.ts';
import type { Store, Transaction } from '../../../daemon/ports/store.ts';
import { tokenRecord } from '../../support/service/records.ts';
import { memoryStore } from '../../support/store/memory-store.ts';

const clientRecord = (id: string, owner: string): ClientRecord => ({
  id,
  tenant: 'DEV',
  owner,
  name: id,
  description: '',
  tier: 'Unlimited',
  secretHash: 'current',
  redirectUris: ['https://a.example/', 'https://b.example/'],
  grants: ['authorization_code', 'implicit', 'password', 'client_credentials', 'refresh_token'],
  createdAt: 0,
});

const person = (tenant: string, username: string): UserRecord => ({
  tenant,
  username,
  passwordHash: '',
  roles: ['user'],
  uid: 1,
  profile: { email: '', firstName: '', lastName: '', phone: '', mobilePhone: '' },
  createdAt: 0,
});

const scoped = (username: string, clientId: string, redirectUri: string) => ({
  tenant: 'DEV',
  username,
  clientId,
  redirectUri,
  scope: 'PRODUCTION',
});
const code = (hash: string, username: string, clientId: string, redirectUri = 'https://a.example/'): CodeRecord => ({
  ...scoped(username, clientId, redirectUri),
  hash,
  grantId: hash,
  expiresAt: 1,
});
const approval = (username: string, clientId: string, redirectUri = 'https://a.example/'): ApprovalRecord => ({
  ...scoped(username, clientId, redirectUri),
  approvedAt: 1,
});
const token = (hash: string, username: string, clientId: string, changes: Partial<TokenRecord> = {}): TokenRecord =>
  tokenRecord(hash, { username, clientId, ...changes });

const NOW = 1_000;

let store: Store;

/**
 * The user ana owns `web` and bob owns `app`. Both users have used both clients. Another ana lives in the tenant LAB.
 */
const seed = async () => {
  store = memoryStore();
  await store.transact((tx) => {
    for (const user of [person('DEV', 'ana'), person('DEV', 'bob'), person('LAB', 'ana')]) tx.put('users', user);
    tx.put('clients', clientRecord('web', 'ana'));
    tx.put('clients', clientRecord('app', 'bob'));
    for (const user of ['ana', 'bob']) {
      for (const client of ['web', 'app']) {
        tx.put('tokens', token(`${user}-${client}`, user, client));
        tx.put('codes', code(`${user}-${client}`, user, client));
        tx.put('approvals', approval(user, client));
      }
    }
    tx.put('tokens', token('lab', 'ana', 'lab', { tenant: 'LAB' }));
  });
};
beforeEach(seed);

/** The remaining records, by short names. */
const left = () => ({
  tokens: [...store.all('tokens')].map(({ hash }) => hash),
  codes: [...store.all('codes')].map(({ hash }) => hash),
  approvals: [...store.all('approvals')].map(({ username, clientId }) => `${username}-${clientId}`),
  clients: [...store.all('clients')].map(({ id }) => id),
});
const decide = <T>(decision: (tx: Transaction) => T): Promise<T> => store.transact(decision);

describe('R84 C10 a revocation', () => {
  it('of a client secret ends its tokens and codes, and keeps approvals', async () => {
    expect(await decide((tx) => revokeClient(tx, 'web', NOW))).toBe(2);
    expect(left()).toEqual({
      tokens: ['ana-app', 'bob-app', 'lab'],
      codes: ['ana-app', 'bob-app'],
      approvals: ['ana-web', 'ana-app', 'bob-web', 'bob-app'],
      clients: ['web', 'app'],
    });
  });

  it('of a client also ends approvals, so that a later client with that id needs new ones', async () => {
    expect(await decide((tx) => dropClient(tx, 'web', NOW))).toBe(2);
    expect(left()).toMatchObject({ approvals: ['ana-app', 'bob-app'], clients: ['app'] });
  });

  it('of a password ends the tokens and codes of that user in that tenant', async () => {
    expect(await decide((tx) => revokeUser(tx, 'DEV', 'ana', NOW))).toBe(2);
    expect(left()).toMatchObject({ tokens: ['bob-web', 'bob-app', 'lab'], codes: ['bob-web', 'bob-app'] });
  });

  it("of a user ends the user's clients, the tokens of other users through them, and all approvals", async () => {
    expect(await decide((tx) => dropUser(tx, 'DEV', 'ana', NOW))).toEqual({ revoked: 3, clients: 1 });
    expect(left()).toEqual({
      tokens: ['bob-app', 'lab'],
      codes: ['bob-app'],
      approvals: ['bob-app'],
      clients: ['app'],
    });
    expect([...store.all('users')].map(({ tenant, username }) => `${tenant}/${username}`)).toEqual([
      'DEV/bob',
      'LAB/ana',
    ]);
  });

  it.each([
    ['a client secret', (tx: Transaction) => revokeClient(tx, 'web', NOW)],
    ['a client', (tx: Transaction) => dropClient(tx, 'web', NOW)],
    ['a password', (tx: Transaction) => revokeUser(tx, 'DEV', 'ana', NOW)],
    ['a user', (tx: Transaction) => dropUser(tx, 'DEV', 'ana', NOW).revoked],
    ['a grant', (tx: Transaction) => revokeGrant(tx, 'grant1', NOW)],
  ])('of %s counts no token that has expired or is used', async (_, revoke) => {
    const before = await decide(revoke);
    await seed();
    await decide((tx) => {
      tx.put('tokens', token('dead-1', 'ana', 'web', { expiresAt: NOW }));
      tx.put('tokens', token('dead-2', 'ana', 'web', { kind: 'refresh', usedAt: NOW - 1 }));
    });
    expect(await decide(revoke)).toBe(before);
    expect(left().tokens.filter((hash) => hash.startsWith('dead'))).toEqual([]);
  });

  it('of a redirect URI ends its codes and approvals, and no token', async () => {
    await decide((tx) => {
      tx.put('codes', code('other', 'ana', 'web', 'https://b.example/'));
      tx.put('approvals', approval('zoe', 'web', 'https://b.example/'));
      revokeLost(tx, { ...clientRecord('web', 'ana'), redirectUris: ['https://b.example/'] });
    });
    expect(left()).toMatchObject({
      tokens: ['ana-web', 'ana-app', 'bob-web', 'bob-app', 'lab'],
      codes: ['ana-app', 'bob-app', 'other'],
      approvals: ['ana-app', 'bob-app', 'zoe-web'],
    });
  });

  it.each([
    [['password', 'refresh_token'], ['password', 'refresh'], [], []],
    [['password'], ['password'], [], []],
    [['implicit', 'refresh_token'], ['implicit'], [], ['ana-web']],
    [['authorization_code'], [], ['ana-web'], []],
  ] as const)(
    'R30 that leaves the grants %j ends all tokens but %j, codes but %j, approvals but %j',
    async (...row) => {
      const [grants, tokens, codes, approvals] = row;
      await decide((tx) => {
        dropUser(tx, 'DEV', 'bob', NOW);
        tx.delete('tokens', 'ana-web');
        tx.put('tokens', token('password', 'ana', 'web', { flow: 'password' }));
        tx.put('tokens', token('refresh', 'ana', 'web', { flow: 'password', kind: 'refresh' }));
        tx.put('tokens', token('implicit', 'ana', 'web', { flow: 'implicit' }));
        revokeLost(tx, { ...clientRecord('web', 'ana'), grants });
      });
      expect(left()).toMatchObject({ tokens: ['lab', ...tokens], codes, approvals });
    },
  );
});

describe('R48 R49 the secrets of a client', () => {
  const client = clientRecord('web', 'ana');

  it('are one, two during the grace period of a rotation, none for a public client', () => {
    const rotated = withNewSecret(client, 'next', 1_000, 5_000);
    expect(secretDigests(client, 0)).toEqual({ current: 'current', previous: undefined });
    expect(secretDigests(rotated, 5_999)).toEqual({ current: 'next', previous: 'current' });
    expect(secretDigests(rotated, 6_000)).toEqual({ current: 'next', previous: undefined });
    expect(secretDigests(withNewSecret(rotated, 'last', 1_000, 5_500), 5_600).previous).toBe('next');
    expect(secretDigests(withNewSecret(rotated, 'last', 0, 5_500), 5_600).previous).toBeUndefined();
    expect(secretDigests({ ...client, secretHash: '' }, 0)).toEqual({ current: undefined, previous: undefined });
    expect(secretDigests(undefined, 0)).toStrictEqual({ current: undefined, previous: undefined });
  });

  it('authenticate a request in progress until they are revoked', () => {
    expect(isStillProven(client, client)).toBe(true);
    expect(isStillProven(withNewSecret(client, 'next', 1_000, 0), client)).toBe(true);
    expect(isStillProven(withNewSecret(client, 'next', 0, 0), client)).toBe(false);
    expect(isStillProven(undefined, client)).toBe(false);
  });
});

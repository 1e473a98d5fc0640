// The first start: the first admin, the client of the command line, and the limit on remembered password guesses.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliClient } from '../../../daemon/clients/cli-client.ts';
import { bootstrap } from '../../../daemon/people/bootstrap.ts';
import { createPasswordCheck } from '../../../daemon/people/password-check.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { createIds } from '../../../daemon/vault/ids.ts';
import { createVault } from '../../../daemon/vault/vault.ts';

describe('the first start', () => {
  const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const clock = { now: () => 5_000_000 };
  const vault = createVault({ cost: { logN: 4, r: 8, p: 1 } });
  const ids = createIds();
  const inFolder = async (work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<void>) => {
    const folder = mkdtempSync(join(tmpdir(), 'actorctl-bootstrap-'));
    const store = await openStore({ folder, clock, logger });
    try {
      await work(store);
    } finally {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  };

  it('creates tenant DEV and one admin, once, and returns a generated password', () =>
    inFolder(async (store) => {
      const parts = { store, vault, ids, clock };
      const both = await Promise.all([bootstrap(parts), bootstrap(parts)]);
      expect(both.filter(({ created }) => created)).toHaveLength(1);
      const made = both.find(({ created }) => created);
      expect(made).toMatchObject({ username: 'admin', tenant: 'DEV', password: expect.stringMatching(/^[\w-]{20}$/) });
      const check = createPasswordCheck({ store, vault, clock, logger });
      const right = {
        tenant: 'DEV',
        username: 'admin',
        password: made?.password ?? '',
        lane: 'form',
        source: 's',
      } as const;
      expect((await check(right))?.roles).toEqual(['admin']);
      expect(await bootstrap(parts, { username: 'other', password: 'other password' })).toEqual({
        created: false,
        username: 'admin',
        tenant: 'DEV',
      });
      expect(store.count('users')).toBe(1);
    }));

  it('does not return a password that was given, and refuses one that is too short', () =>
    inFolder(async (store) => {
      const parts = { store, vault, ids, clock };
      await expect(bootstrap(parts, { password: 'short' })).rejects.toThrow('password must have at least 8 characters');
      const made = await bootstrap(parts, { username: 'ada', password: 'long enough' });
      expect(made).toEqual({ created: true, username: 'ada', tenant: 'DEV' });
    }));

  it('gives the command line a client with a new secret on each request, and revokes the old refresh tokens', () =>
    inFolder(async (store) => {
      const parts = { store, vault, ids, clock };
      await expect(cliClient(parts)).rejects.toThrow('no admin user');
      await bootstrap(parts);
      const first = await cliClient(parts);
      const record = store.get('clients', first.client_id);
      expect(record).toMatchObject({ name: 'actorctl-cli', owner: 'admin', tenant: 'DEV' });
      expect(record?.redirectUris).toHaveLength(5);
      const token = {
        tenant: 'DEV',
        username: 'admin',
        clientId: first.client_id,
        scope: '',
        grantId: 'g',
        flow: 'password',
        issuedAt: 0,
      } as const;
      await store.transact((tx) => {
        tx.put('tokens', { ...token, hash: 'r', kind: 'refresh' });
        tx.put('tokens', { ...token, hash: 'a', kind: 'access', expiresAt: 9e12 });
      });
      const second = await cliClient(parts);
      expect(second.client_id).toBe(first.client_id);
      expect(second.client_secret).not.toBe(first.client_secret);
      expect(store.get('clients', first.client_id)?.secretHash).toBe(vault.digest(second.client_secret));
      expect(store.count('clients')).toBe(1);
      expect([...store.all('tokens')].map(({ hash }) => hash)).toEqual(['a']);
    }));

  it('R76 remembers failed attempts of a limited number of accounts', () =>
    inFolder(async (store) => {
      const check = createPasswordCheck({ store, vault, clock, logger, remember: 3 });
      const guess = (username: string, source: string) =>
        check({ tenant: 'DEV', username, password: 'x', lane: 'basic', source });
      for (let time = 0; time < 5; time += 1) expect(await guess('first', `a${time}`)).toBeUndefined();
      await expect(guess('first', 'b')).rejects.toThrow('Too many failed attempts');
      for (const name of ['second', 'third', 'fourth']) await guess(name, 'c');
      // The attempts of three other accounts have pushed the first account out of memory.
      expect(await guess('first', 'b')).toBeUndefined();
    }));
});

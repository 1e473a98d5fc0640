// The listings of the view Access.
import { describe, expect, it } from 'vitest';
import { mapConcurrently } from '../../../daemon/web/dashboard/parts/actions/map-concurrently.ts';
import { formatMoment } from '../../../daemon/web/dashboard/parts/time.ts';
import {
  type Client,
  configRow,
  consequenceOf,
  formatUses,
  isWantedClient,
  isWantedConfig,
  isWantedLogin,
  isWantedNonce,
  type Login,
  type NonceRow,
  redirectUris,
  targetWord,
} from '../../../daemon/web/dashboard/views/access/rows.ts';

describe('the listings', () => {
  it('R191 leave out the value of a secret config', () => {
    const config = {
      name: 'db',
      value: 'encrypted-text',
      actors: 'a, b',
      isSecret: true,
      is_secret: true,
      owner: 'ana',
      revision: 1,
      createTime: '',
      lastUpdateTime: '',
    };
    expect(JSON.stringify(configRow(config))).not.toContain('encrypted-text');
    expect(isWantedConfig(configRow(config), 'encrypted')).toBe(false);
    expect(isWantedConfig(configRow(config), 'DB secret')).toBe(true);
    expect(configRow({ ...config, isSecret: false, value: { a: 1 } }).shown).toBe('{\n  "a": 1\n}');
    expect(configRow(config).typed).toBe('');
    const typed = ['words', '42', '', 42, null].map((value) => configRow({ ...config, isSecret: false, value }).typed);
    expect(typed).toEqual(['words', '"42"', '', '42', 'null']);
  });

  const client = {
    name: 'web-app',
    description: 'Weekly <b>report</b>',
    consumerKey: 'k1',
    callbackUrl: 'http://a/cb,http://b/cb',
    grants: ['implicit'],
  } as unknown as Client;
  it('find a client by name, description, id, redirect URI and grant', () => {
    expect(['WEB report', 'k1 http://b', 'implicit', ''].map((q) => isWantedClient(client, q))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(isWantedClient(client, 'web password')).toBe(false);
    expect([redirectUris(client), redirectUris({ callbackUrl: '' })]).toEqual([['http://a/cb', 'http://b/cb'], []]);
  });

  it('find a login, and say what its end stops', () => {
    const app: Login = { id: 'G1', kind: 'grant', flow: 'client_credentials', current: false, createTime: '' };
    const page: Login = { ...app, flow: 'authorization_code', clientName: 'app', browser: 'B1', current: true };
    const browser: Login = { id: 'B1', kind: 'browser', current: true, createTime: '' };
    expect([isWantedLogin(app, 'g1 CREDENTIALS'), isWantedLogin(page, 'app this page')]).toEqual([true, true]);
    expect([isWantedLogin(browser, 'session'), isWantedLogin(app, 'this page')]).toEqual([true, false]);
    expect(consequenceOf(app, false)).toMatch(/^All its tokens end at once.* the client secret can log in again\.$/);
    expect(consequenceOf(page, false)).not.toContain('Its browser');
    expect(consequenceOf(page, true)).toMatch(/Its browser is logged out too.*This page is logged out\.$/);
    expect(consequenceOf(browser, false)).toMatch(/^The browser is logged out.*This page is logged out\.$/);
  });

  it('find a nonce by its target, and name the target as the command line does', () => {
    const nonce = { id: 'DEV_1', level: 'EXECUTE', owner: 'ana', description: 'ci', maxUses: 3, remainingUses: 2 };
    const row = { kind: 'alias', target: 'wc', actorId: 'a', name: 'wc', nonce } as unknown as NonceRow;
    expect([isWantedNonce(row, 'wc execute'), isWantedNonce(row, 'read')]).toEqual([true, false]);
    const named = (id: string) => `name-of-${id}`;
    expect([targetWord(row, named), targetWord({ kind: 'actor', target: 'a1' }, named)]).toEqual([
      'alias:wc',
      'name-of-a1',
    ]);
    expect([formatUses(row.nonce), formatUses({ maxUses: -1, remainingUses: -1 })]).toEqual([
      '2 of 3 uses left',
      'any number of uses',
    ]);
  });

  it('show until when a nonce can be used, or that it has expired', () => {
    const expireTime = '2026-11-22T16:41:11.000Z';
    const end = Date.parse(expireTime);
    expect(formatUses({ maxUses: 3, remainingUses: 2, expireTime }, end - 1)).toBe(
      `2 of 3 uses left, until ${formatMoment(end)}`,
    );
    expect(formatUses({ maxUses: -1, remainingUses: -1, expireTime }, end)).toBe('expired');
  });

  it('are read a few requests at a time, in order', async () => {
    let open = 0;
    let most = 0;
    const found = await mapConcurrently(
      Array.from({ length: 20 }, (_, at) => at),
      async (at) => {
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setImmediate(resolve));
        open -= 1;
        return at * 2;
      },
    );
    expect(found).toEqual(Array.from({ length: 20 }, (_, at) => at * 2));
    expect(most).toBe(6);
    await expect(mapConcurrently([1], () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });
});

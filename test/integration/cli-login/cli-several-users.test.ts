// Several users of one context, against the real daemon: each login ends as itself.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { ADMIN, type Home, inProcessHome } from '../../support/daemon/home.ts';
import { onTerminal } from '../../support/daemon/terminal.ts';

let home: Home;
let baseUrl: string;
const ANA = 'ana has a good password';

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  ({ baseUrl } = await home.up());
  expect((await home.cli(['users', 'create', 'ana', '--password-stdin'], { input: ANA })).code).toBe(0);
});
afterAll(async () => home.remove());

const login = (username: string, password: string, ...flags: string[]) =>
  home.cli(['login', '--username', username, '--password-stdin', ...flags], { input: password });
const tokenOf = async (): Promise<string> => (await home.cli(['auth', 'token'])).stdout.trim();
const statusOf = async (token: string): Promise<number> =>
  (await fetch(`${baseUrl}/profiles/v2/me`, { headers: { authorization: `Bearer ${token}` } })).status;

beforeEach(async () => {
  expect((await login('dev', ADMIN.password, '--force')).code).toBe(0);
});
afterEach(async () => {
  await home.cli(['logout', '--all']);
});

describe('auth revoke', () => {
  it('ends the login that it asked about, even if another user became current meanwhile', async () => {
    const [token, meanwhile] = [await tokenOf(), { ana: '' }];
    const { code, text } = await onTerminal('auth revoke', home.env, [
      [
        'Revoke the tokens of dev',
        async () => {
          expect((await login('ana', ANA, '--force')).code).toBe(0);
          meanwhile.ana = await tokenOf();
          return 'y';
        },
      ],
    ]);
    expect([code, text]).toEqual([0, expect.stringContaining('Revoked 2 tokens')]);
    expect([await statusOf(token), await statusOf(meanwhile.ana)]).toEqual([401, 200]);
    expect(await home.json('auth', 'list')).toMatchObject([{ user: 'ana', active: true }]);
  });
});

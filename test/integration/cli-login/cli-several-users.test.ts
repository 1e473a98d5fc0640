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

describe('logout', () => {
  /** An access token of `dev` that another client obtained. */
  const foreignToken = async (): Promise<string> => {
    const { client_id, client_secret } = await home.json<Record<string, string>>('clients', 'create', 'foreign');
    const form = { grant_type: 'client_credentials', client_id: client_id ?? '', client_secret: client_secret ?? '' };
    const answer = await fetch(`${baseUrl}/token`, { method: 'POST', body: new URLSearchParams(form) });
    return ((await answer.json()) as { access_token: string }).access_token;
  };

  it('says that a ready token of another client stays valid', async () => {
    const token = await foreignToken();
    expect(await home.cli(['login', '--token-stdin'], { input: token })).toMatchObject({ code: 0 });
    expect(await home.json('whoami')).toMatchObject({ flow: 'token', client: null });
    const { stdout, stderr } = await home.cli(['logout', '--user', 'dev']);
    expect(stdout).toMatch(/^Logged out dev.* \(the stored tokens were deleted but stay valid until they expire\)/);
    expect(stderr).toContain('the client that obtained it is not known here');
    expect(await statusOf(token)).toBe(200);
  });

  it('revokes a ready token of its own client', async () => {
    const token = await tokenOf();
    expect(await home.cli(['login', '--token-stdin', '--explain'], { input: token })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('POST /introspect'),
    });
    expect(await home.json('logout')).toMatchObject({ revoked: true });
    expect(await statusOf(token)).toBe(401);
  });

  it('with --local-only says that a refresh token stays valid', async () => {
    const { stdout } = await home.cli(['logout', '--local-only']);
    expect(stdout).toContain('the refresh token until its user gets a new password');
  });
});

// Several users of one context, against the real daemon: each login ends separately.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ANA, baseUrl, home, login, statusOf, tokenOf, withTwoUsers } from '../../support/commands/two-users.ts';
import { ADMIN } from '../../support/daemon/home.ts';
import { onTerminal } from '../../support/daemon/terminal.ts';

withTwoUsers();

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
    const name = `foreign-${randomUUID().slice(0, 8)}`;
    const { client_id, client_secret } = await home.json<Record<string, string>>('clients', 'create', name);
    const form = { grant_type: 'client_credentials', client_id: client_id ?? '', client_secret: client_secret ?? '' };
    const answer = await fetch(`${baseUrl}/token`, { method: 'POST', body: new URLSearchParams(form) });
    return ((await answer.json()) as { access_token: string }).access_token;
  };

  it('says that a supplied token of another client stays valid', async () => {
    const token = await foreignToken();
    expect(await home.cli(['login', '--token-stdin'], { input: token })).toMatchObject({ code: 0 });
    expect(await home.json('whoami')).toMatchObject({ flow: 'token', client: null });
    const { stdout, stderr } = await home.cli(['logout', '--user', 'dev']);
    expect(stdout).toMatch(/^Logged out dev.* \(the stored tokens were deleted but stay valid until they expire\)/);
    expect(stderr).toContain('the credentials of the client that obtained it are not stored here');
    expect(await statusOf(token)).toBe(200);
  });

  it('of all users by auth revoke --all keeps a login whose token it cannot revoke, and lists the ended logins', async () => {
    const token = await foreignToken();
    expect((await home.cli(['login', '--token-stdin'], { input: token })).code).toBe(0);
    expect((await login('ana', ANA, '--force')).code).toBe(0);
    const { code, stderr } = await home.cli(['auth', 'revoke', '--all', '--yes']);
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining(
        'error: revoked the tokens of ana and logged out, then: cannot revoke the token of dev: the credentials of the client that obtained it',
      ),
    ]);
    const kept = [{ flow: 'token' }, { flow: 'password' }].map((each) => ({ user: 'dev', ...each }));
    expect(await home.json('auth', 'list')).toMatchObject(kept);
    expect(await statusOf(token)).toBe(200);
  });

  it('revokes a supplied token of its own client', async () => {
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

describe('the same user name in two tenants', () => {
  const PASSWORD = 'the other ana has another';
  let client: { readonly client_id: string; readonly client_secret: string };

  beforeAll(async () => {
    await login('dev', ADMIN.password, '--force');
    await home.json('tenants', 'create', 'LAB');
    const user = ['users', 'create', 'ana', '--tenant', 'LAB', '--password-stdin'];
    expect(await home.cli(user, { input: PASSWORD })).toMatchObject({ code: 0 });
    const create = ['clients', 'create', 'lab', '--username', 'LAB/ana', '--password-stdin', '--json'];
    client = JSON.parse((await home.cli(create, { input: PASSWORD })).stdout);
  });

  /** Logs in as `ana` of LAB. The client decides which tenant a name is looked up in. */
  const loginInLab = (...flags: string[]) => {
    const args = ['login', '--username', 'ana', '--password-stdin', '--client', client.client_id];
    return home.cli([...args, '--client-secret-stdin', ...flags], { input: `${client.client_secret}\n${PASSWORD}\n` });
  };
  const users = async (): Promise<readonly string[]> =>
    (await home.json<{ user: string; tenant: string | null }[]>('auth', 'list')).map(
      ({ user, tenant }) => `${tenant}/${user}`,
    );
  /** The tenant whose dashboard `open` logs in to. */
  const opened = async (): Promise<string | null> => {
    const link = (await home.cli(['open', '--print'])).stdout.trim();
    const { headers } = await fetch(link, { redirect: 'manual' });
    return new URL(headers.get('location') ?? '', baseUrl).searchParams.get('tenant');
  };

  it('means two users with separate logins', async () => {
    await login('ana', ANA, '--force');
    const refused = await loginInLab();
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('you are logged in as DEV/ana')]);
    expect(await home.json('whoami', '--check')).toMatchObject({ user: 'ana', tenant: 'DEV' });
    expect((await loginInLab('--force')).code).toBe(0);
    expect(await users()).toEqual(['LAB/ana', 'DEV/ana', 'DEV/dev']);
    expect(await home.cli(['auth', 'switch', 'ana'])).toMatchObject({ code: 0, stdout: 'Switched to DEV/ana\n' });
    expect(await opened()).toBe('DEV');
    expect(await home.cli(['auth', 'switch', 'LAB/ana'])).toMatchObject({ code: 0 });
    expect(await opened()).toBe('LAB');
    await home.json('auth', 'switch', 'dev');
    const unclear = await home.cli(['auth', 'switch', 'ana']);
    expect([unclear.code, unclear.stderr]).toEqual([2, expect.stringMatching(/choose one of: (LAB|DEV)\/ana, /)]);
    expect(await home.json('logout', '--user', 'LAB/ana')).toMatchObject({ logged_out: ['ana'], revoked: true });
    expect(await users()).toEqual(['DEV/dev', 'DEV/ana']);
  });

  it('does not replace a login of a known tenant by one of an unknown tenant', async () => {
    expect((await loginInLab('--force')).code).toBe(0);
    const input = await tokenOf();
    await home.cli(['logout', '--user', 'LAB/ana', '--local-only']);
    await login('ana', ANA, '--force');
    expect(await home.cli(['login', '--token-stdin'], { input })).toMatchObject({ code: 0 });
    expect(await users()).toEqual(['null/ana', 'DEV/ana', 'DEV/dev']);
  });

  it('in a login that an older version stored is refused by open, until the next login names the tenant', async () => {
    await login('ana', ANA, '--force');
    const file = path.join(home.folder, 'config', 'credentials.json');
    const text = readFileSync(file, 'utf8').replaceAll('"tenant": "DEV"', '"tenant": null');
    writeFileSync(file, text, { mode: 0o600 });
    const refused = await home.cli(['open', '--print']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Several tenants have a user "ana"')]);
    expect((await login('ana', ANA)).code).toBe(0);
    expect(await users()).toEqual(['DEV/ana', 'null/dev']);
    expect(await opened()).toBe('DEV');
  });
});

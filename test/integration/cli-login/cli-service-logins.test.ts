// `auth logins` and `auth revoke --login`: the logins that the service knows, and the end of one of them.
import { describe, expect, it } from 'vitest';
import { ANA, home, login, statusOf, tokenOf, withTwoUsers } from '../../support/commands/two-users.ts';

withTwoUsers();

interface Listed {
  readonly id: string;
  readonly current: boolean;
  readonly flow: string;
  readonly client_name: string;
}

const listed = (...flags: readonly string[]) => home.json<readonly Listed[]>('auth', 'logins', ...flags);
const current = async () => (await listed()).find((each) => each.current);

describe('auth logins', () => {
  it('lists the login of this command as the current one', async () => {
    const own = await current();
    expect([own?.flow, own?.client_name]).toEqual(['password', 'actorctl-cli']);
    const { stdout } = await home.cli(['auth', 'logins']);
    expect(stdout).toMatch(/LOGIN\tCURRENT\tCLIENT\tHOW\tBEGAN\tLAST SEEN\tENDS/);
    expect(stdout).not.toContain(await tokenOf());
  });
});

describe('auth revoke --login', () => {
  it('ends another login of the user, and keeps the one of this command', async () => {
    const lost = await tokenOf();
    const { id = '' } = (await current()) ?? {};
    await home.cli(['logout', '--local-only']);
    await login('dev', undefined, '--force');
    const { code, stdout } = await home.cli(['auth', 'revoke', '--login', id, '--dry-run']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^would end the login of actorctl-cli \(password\)/)]);
    expect(await statusOf(lost)).toBe(200);
    expect((await home.cli(['auth', 'revoke', '--login', id])).code).toBe(3);
    expect(await home.json('auth', 'revoke', '--login', id, '--yes')).toEqual({
      ended: id,
      revoked: 2,
      browser: false,
    });
    expect([await statusOf(lost), await statusOf(await tokenOf())]).toEqual([401, 200]);
    const again = await home.cli(['auth', 'revoke', '--login', id, '--yes']);
    expect([again.code, again.stderr]).toEqual([6, expect.stringContaining('try: actorctl auth logins')]);
  });

  it('of its own login logs out here', async () => {
    const token = await tokenOf();
    const { id = '' } = (await current()) ?? {};
    expect((await home.cli(['auth', 'revoke', '--login', id, '--yes'])).code).toBe(0);
    expect([await statusOf(token), (await home.cli(['whoami'])).code]).toEqual([401, 4]);
  });

  it('with --user ends the login of another user, for admins only', async () => {
    await login('ana', ANA, '--force');
    const lost = await tokenOf();
    const { id = '' } = (await current()) ?? {};
    expect((await home.cli(['auth', 'logins', '--user', 'dev'])).code).toBe(5);
    await home.cli(['auth', 'switch', 'dev']);
    expect((await listed('--user', 'ana')).map((each) => each.id)).toContain(id);
    expect((await home.cli(['auth', 'revoke', '--login', id, '--yes'])).code).toBe(6);
    expect((await home.cli(['auth', 'revoke', '--login', id, '--user', 'ana', '--yes'])).code).toBe(0);
    expect(await statusOf(lost)).toBe(401);
  });

  it('refuses what does not fit together', async () => {
    for (const line of ['--login x --all', '--login x --client y', '--login x -', '--user ana', '--tenant DEV'])
      expect((await home.cli(['auth', 'revoke', ...line.split(' '), '--yes'])).code).toBe(2);
  });
});

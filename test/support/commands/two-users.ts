// A home for tests of several logins: its daemon has the admin `dev` and the user `ana`. Each test begins as `dev`.
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { NO_ENGINE } from '../daemon/daemon.ts';
import { ADMIN, type Home, inProcessHome } from '../daemon/home.ts';

/** The password of `ana`. */
export const ANA = 'ana has a good password';

/** The home of this file, and the origin of its service. Set before the first test. */
export let home: Home;
export let baseUrl: string;

/** Logs in as a user. */
export const login = (username = 'dev', password: string = ADMIN.password, ...flags: string[]) =>
  home.cli(['login', '--username', username, '--password-stdin', ...flags], { input: password });

/** The token of the current login. */
export const tokenOf = async (): Promise<string> => (await home.cli(['auth', 'token'])).stdout.trim();

/** The status of a request with a token. */
export const statusOf = async (token: string): Promise<number> =>
  (await fetch(`${baseUrl}/profiles/v2/me`, { headers: { authorization: `Bearer ${token}` } })).status;

/** Starts the daemon before the first test of this file, and stops it after the last one. */
export const withTwoUsers = (): void => {
  beforeAll(async () => {
    home = inProcessHome(NO_ENGINE);
    ({ baseUrl } = await home.up());
    const made = await home.cli(['users', 'create', 'ana', '--password-stdin'], { input: ANA });
    expect(made.code, made.stderr).toBe(0);
  });
  afterAll(() => home.remove());
  beforeEach(async () => {
    expect((await login('dev', ADMIN.password, '--force')).code).toBe(0);
  });
  afterEach(async () => {
    await home.cli(['logout', '--all']);
  });
};

// `login` with a secret on stdin, that of a user or of a client: the built command line against the real daemon.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { ADMIN, type Ended, type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;
let baseUrl: string;
let client: { readonly client_id: string; readonly client_secret: string };

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  ({ baseUrl } = await home.up());
});
afterAll(async () => home.remove());

beforeEach(async () => {
  await home.cli(['login', '--username', ADMIN.username, '--password-stdin'], { input: ADMIN.password });
  client = await home.json('clients', 'create', 'for-scripts');
  await home.cli(['logout', '--all']);
});
afterEach(async () => {
  await home.cli(['login', '--username', ADMIN.username, '--password-stdin', '--force'], { input: ADMIN.password });
  await home.cli(['clients', 'delete', 'for-scripts', '--yes']);
});

const byClient = (secret: string): Promise<Ended> => {
  const { client_id } = client;
  return home.cli(['login', '--flow', 'client', '--client', client_id, '--client-secret-stdin', '--json'], {
    input: secret,
  });
};
const byPassword = (password: string): Promise<Ended> =>
  home.cli(['login', '--flow', 'password', '--username', ADMIN.username, '--password-stdin', '--json'], {
    input: password,
  });

const FLOWS = [
  { flow: 'client_credentials', login: byClient, right: () => client.client_secret },
  { flow: 'password', login: byPassword, right: () => ADMIN.password },
] as const;

describe.each(FLOWS)('login by $flow', ({ flow, login, right }) => {
  it('stores a login that works, can be renewed, and is revoked by a logout', async () => {
    const { code, stdout, stderr } = await login(right());
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ user: ADMIN.username, flow, refreshable: true });
    const first = (await home.cli(['auth', 'token'])).stdout.trim();
    expect((await home.cli(['auth', 'refresh'])).code).toBe(0);
    const second = (await home.cli(['auth', 'token'])).stdout.trim();
    expect(second).not.toBe(first);
    expect((await home.cli(['actors', 'list'])).code).toBe(0);
    expect((await home.cli(['logout'])).code).toBe(0);
    const headers = { authorization: `Bearer ${second}` };
    expect((await fetch(`${baseUrl}/profiles/v2/me`, { headers })).status).toBe(401);
  });

  it('R144 R161 with a wrong secret exits with 4, stores nothing, and does not repeat the secret', async () => {
    const { code, stdout, stderr } = await login(`${right()}x`);
    expect(code).toBe(4);
    expect(stdout + stderr).not.toContain(right());
    expect((await home.cli(['whoami'])).code).toBe(4);
  });
});

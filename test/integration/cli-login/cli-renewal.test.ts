// The renewal of a login: by a service that gives no new refresh token (RFC 6749 6), and as `whoami --check` shows it.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CliService, expireIn, json, startCliService } from '../../support/daemon/cli-service.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let service: CliService;
let home: Home;

beforeEach(async () => {
  service = await startCliService(50);
  home = inProcessHome({ ACTORCTL_BASE_URL: service.origin });
  const args = ['--username', 'dev', '--password-stdin', '--client', 'ck', '--client-secret-stdin'];
  await home.cli(['login', ...args], { input: 'client-secret\ngood password\n' });
});

afterEach(async () => {
  await service.close();
  rmSync(home.folder, { recursive: true, force: true });
});

it('a login is renewed repeatedly with its first refresh token', async () => {
  let renewals = 0;
  service.answer = (request, response) => {
    const renewed = { access_token: 'access-9', token_type: 'bearer', expires_in: 14_400, scope: 'PRODUCTION' };
    const isRenewal = request.url === '/token';
    if (isRenewal) renewals += 1;
    json(response, 200, isRenewal ? renewed : { message: '', result: [], status: 'success', version: '1' });
    return true;
  };
  for (let time = 1; time <= 2; time += 1) {
    expireIn(home, 30_000);
    expect((await home.cli(['configs', 'list'])).code).toBe(0);
    expect(renewals).toBe(time);
  }
});

it('whoami --check shows the token that the check has renewed', async () => {
  expireIn(home, -1_000);
  expect((await home.cli(['whoami'])).stdout).toContain(', expired (refreshable)');
  expect((await home.cli(['whoami', '--check'])).stdout).toMatch(/, expires in \S+ \(refreshable\)\n/);
  expireIn(home, -1_000);
  const { expires_at } = await home.json<{ expires_at: string }>('whoami', '--check');
  const stored = JSON.parse(readFileSync(path.join(home.folder, 'config', 'credentials.json'), 'utf8'));
  expect(stored.accounts[`url/${service.origin}`].record.login.expiresAt).toBe(Date.parse(expires_at));
});

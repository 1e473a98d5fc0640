// A service that gives no new refresh token at a renewal (RFC 6749 6).
import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { expireIn, json, startCliService } from '../../support/daemon/cli-service.ts';
import { inProcessHome } from '../../support/daemon/home.ts';

it('a login is renewed repeatedly with its first refresh token', async () => {
  const service = await startCliService(50);
  const home = inProcessHome({ ACTORCTL_BASE_URL: service.origin });
  try {
    const args = ['--username', 'dev', '--password-stdin', '--client', 'ck', '--client-secret-stdin'];
    await home.cli(['login', ...args], { input: 'client-secret\ngood password\n' });
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
  } finally {
    await service.close();
    rmSync(home.folder, { recursive: true, force: true });
  }
});

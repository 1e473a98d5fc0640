// A flood of password guesses against the built daemon, with the real cost of a password hash.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserless, formTo } from '../../support/browser/browserless.ts';
import { type BuiltDaemon, builtDaemon } from '../../support/daemon/daemon.ts';
import { ADMIN } from '../../support/daemon/home.ts';
import { call } from '../../support/service/call.ts';
import { basic } from '../../support/service/platform.ts';

/** The test starts a whole program, and password hashing takes time. */

let daemon: BuiltDaemon;
beforeAll(async () => {
  daemon = builtDaemon({ engine: 'none' });
  await daemon.start();
  await daemon.admit();
});
afterAll(() => daemon.remove());

it('R240 the right password logs a browser in at the first try while others guess over Basic and at the token endpoint', async () => {
  const base = daemon.baseUrl();
  const { result } = await daemon.ask('POST', '/clients/v2', {
    json: { clientName: 'own', callbackUrl: 'https://app.example/callback' },
  });
  const [id, secret] = [String(result['consumerKey']), String(result['consumerSecret'])];
  const asked = { response_type: 'code', client_id: id, redirect_uri: 'https://app.example/callback' };
  let isOver = false;
  let guesses = 0;
  const statuses = new Set<number>();
  const guessing = async (): Promise<void> => {
    while (!isOver) {
      guesses += 1;
      const username = guesses % 2 === 0 ? ADMIN.username : `nobody${guesses}`;
      const form = { grant_type: 'password', scope: 'PRODUCTION', username, password: 'wrong' };
      const both = await Promise.all([
        call(base, 'GET', '/clients/v2', { headers: { authorization: basic(username, 'wrong') } }),
        call(base, 'POST', '/token', { form, headers: { authorization: basic(id, secret) } }),
      ]);
      for (const { status } of both) statuses.add(status);
    }
  };
  const flood = Array.from({ length: 20 }, guessing);
  try {
    await expect.poll(() => statuses.has(429)).toBe(true);
    const browser = browserless(base);
    const page = await browser.get(`/authorize?${new URLSearchParams(asked)}`);
    const { fields } = formTo(page, '/authorize/login');
    const { username, password } = ADMIN;
    expect((await browser.post('/authorize/login', { ...fields, username, password })).status).toBe(303);
  } finally {
    isOver = true;
    await Promise.all(flood);
  }
});

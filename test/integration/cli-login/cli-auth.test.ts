// `auth`, `logout` and credentials from environment variables, against the real daemon.

import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ANA, baseUrl, home, login, statusOf, tokenOf, withTwoUsers } from '../../support/commands/two-users.ts';
import { ADMIN, createHome } from '../../support/daemon/home.ts';
import { visit } from '../../support/daemon/login-process.ts';
import { onTerminal } from '../../support/daemon/terminal.ts';

withTwoUsers();

describe('logout', () => {
  it('revokes the tokens at the service', async () => {
    const token = await tokenOf();
    expect(await statusOf(token)).toBe(200);
    const out = await home.json('logout');
    expect(out).toEqual({ logged_out: ['dev'], revoked: true, user: null, env_shadow: [] });
    expect(await statusOf(token)).toBe(401);
  });

  it('with --local-only deletes the login here and leaves the tokens valid', async () => {
    const token = await tokenOf();
    expect(await home.json('logout', '--local-only')).toMatchObject({ revoked: false });
    expect(await statusOf(token)).toBe(200);
    expect((await home.cli(['whoami'])).code).toBe(4);
  });

  it('returns to the previous user, and with --user removes the login of that user only', async () => {
    expect((await login('ana', ANA, '--force')).code).toBe(0);
    expect(await home.json('logout')).toMatchObject({ logged_out: ['ana'], user: 'dev' });
    expect((await login('ana', ANA, '--force')).code).toBe(0);
    expect(await home.json('logout', '--user', 'dev')).toMatchObject({ logged_out: ['dev'], user: 'ana' });
    expect((await home.cli(['logout', '--user', 'nobody'])).code).toBe(6);
  });
});

describe('auth', () => {
  it('token prints the token for programs, but not on a terminal', async () => {
    const { access_token, expires_in } = await home.json<{ access_token: string; expires_in: number }>('auth', 'token');
    expect(await statusOf(access_token)).toBe(200);
    expect(expires_in).toBeGreaterThan(14_000);
    const { code, text } = await onTerminal('auth token', home.env);
    expect(code).toBe(2);
    expect(text).not.toContain(access_token);
    expect(text).toContain('--show');
  });

  it('token with --min-ttl renews a token that is valid for a shorter time', async () => {
    const before = await tokenOf();
    expect((await home.cli(['auth', 'token', '--min-ttl', '1h'])).stdout.trim()).toBe(before);
    const after = await home.cli(['auth', 'token', '--min-ttl', '4h']);
    expect(after.stdout.trim()).not.toBe(before);
    const never = await home.cli(['auth', 'token', '--min-ttl', '9h']);
    expect(never.code).toBe(4);
  });

  it('refresh gets a new token and does not print it', async () => {
    const before = await tokenOf();
    const { code, stdout } = await home.cli(['auth', 'refresh', '--json']);
    expect(code).toBe(0);
    const after = await tokenOf();
    expect(after).not.toBe(before);
    expect(stdout).not.toContain(after);
  });

  it('inspect asks the service about the login, or about a token on stdin', async () => {
    expect(await home.json('auth', 'inspect')).toMatchObject({ active: true, username: 'dev', scope: 'PRODUCTION' });
    const unknown = await home.cli(['auth', 'inspect', '-', '--json'], { input: 'made-up' });
    expect(unknown.code).toBe(4);
    expect(JSON.parse(unknown.stdout)).toEqual({ active: false });
    expect((await home.cli(['auth', 'inspect', await tokenOf()])).code).toBe(2);
  });

  it('revoke asks for confirmation and revokes the tokens', async () => {
    const token = await tokenOf();
    expect((await home.cli(['auth', 'revoke'])).code).toBe(3);
    expect(await home.json('auth', 'revoke', '--yes')).toEqual({ revoked: 2 });
    expect(await statusOf(token)).toBe(401);
    expect((await home.cli(['whoami'])).code).toBe(4);
  });

  it('revoke - revokes one token and keeps the login', async () => {
    const before = await tokenOf();
    expect((await home.cli(['auth', 'revoke', '-'], { input: before })).code).toBe(0);
    expect(await statusOf(before)).toBe(401);
    expect((await home.cli(['actors', 'list'])).code).toBe(0);
  });

  it('list and switch show and change the users of a context', async () => {
    await login('ana', ANA, '--force');
    expect((await home.json<{ user: string; active: boolean }[]>('auth', 'list')).map(({ user }) => user)).toEqual([
      'ana',
      'dev',
    ]);
    expect(await home.json('auth', 'switch')).toEqual({ user: 'dev' });
    expect(await home.json('whoami', '--check')).toMatchObject({ user: 'dev' });
    expect((await home.cli(['auth', 'switch', 'nobody'])).code).toBe(6);
    const { stdout, stderr } = await home.cli(['auth', 'switch', 'ana'], { env: { ACTORCTL_TOKEN: 'x' } });
    expect([stdout, stderr]).toEqual([
      'Switched to ana\n',
      'warning: ACTORCTL_TOKEN is set and takes precedence over a login\n',
    ]);
  });

  it('status shows every login, and exits with 4 if the current one is refused', async () => {
    await login('ana', ANA, '--force');
    const rows = await home.json<{ user: string; active: boolean; state: string }[]>('auth', 'status');
    expect(rows).toMatchObject([
      { user: 'ana', active: true, state: 'valid', context: 'local' },
      { user: 'dev', active: false, state: 'valid' },
    ]);
    await home.cli(['auth', 'revoke', '-'], { input: await tokenOf() });
    const refused = await home.cli(['auth', 'status', '--json']);
    expect(refused.code).toBe(4);
    expect(JSON.parse(refused.stdout)[0]).toMatchObject({ state: 'refused', valid: false });
  });

  it('authorize-url and exchange do the code flow manually, with masked tokens', async () => {
    const asked = await home.json<{ url: string; code_verifier: string }>('auth', 'authorize-url', '--pkce');
    const stopAt = new URL(asked.url).searchParams.get('redirect_uri') ?? '';
    const ended = (await visit(asked.url, { stopAt })).at(-1)?.url ?? '';
    const { code, stdout, stderr } = await home.cli(
      ['auth', 'exchange', '--code', '-', '--code-verifier-stdin', '--json'],
      {
        input: `${ended}\n${asked.code_verifier}\n`,
      },
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ access_token: '***', refresh_token: '***', token_type: 'bearer' });
    const replayed = await home.cli(['auth', 'exchange', '--code', '-', '--code-verifier-stdin'], {
      input: `${ended}\n${asked.code_verifier}\n`,
    });
    expect(replayed.code).toBe(4);
  });
});

describe('credentials from environment variables', () => {
  it('take precedence over the stored login, and whoami and auth status report that', async () => {
    const made = await home.json<{ client_id: string; client_secret: string }>('clients', 'create', 'for-ci');
    const token = await tokenOf();
    const client = { ACTORCTL_CLIENT_ID: made.client_id, ACTORCTL_CLIENT_SECRET: made.client_secret };
    const byClient = await home.cli(['whoami', '--check', '--json'], { env: client });
    expect(JSON.parse(byClient.stdout)).toMatchObject({
      user: 'dev',
      token_source: 'client-credentials',
      client: made.client_id,
    });
    const byToken = await home.cli(['whoami', '--json'], { env: { ...client, ACTORCTL_TOKEN: token } });
    expect(JSON.parse(byToken.stdout)).toMatchObject({ token_source: 'env:ACTORCTL_TOKEN' });
    const rows = await home.cli(['auth', 'status', '--json'], { env: { ACTORCTL_TOKEN: 'no-good-one' } });
    expect(rows.code).toBe(4);
    expect(JSON.parse(rows.stdout)[0]).toMatchObject({
      active: true,
      token_source: 'env:ACTORCTL_TOKEN',
      state: 'refused',
    });
    expect((await home.cli(['auth', 'refresh'], { env: { ACTORCTL_TOKEN: token } })).code).toBe(2);
    // As $(cat token) of a file with Windows line ends leaves it.
    expect((await home.cli(['whoami', '--json'], { env: { ACTORCTL_TOKEN: `${token}\r\n` } })).code).toBe(0);
    const broken = await home.cli(['whoami'], { env: { ACTORCTL_TOKEN: `${token}\n${token}` } });
    expect([broken.code, broken.stderr]).toEqual([
      2,
      expect.stringContaining('ACTORCTL_TOKEN contains a space, a line break'),
    ]);
    const alone = await home.cli(['whoami'], { env: { ACTORCTL_CLIENT_ID: 'x' } });
    expect([alone.code, alone.stderr]).toEqual([
      0,
      expect.stringContaining('ACTORCTL_CLIENT_ID is ignored without ACTORCTL_CLIENT_SECRET'),
    ]);
    await home.cli(['clients', 'delete', 'for-ci', '--yes']);
  });
});

/** Starts a proxy to the daemon that counts the requests to the token endpoint. */
const startCounter = async () => {
  const target = new URL(baseUrl);
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    if (request.url === '/token') asked.push('token');
    const forward = http.request(
      {
        host: target.hostname,
        port: target.port,
        method: request.method,
        path: request.url,
        headers: { ...request.headers, host: target.host },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    forward.on('error', () => response.destroy());
    request.pipe(forward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { asked, origin: `http://127.0.0.1:${port}`, close: () => server.close() };
};

describe('an expired token', () => {
  it('is renewed once by 20 simultaneous commands, and the login stays valid', async () => {
    const made = await home.json<{ client_id: string; client_secret: string }>('clients', 'create', 'many');
    const counter = await startCounter();
    const other = createHome({ ACTORCTL_BASE_URL: counter.origin });
    try {
      const args = ['login', '--username', 'dev', '--password-stdin', '--client', made.client_id];
      const { code } = await other.cli([...args, '--client-secret-stdin'], {
        input: `${made.client_secret}\n${ADMIN.password}\n`,
      });
      expect(code).toBe(0);
      const file = path.join(other.folder, 'config', 'credentials.json');
      const document = JSON.parse(readFileSync(file, 'utf8'));
      document.accounts[`url/${counter.origin}`].record.login.expiresAt = Date.now() - 1_000;
      writeFileSync(file, JSON.stringify(document), { mode: 0o600 });
      counter.asked.length = 0;
      const ended = await Promise.all(Array.from({ length: 20 }, () => other.cli(['actors', 'list'])));
      expect(ended.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual(Array(20).fill('0 '));
      expect(counter.asked).toHaveLength(1);
      expect((await other.cli(['whoami', '--check'])).code).toBe(0);
    } finally {
      counter.close();
      await other.remove();
      await home.cli(['clients', 'delete', 'many', '--yes']);
    }
  });
});

// Which token a request carries. The built program runs against a real HTTP server.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliService, expireIn, json, startCliService } from '../../support/daemon/cli-service.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let service: CliService;
let home: Home;

beforeEach(async () => {
  service = await startCliService(50);
  home = inProcessHome({ ACTORCTL_BASE_URL: service.origin });
});

afterEach(async () => {
  await service.close();
  rmSync(home.folder, { recursive: true, force: true });
});

const credentials = () => path.join(home.folder, 'config', 'credentials.json');

const login = (...flags: string[]) =>
  home.cli(['login', '--username', 'dev', '--password-stdin', '--client', 'ck', '--client-secret-stdin', ...flags], {
    input: 'client-secret\ngood password\n',
  });

describe('login', () => {
  it('stores a token only after the service has named its user', async () => {
    const { code, stdout } = await login('--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      user: 'dev',
      flow: 'password',
      client: 'ck',
      token_source: 'file',
      refreshable: true,
    });
    expect(service.asked).toEqual(['POST /token password', 'GET /profiles/v2/me', 'POST /introspect']);
    expect(stdout).not.toContain('access-1');
  });

  it('with a wrong password exits with 4 and stores nothing', async () => {
    const { code, stderr } = await home.cli(
      ['login', '--username', 'dev', '--password-stdin', '--client', 'ck', '--client-secret-stdin'],
      {
        input: 's\nwrong\n',
      },
    );
    expect(code).toBe(4);
    expect(stderr).toContain('error: the user name or the password is wrong\n');
    expect((await home.cli(['whoami'])).code).toBe(4);
  });

  it('with a token that the service refuses stores nothing', async () => {
    const { code } = await home.cli(['login', '--token-stdin'], { input: 'made-up' });
    expect(code).toBe(4);
    expect((await home.cli(['whoami'])).code).toBe(4);
  });

  it('replaces the login of another user only with --force', async () => {
    await login();
    service.answer = (request, response) => {
      if (request.url !== '/profiles/v2/me') return false;
      json(response, 200, { message: '', result: { username: 'ana' }, status: 'success', version: '1' });
      return true;
    };
    const refused = await login();
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('--force');
    expect((await home.cli(['whoami', '--jq', '.user', '-r'])).stdout).toBe('dev\n');
    expect((await login('--force')).code).toBe(0);
    expect((await home.cli(['whoami', '--jq', '.user', '-r'])).stdout).toBe('ana\n');
  });

  it('is refused if an environment variable takes precedence over it', async () => {
    const { code, stderr } = await home.cli(['login', '--json'], { env: { ACTORCTL_TOKEN: 'x' } });
    expect(code).toBe(7);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { message: 'cannot log in: ACTORCTL_TOKEN is set and takes precedence over a login' },
    });
  });

  it('names the missing flag if it cannot ask', async () => {
    const { code, stderr } = await home.cli(['login', '--client', 'ck', '--client-secret-stdin'], { input: 's' });
    expect(code).toBe(3);
    expect(stderr).toContain('--username');
  });

  it('lists the flows when it refuses an unknown one', async () => {
    const { code, stderr } = await home.cli(['login', '--flow', 'device']);
    expect(code).toBe(2);
    expect(stderr).toContain('--flow must be one of code, implicit, password, client, not "device"');
  });

  it('does not wait for a browser if no user can answer, and names the flags to use', async () => {
    const { code, stderr } = await home.cli(['login'], { env: { DISPLAY: '', WAYLAND_DISPLAY: '', BROWSER: '' } });
    expect(code).toBe(3);
    expect(stderr).toContain('--flow client');
    expect(stderr).toContain('--password-stdin');
  });
});

describe('a request', () => {
  it.each([
    ['--token-file', { ACTORCTL_TOKEN: 'from-env' }, ['--token-file', 'token.txt'], 'Bearer from-file'],
    [
      'ACTORCTL_TOKEN',
      { ACTORCTL_TOKEN: 'from-env', ACTORCTL_CLIENT_ID: 'a', ACTORCTL_CLIENT_SECRET: 'b' },
      [],
      'Bearer from-env',
    ],
    ['ACTORCTL_CLIENT_ID', { ACTORCTL_CLIENT_ID: 'a', ACTORCTL_CLIENT_SECRET: 'b' }, [], 'Bearer access-2'],
    ['the login', {}, [], 'Bearer access-1'],
  ])('carries the token of %s in preference to any source of lower precedence', async (_name, env, flags, expected) => {
    await login();
    writeFileSync(path.join(home.folder, 'token.txt'), 'from-file\n');
    let carried: string | undefined;
    service.answer = (request, response) => {
      if (request.url !== '/actors/v2/configs') return false;
      carried = request.headers.authorization;
      json(response, 200, { message: '', result: [], status: 'success', version: '1' });
      return true;
    };
    const args = flags.map((flag) => (flag === 'token.txt' ? path.join(home.folder, flag) : flag));
    expect((await home.cli(['configs', 'list', ...args], { env })).code).toBe(0);
    expect(carried).toBe(expected);
  });

  it('with a token that expires soon renews it first', async () => {
    await login();
    expireIn(home, 30_000);
    expect((await home.cli(['configs', 'list'])).code).toBe(0);
    expect(service.asked.slice(3)).toEqual(['POST /token refresh_token', 'GET /actors/v2/configs']);
  });

  it('with a refused token renews it and is repeated once', async () => {
    await login();
    let refuse = true;
    service.answer = (request, response) => {
      if (request.url !== '/actors/v2/configs' || !refuse) return false;
      refuse = false;
      json(response, 401, { message: 'expired', result: null, status: 'error', version: '1' });
      return true;
    };
    expect((await home.cli(['configs', 'list'])).code).toBe(0);
    expect(service.asked.slice(3)).toEqual([
      'GET /actors/v2/configs',
      'POST /token refresh_token',
      'GET /actors/v2/configs',
    ]);
  });

  it('of 20 simultaneous processes renews the token once', async () => {
    await login();
    expireIn(home, -1_000);
    const ended = await Promise.all(Array.from({ length: 20 }, () => home.cli(['configs', 'list'])));
    expect(ended.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual(Array(20).fill('0 '));
    expect(service.asked.filter((line) => line === 'POST /token refresh_token')).toHaveLength(1);
  });

  it('keeps the login if the network fails, and deletes it only if the service refuses it', async () => {
    await login();
    expireIn(home, -1_000);
    service.answer = (request) => {
      if (request.url !== '/token') return false;
      request.socket.destroy();
      return true;
    };
    const failed = await home.cli(['configs', 'list']);
    expect(failed.code).toBe(9);
    expect((await home.cli(['whoami'])).code).toBe(0);
    service.answer = (request, response) => {
      if (request.url !== '/token') return false;
      json(response, 400, { error: 'invalid_grant' });
      return true;
    };
    const spent = await home.cli(['configs', 'list']);
    expect(spent.code).toBe(4);
    expect(spent.stderr).toContain('the login has expired');
    expect((await home.cli(['whoami'])).code).toBe(4);
  });

  it('does not use a proxy', async () => {
    await login();
    const env = { http_proxy: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9', ALL_PROXY: 'http://127.0.0.1:9' };
    expect((await home.cli(['configs', 'list'], { env })).code).toBe(0);
  });

  it('R161 prints no token, not even with --debug', async () => {
    await login();
    const { stdout, stderr } = await home.cli(['configs', 'list', '--debug']);
    expect(stderr).toContain('GET');
    expect(stdout + stderr).not.toMatch(/access-1|refresh-1|client-secret/);
  });
});

describe('logout', () => {
  it('deletes the login, and names the variables that still give a token', async () => {
    await login();
    const { code, stdout, stderr } = await home.cli(['logout', '--json'], { env: { ACTORCTL_TOKEN: 'x' } });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      logged_out: ['dev'],
      revoked: false,
      user: null,
      env_shadow: ['ACTORCTL_TOKEN'],
    });
    expect(stderr).toContain('ACTORCTL_TOKEN is still set');
    expect(stderr).toContain('cannot revoke the tokens of');
    expect(readFileSync(credentials(), 'utf8')).not.toMatch(/access-1|refresh-1/);
    expect((await home.cli(['logout'])).code).toBe(0);
  });
});

describe('whoami', () => {
  it('always has all keys and no secret', async () => {
    mkdirSync(path.join(home.folder, 'config'), { recursive: true });
    const opaque = await home.cli(['whoami', '--json'], { env: { ACTORCTL_TOKEN: 'sesame' } });
    await login();
    const stored = await home.cli(['whoami', '--json']);
    const keys = [
      'authenticated',
      'base_url',
      'checked',
      'client',
      'context',
      'expires_at',
      'flow',
      'instance',
      'refreshable',
      'tenant',
      'token_source',
      'user',
    ];
    for (const { stdout } of [opaque, stored]) expect(Object.keys(JSON.parse(stdout)).sort()).toEqual(keys);
    expect(JSON.parse(opaque.stdout)).toMatchObject({ user: null, token_source: 'env:ACTORCTL_TOKEN' });
    expect(opaque.stdout + stored.stdout).not.toMatch(/sesame|access-1/);
  });
});

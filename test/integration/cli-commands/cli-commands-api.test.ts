// `clients`, `users` and `api` of the built program against the built daemon.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

let home: SharedHome;
let image: string;

beforeAll(async () => {
  home = await sharedHome();
  image = shellActor(home.folder);
});

afterAll(() => home.remove());

describe('clients and users', () => {
  it('clients create prints the secret of the client once', async () => {
    const made = await home.json(
      'clients',
      'create',
      'web',
      '--redirect-uri',
      'http://127.0.0.1:3000/cb',
      '--grant',
      'code,refresh',
    );
    expect(made).toMatchObject({
      name: 'web',
      client_secret: expect.any(String),
      callback_url: 'http://127.0.0.1:3000/cb',
      grants: ['authorization_code', 'refresh_token'],
    });
    const { stdout } = await home.cli(['clients', 'list', '--json']);
    expect(stdout).toContain('"web"');
    expect(stdout).not.toContain(String(made['client_secret']));
    expect(await home.cli(['clients', 'create', 'web'])).toMatchObject({ code: 7 });
    expect(await home.cli(['clients', 'create', 'x', '--grant', 'nope'])).toMatchObject({ code: 2 });
  });
  it('users create reads a password from stdin or generates one, and has no flag for it', async () => {
    const made = await home.json(
      'users',
      'create',
      'ana',
      '--generate',
      '--email',
      'ana@example.org',
      '--role',
      'user,privileged',
    );
    expect(made).toMatchObject({
      username: 'ana',
      email: 'ana@example.org',
      password: expect.stringMatching(/^[\w-]{24}$/),
    });
    expect(await home.cli(['users', 'create', 'bob', '--password-stdin'], { input: 'long enough\n' })).toMatchObject({
      code: 0,
      stdout: 'Created user bob\n',
    });
    expect(await home.cli(['users', 'create', 'eve'])).toMatchObject({ code: 3 });
    expect(await home.cli(['users', 'create', 'eve', '--password-stdin'])).toMatchObject({ code: 2 });
    expect((await home.cli(['users', 'list', '-q'])).stdout.split('\n')).toEqual(
      expect.arrayContaining(['ana', 'bob', 'dev']),
    );
    const own = await home.cli(
      ['clients', 'create', 'bobs', '--username', `${home.tenant}/bob`, '--password-stdin', '-q'],
      {
        input: 'long enough\n',
      },
    );
    expect(own).toMatchObject({ code: 0 });
    const wrong = await home.cli(
      ['clients', 'create', 'bobs', '--username', `${home.tenant}/bob`, '--password-stdin'],
      {
        input: 'wrong\n',
      },
    );
    expect(wrong).toMatchObject({ code: 4 });
  });
});

describe('api', () => {
  it('prints the body unchanged and the status on stderr, and maps the status to an exit code', async () => {
    const { code, stdout, stderr } = await home.cli(['api', 'actors']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'HTTP 200 OK\n' });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'success', result: expect.any(Array) });
    const missing = await home.cli(['api', 'actors/nope']);
    expect(missing).toMatchObject({ code: 6, stderr: 'HTTP 404 Not Found\n' });
    expect(JSON.parse(missing.stdout)).toMatchObject({ status: 'error', result: null });
    expect(await home.cli(['api', 'actors', '--auth', 'none'])).toMatchObject({ code: 4 });
    expect((await home.cli(['api', 'nowhere'])).stderr).toContain('no such route');
    const refused = await home.cli(['api', 'actors/nope', '--jq', '.result.id']);
    expect(refused).toMatchObject({ code: 6, stdout: missing.stdout, stderr: 'HTTP 404 Not Found\n' });
  });
  it('sends fields, forms and whole bodies', async () => {
    expect(
      await home.json('api', 'POST', 'actors', '-f', `image=${image}`, '-f', 'name=raw', '-F', 'stateless=false'),
    ).toMatchObject({
      result: { name: 'raw', stateless: false },
    });
    expect(await home.json('api', 'actors', '--form', '-f', `image=${image}`, '-f', 'name=raw2')).toMatchObject({
      result: { name: 'raw2' },
    });
    const body = JSON.stringify({ image, name: 'raw3' });
    const answered = await home.cli(['api', '-X', 'POST', 'actors/v2', '--input', '-', '--jq', '.result.name'], {
      input: body,
    });
    expect(answered).toMatchObject({ code: 0, stdout: '"raw3"\n' });
    expect(await home.cli(['api', 'POST', 'actors', '-f', 'name=x'])).toMatchObject({ code: 2 });
  });
  it('prints the headers with -i, and omits the body with --silent', async () => {
    const { stdout } = await home.cli(['api', '-i', 'healthz', '--auth', 'none', '--silent']);
    expect(stdout).toMatch(/^HTTP 200 OK\n[\s\S]*content-type: application\/json[\s\S]*\n\n$/);
  });
  it('sends client credentials with --auth basic', async () => {
    const client = await home.json<Record<string, string>>('clients', 'create', 'ci');
    const env = { ACTORCTL_CLIENT_ID: client['client_id'], ACTORCTL_CLIENT_SECRET: client['client_secret'] };
    const args = [
      'api',
      'POST',
      'token',
      '--auth',
      'basic',
      '--form',
      '-f',
      'grant_type=client_credentials',
      '--jq',
      '.token_type',
      '-r',
    ];
    expect(await home.cli(args, { env })).toMatchObject({ code: 0, stdout: 'bearer\n' });
    expect(await home.cli(args)).toMatchObject({ code: 4, stdout: '' });
  });
  it('lists the routes', async () => {
    const routes = await home.json<{ method: string; path: string }[]>('api', 'routes', '--search', 'utilization');
    expect(routes).toMatchObject([
      { method: 'GET', path: '/actors/v2/utilization' },
      { method: 'GET', path: '/actors/v2/utilization/activity' },
    ]);
  });
});

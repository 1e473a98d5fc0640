// `env` and `context` against the real daemon.
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { inProcessHome } from '../../support/daemon/home.ts';

let home: SharedHome;
let baseUrl: string;

beforeAll(async () => {
  home = await sharedHome();
  ({ baseUrl } = home);
});
afterAll(async () => home.remove());

describe('env', () => {
  it.each([
    ['sh', /^export ACTORCTL_BASE_URL='http:\/\/127\.0\.0\.1:\d+'\nexport ACTORCTL_TOKEN='[\w-]+'\n$/],
    ['fish', /^set -gx ACTORCTL_BASE_URL 'http:.*'\nset -gx ACTORCTL_TOKEN '[\w-]+'\n$/],
    ['powershell', /^\$Env:ACTORCTL_BASE_URL = 'http:.*'\n\$Env:ACTORCTL_TOKEN = '[\w-]+'\n$/],
    ['dotenv', /^ACTORCTL_BASE_URL="http:.*"\nACTORCTL_TOKEN="[\w-]+"\n$/],
    ['github', /^ACTORCTL_BASE_URL=http:.*\nACTORCTL_TOKEN=[\w-]+\n$/],
  ])('prints the format %s', async (shell, expected) => {
    const { code, stdout } = await home.cli(['env', '--shell', shell, '--with-token']);
    expect(code).toBe(0);
    expect(stdout).toMatch(expected);
  });

  it('configures another actorctl, and contains no token unless requested', async () => {
    const plain = await home.cli(['env', '--shell', 'json']);
    expect(JSON.parse(plain.stdout)).toEqual({ ACTORCTL_BASE_URL: baseUrl });
    const env = JSON.parse((await home.cli(['env', '--shell', 'json', '--with-token'])).stdout);
    const other = inProcessHome(env);
    try {
      expect((await other.cli(['whoami', '--check', '--jq', '.user', '-r'])).stdout).toBe('dev\n');
    } finally {
      await other.remove();
    }
  });

  it('writes the cache file of the Agave programs with a working refresh token', async () => {
    const { stdout } = await home.cli(['env', '--shell', 'agave']);
    const file = JSON.parse(stdout);
    expect(file).toMatchObject({ tenantid: home.tenant, baseurl: baseUrl, username: 'dev' });
    const answer = await fetch(`${file.baseurl}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${file.apikey}:${file.apisecret}`).toString('base64')}` },
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        scope: 'PRODUCTION',
        refresh_token: file.refresh_token,
      }),
    });
    expect(answer.status).toBe(200);
  });
});

describe('context', () => {
  it('creates, renames and deletes names for services in a private file, and the login follows the name', async () => {
    const file = path.join(home.folder, 'config', 'contexts.json');
    expect((await home.cli(['context', 'create', 'far', '--base-url', baseUrl, '--use'])).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await home.cli(['context', 'create', 'far', '--base-url', baseUrl])).code).toBe(7);
    expect((await home.cli(['context', 'create', 'other', '--base-url', 'ftp://x'])).code).toBe(2);
    expect(await home.json('context', 'show')).toMatchObject({ name: 'far', current: true, base_url: baseUrl });
    expect((await home.cli(['whoami'])).code).toBe(4);
    const token = (await home.cli(['auth', 'token', '-c', 'local'])).stdout;
    expect((await home.cli(['login', '--token-stdin'], { input: token })).code).toBe(0);
    expect((await home.cli(['context', 'rename', 'far', 'near'])).code).toBe(0);
    expect(await home.json('whoami')).toMatchObject({ user: 'dev', context: 'near', flow: 'token' });
    expect((await home.cli(['context', 'use', 'local'])).code).toBe(0);
    expect(await home.json('whoami')).toMatchObject({ context: 'local', flow: 'password' });
    expect((await home.cli(['context', 'delete', 'near'])).code).toBe(3);
    expect(await home.json('context', 'delete', 'near', '--yes')).toEqual({ deleted: 'near', login_forgotten: true });
    expect((await home.cli(['context', 'show', 'near'])).code).toBe(6);
    expect(readFileSync(path.join(home.folder, 'config', 'credentials.json'), 'utf8')).not.toContain('context/');
  });

  it('created from another context does not inherit its addresses if an address or an instance is given', async () => {
    const far = ['--base-url', 'http://127.0.0.1:1', '--auth-url', 'http://127.0.0.1:2', '--tenant', 'T'];
    await home.json('context', 'create', 'origin', ...far);
    const made = async (name: string, ...flags: readonly string[]) => {
      const { current: _current, ...entry } = await home.json('context', 'create', name, '--from', 'origin', ...flags);
      return entry;
    };
    const [tenant, address] = ['T', 'http://127.0.0.1:3'];
    expect(await made('copy-1', '--instance', 'dev')).toEqual({ name: 'copy-1', instance: 'dev', tenant });
    expect(await made('copy-2', '--base-url', address)).toEqual({ name: 'copy-2', base_url: address, tenant });
    const entry = { base_url: 'http://127.0.0.1:1', auth_url: address, tenant };
    expect(await made('copy-3', '--auth-url', address)).toEqual({ name: 'copy-3', ...entry });
    const both = ['context', 'create', 'copy-4', '--base-url', address, '--instance', 'dev'];
    expect(await home.cli(both)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('together') });
  });

  it('use mentions settings that override the switch', async () => {
    const made = ['context', 'create', 'elsewhere', '--base-url', baseUrl];
    expect((await home.cli(made)).code).toBe(0);
    const use = async (env: NodeJS.ProcessEnv, cwd = home.folder) =>
      (await home.cli(['context', 'use', 'local'], { env, cwd })).stderr;
    expect(await use({})).toBe('');
    expect(await use({ ACTORCTL_CONTEXT: 'local' })).toBe('');
    expect(await use({ ACTORCTL_CONTEXT: 'elsewhere' })).toBe('ACTORCTL_CONTEXT overrides it now\n');
    expect(await use({ ACTORCTL_BASE_URL: baseUrl })).toBe('ACTORCTL_BASE_URL overrides it now\n');
    const folder = path.join(home.folder, 'bound');
    mkdirSync(folder);
    expect((await home.cli(['context', 'use', 'elsewhere', '--dir', folder])).stderr).toBe('');
    expect(await use({}, folder)).toBe(`${path.join(folder, 'actorctl.json')} overrides it now\n`);
    const { stderr } = await home.cli(['context', 'delete', 'elsewhere', '--yes'], { cwd: folder });
    expect(stderr).toContain('still names the context elsewhere');
    expect((await home.cli(made)).code).toBe(0);
    // The flag hides the variable and the file, which other commands read.
    const hidden = { cwd: folder, env: { ACTORCTL_CONTEXT: 'elsewhere' } };
    const both = await home.cli(['context', 'delete', 'elsewhere', '--yes', '-c', 'local'], hidden);
    const warning = (from: string) =>
      `warning: ${from} still names the context elsewhere: commands that read it fail\n`;
    expect(both.stderr).toBe(warning('ACTORCTL_CONTEXT') + warning(path.join(folder, 'actorctl.json')));
  });

  it('use --dir replaces actorctl.json as a whole, follows a link and keeps the mode and other fields', async () => {
    const folder = path.join(home.folder, 'linked');
    mkdirSync(folder);
    const at = (name: string) => path.join(folder, name);
    const [file, link, old] = [at('real.json'), at('actorctl.json'), at('old.json')];
    writeFileSync(file, '{"name":"wc"}');
    chmodSync(file, 0o666);
    // Another name of the same file: it keeps the old text only if the file is not written in place.
    linkSync(file, old);
    symlinkSync('real.json', link);
    expect((await home.cli(['context', 'use', 'local', '--dir', folder])).code).toBe(0);
    expect(JSON.parse(readFileSync(link, 'utf8'))).toEqual({ name: 'wc', context: 'local' });
    expect(readFileSync(old, 'utf8')).toBe('{"name":"wc"}');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o666);
    expect(readdirSync(folder).toSorted()).toEqual(['actorctl.json', 'old.json', 'real.json']);
  });

  it('renamed or deleted is replaced or removed in the settings', async () => {
    await home.json('context', 'create', 'first', '--base-url', baseUrl);
    // The current context would win over the setting.
    const contextsFile = path.join(home.folder, 'config', 'contexts.json');
    const { current: _current, ...others } = JSON.parse(readFileSync(contextsFile, 'utf8'));
    writeFileSync(contextsFile, JSON.stringify(others));
    await home.json('settings', 'set', 'context', 'first');
    expect((await home.cli(['context', 'rename', 'first', 'second'])).stderr).toBe(
      'the setting context was first, and is second now\n',
    );
    expect(await home.json('context', 'show')).toMatchObject({ name: 'second', current: true });
    expect((await home.cli(['context', 'delete', 'second', '--yes'])).stderr).toBe(
      'the setting context was second, and is not set now\n',
    );
    expect(await home.json('context', 'show')).toMatchObject({ name: 'local', current: true });
  });

  it('that was deleted but is still in the settings can be unset with the suggested command', async () => {
    const settings = path.join(home.folder, 'config', 'settings.json');
    writeFileSync(settings, JSON.stringify({ context: 'gone' }));
    const { code, stderr } = await home.cli(['whoami']);
    const [, line = ''] = /^try: actorctl (.*)$/m.exec(stderr) ?? [];
    expect([code, line]).toEqual([2, 'settings unset context -c local']);
    expect(await home.cli(line.split(' '))).toMatchObject({ code: 0, stderr: '' });
    expect((await home.cli(['whoami'])).code).toBe(0);
  });

  it('given by a flag is part of the suggested command of a failure', async () => {
    expect((await home.cli(['context', 'create', 'apart', '--base-url', 'http://127.0.0.1:1'])).code).toBe(0);
    const { stderr } = await home.cli(['whoami', '-c', 'apart']);
    expect(stderr).toBe('error: you are not logged in\ntry: actorctl login -c apart\n');
    const env = { ACTORCTL_CONTEXT: 'apart' };
    expect((await home.cli(['whoami'], { env })).stderr).toBe('error: you are not logged in\ntry: actorctl login\n');
  });

  it('whose service is down: the suggested command does not start it', async () => {
    const env = { ACTORCTL_TOKEN: 'token' };
    const { code, stderr } = await home.cli(['actors', 'list', '-c', 'apart'], { env });
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('hint: check that this is') });
  });
});

// `context export` and `context import` from one home to another. The real daemon proves that the login was
// transferred.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;
let other: Home;
let baseUrl: string;
let token: string;
const at = (name: string) => path.join(home.folder, name);

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  other = inProcessHome();
  ({ baseUrl } = await home.up());
  token = (await home.cli(['auth', 'token'])).stdout.trim();
  await home.json('context', 'create', 'far', '--base-url', baseUrl, '--tenant', 'DEV');
  expect((await home.cli(['login', '--token-stdin', '-c', 'far'], { input: token })).code).toBe(0);
});
afterAll(async () => {
  await other.remove();
  await home.remove();
});

describe('context export', () => {
  it('writes a file of mode 0600 without secrets, prints its path, and overwrites no file', async () => {
    const file = at('far.json');
    const document = { contexts: { far: { base_url: baseUrl, tenant: 'DEV' } } };
    expect(await home.cli(['context', 'export', 'far', file])).toEqual({ code: 0, stdout: `${file}\n`, stderr: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(document);
    expect(JSON.parse((await home.cli(['context', 'export', 'far', '-'])).stdout)).toEqual(document);
    expect(await home.cli(['context', 'export', 'far', file])).toMatchObject({ code: 7, stdout: '' });
  });

  it('R161 includes the login only with --with-secrets and a confirmation', async () => {
    const file = at('secret.json');
    expect(await home.cli(['context', 'export', 'far', file, '--with-secrets'])).toMatchObject({ code: 3, stdout: '' });
    expect(existsSync(file)).toBe(false);
    const { code, stdout } = await home.cli(['context', 'export', 'far', file, '--with-secrets', '--yes', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([0, { contexts: { far: { base_url: baseUrl, tenant: 'DEV' } } }]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(token);
  });

  it('refuses an unknown context, and a context that has another meaning on another machine', async () => {
    expect(await home.cli(['context', 'export', 'absent', '-'])).toMatchObject({ code: 6, stdout: '' });
    expect(await home.cli(['context', 'export', 'local', '-'])).toMatchObject({ code: 2, stdout: '' });
    expect(await home.cli(['context', 'export', 'far', at('no/such/folder')])).toMatchObject({ code: 2 });
    await home.json('context', 'create', 'bare', '--base-url', baseUrl);
    expect(await home.cli(['context', 'export', 'bare', '-', '--with-secrets', '-y'])).toMatchObject({ code: 6 });
  });
});

describe('context import', () => {
  it('adds a context and its login, and refuses an existing name without --force', async () => {
    const { stdout: input } = await home.cli(['context', 'export', 'far', '-', '--with-secrets', '--yes']);
    const arrived = await other.cli(['context', 'import', '-'], { input });
    expect(arrived).toMatchObject({ code: 0, stdout: 'Imported far, with 1 login\n' });
    expect(await other.json('whoami', '--check', '-c', 'far')).toMatchObject({ user: 'dev', context: 'far' });
    expect(await other.json('context', 'show')).toMatchObject({ name: 'local', current: true });
    expect(await other.cli(['context', 'import', '-'], { input })).toMatchObject({ code: 7, stdout: '' });
    expect(await other.cli(['context', 'import', '-', '--force'], { input })).toMatchObject({ code: 0 });
  });

  it('R161 deletes a stored login if the context gets another address', async () => {
    const file = at('moved.json');
    writeFileSync(file, JSON.stringify({ contexts: { far: { base_url: 'http://127.0.0.1:9' } } }));
    expect(await other.json('context', 'import', file, '--force')).toEqual({
      imported: ['far'],
      logins: [],
      logins_forgotten: 1,
    });
    expect(readFileSync(path.join(other.folder, 'config', 'credentials.json'), 'utf8')).not.toContain(token);
  });

  it('reads an export that was printed with --json: the name and the login are unchanged', async () => {
    await home.json('context', 'create', 'myProd', '--base-url', baseUrl);
    expect((await home.cli(['login', '--token-stdin', '-c', 'myProd'], { input: token })).code).toBe(0);
    const [plain, secret] = [
      ['context', 'export', 'myProd'],
      ['--with-secrets', '--yes', '--json'],
    ];
    const { stdout: input } = await home.cli([...plain, '-', ...secret]);
    expect((await other.cli(['context', 'import', '-'], { input })).stdout).toBe('Imported myProd, with 1 login\n');
    expect(await other.json('whoami', '--check', '-c', 'myProd')).toMatchObject({ user: 'dev', context: 'myProd' });
    expect(await home.json(...plain, at('my-prod.json'))).toEqual({ contexts: { myProd: { base_url: baseUrl } } });
  });

  it.each([
    'no JSON',
    '{}',
    '{"contexts":{}}',
    '{"contexts":{"a":{}}}',
    '{"contexts":{"a":{"base_url":"ftp://x"}}}',
    '{"contexts":{"a":{"base_url":"http://x","more":1}}}',
    '{"contexts":{"a":{"instance":"../x"}}}',
    '{"contexts":{"a/b":{"base_url":"http://x"}}}',
    '{"contexts":{"local":{"base_url":"http://x"}}}',
    '{"contexts":{"a":{"base_url":"http://x"}},"logins":{"b":{}}}',
    '{"contexts":{"a":{"base_url":"http://x"}},"logins":{"a":{"login":"x"}}}',
  ])('refuses %s', async (input) => {
    expect(await other.cli(['context', 'import', '-', '--force'], { input })).toMatchObject({ code: 2, stdout: '' });
    expect(await other.cli(['context', 'show', 'a'])).toMatchObject({ code: 6 });
  });
});

// `clients`, `users`, `profiles` and `tenants` of the built program against the built daemon.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenStatus } from '../../support/commands/token-status.ts';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { ADMIN, type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;
beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up();
});
afterAll(() => home.remove());

const errorOf = (stderr: string) => (JSON.parse(stderr) as { error: Record<string, unknown> }).error;
/** What a new user types is on stderr: `users create` and `tenants create` print nothing else there. */
const GUIDANCE = /^\w+ types:\n {2}actorctl context create dev .*\n {2}actorctl login --username \w+\n$/;
const said = async (...args: string[]) => {
  const { code, stdout, stderr } = await home.cli(args);
  expect({ code, stderr: stderr.replace(GUIDANCE, '') }).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd();
};

describe('clients', () => {
  it('show prints all fields except the secret, and counts tokens', async () => {
    const made = await home.json(
      'clients',
      'create',
      'shown',
      '--redirect-uri',
      'https://a.example/',
      '--grant',
      'client',
    );
    expect(await tokenStatus(home, made['client_id'], made['client_secret'])).toBe(0);
    expect(await home.json('clients', 'show', 'shown')).toMatchObject({
      name: 'shown',
      grants: ['client_credentials'],
      tokens: { access: 1, refresh: 0 },
    });
    const text = await said('clients', 'get', 'shown');
    expect(text).toMatch(/^access tokens\t1$/m);
    expect(text).not.toContain(String(made['client_secret']));
    expect(await home.cli(['clients', 'show', 'absent'])).toMatchObject({ code: 6 });
  });

  it('update adds and removes redirect URIs, replaces grants, and lists the changes', async () => {
    await said('clients', 'create', 'moving', '--redirect-uri', 'https://a.example/');
    const uri = (word: 'add' | 'remove', value: string) => [`--${word}-redirect-uri`, value];
    const both = [...uri('add', 'https://b.example/'), ...uri('remove', 'https://a.example/')];
    expect(await said('clients', 'update', 'moving', ...both, '--grant', 'code,refresh')).toBe(
      'Updated client moving (+1 redirect URI, -1 redirect URI, grants)',
    );
    expect(await home.json('clients', 'update', 'moving', '--description', 'new')).toMatchObject({
      callback_url: 'https://b.example/',
      grants: ['authorization_code', 'refresh_token'],
      description: 'new',
    });
    const missing = await home.cli(['clients', 'update', 'moving', ...uri('remove', 'https://c.example/'), '--json']);
    expect([missing.code, errorOf(missing.stderr)['hint']]).toEqual([2, 'registered: https://b.example/']);
    expect(await home.cli(['clients', 'update', 'moving', ...uri('add', 'http://far.example/')])).toMatchObject({
      code: 2,
    });
    expect(await home.cli(['clients', 'update', 'moving', '--grant', 'everything'])).toMatchObject({ code: 2 });
    expect(await home.cli(['clients', 'update', 'moving'])).toMatchObject({ code: 2 });
    expect(await home.cli(['clients', 'update', 'absent', '--description', 'x'])).toMatchObject({ code: 6 });
  });

  it('rotate asks for confirmation, except with a grace period', async () => {
    const made = await home.json('clients', 'create', 'turning');
    const [id, first] = [made['client_id'], made['client_secret']];
    expect(await home.cli(['clients', 'rotate', 'turning'])).toMatchObject({ code: 3, stdout: '' });
    const planned = await home.json('clients', 'rotate', 'turning', '--grace', '1h');
    expect(planned).toMatchObject({ revoked: 0, previous_valid_until: expect.stringMatching(/Z$/) });
    expect([await tokenStatus(home, id, first), await tokenStatus(home, id, planned['client_secret'])]).toEqual([0, 0]);
    expect(await said('clients', 'rotate', 'turning', '-y')).toMatch(/^New secret: [\w-]{43} \(2 tokens revoked\)$/);
    expect([await tokenStatus(home, id, first), await tokenStatus(home, id, planned['client_secret'])]).toEqual([4, 4]);
    expect(await said('clients', 'rotate', 'turning', '--grace', '90s')).toMatch(
      /\(the old one stays valid for 1m30s\)$/,
    );
    expect(await said('clients', 'rotate', 'turning', '--grace', '90s', '-q')).toMatch(/^[\w-]{43}$/);
    for (const grace of ['soon', '500ms', '31d']) {
      expect(await home.cli(['clients', 'rotate', 'turning', '--grace', grace])).toMatchObject({ code: 2 });
    }
  });

  it('create --public makes a client without a secret, which cannot be rotated', async () => {
    expect(await said('clients', 'create', 'spa', '--public')).toMatch(/ {2}public, no secret$/);
    expect(await home.json('clients', 'show', 'spa')).toMatchObject({ public: true });
    expect(await home.cli(['clients', 'rotate', 'spa', '-y'])).toMatchObject({ code: 2 });
    expect(await home.cli(['clients', 'create', 'spa2', '--public', '--grant', 'client'])).toMatchObject({ code: 2 });
  });

  it('R140 create --write-env writes client id and secret to a new private file, and prints no secret', async () => {
    const file = path.join(home.folder, 'client.env');
    const written = ['--write-env', file];
    const { code, stdout } = await home.cli(['clients', 'create', 'filed', '--envelope', ...written]);
    const text = readFileSync(file, 'utf8');
    const [, id, secret = ''] = /^ACTORCTL_CLIENT_ID="([\w-]+)"\nACTORCTL_CLIENT_SECRET="([\w-]+)"\n$/.exec(text) ?? [];
    expect([code, statSync(file).mode & 0o777, await tokenStatus(home, id, secret)]).toEqual([0, 0o600, 0]);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'success', result: { consumerKey: id } });
    expect(stdout).not.toContain(secret);
    expect(await home.cli(['clients', 'create', 'second', ...written])).toMatchObject({ code: 7, stdout: '' });
    expect(await home.cli(['clients', 'show', 'second'])).toMatchObject({ code: 6 });
    expect(readFileSync(file, 'utf8')).toBe(text);
    const next = `${file}.next`;
    expect(await home.cli(['clients', 'create', 'filed', '--write-env', next])).toMatchObject({ code: 7 });
    expect(await said('clients', 'create', 'third', '--write-env', next)).toMatch(
      / {2}client id [\w-]+ {2}secret in \S+$/,
    );
    expect(await home.cli(['clients', 'create', 'spa3', '--public', ...written])).toMatchObject({ code: 2 });
  });

  it('delete asks for confirmation, revokes tokens, and works with name and password instead of a login', async () => {
    const made = await home.json('clients', 'create', 'going');
    await tokenStatus(home, made['client_id'], made['client_secret']);
    expect(await home.cli(['clients', 'delete', 'going'])).toMatchObject({ code: 3 });
    const by = ['--username', ADMIN.username, '--password-stdin'];
    const gone = await home.cli(['clients', 'delete', 'going', '-y', '--json', ...by], {
      input: `${ADMIN.password}\n`,
    });
    expect(JSON.parse(gone.stdout)).toEqual({ deleted: 'going', revoked: 1 });
    expect(await home.cli(['clients', 'delete', 'going', '-y'])).toMatchObject({ code: 6 });
  });
});

describe('users', () => {
  it('show, update and list work', async () => {
    await said('users', 'create', 'ana', '--generate');
    expect(
      await said('users', 'update', 'ana', '--first-name', 'Ana', '--role', 'user,privileged', '--phone', '1'),
    ).toBe('Updated user ana: first_name, phone, roles');
    expect(await home.json('users', 'show', 'ana')).toMatchObject({
      first_name: 'Ana',
      phone: '1',
      roles: ['user', 'privileged'],
    });
    expect(await said('users', 'get', 'ana')).toMatch(/^roles\tuser,privileged$/m);
    expect(await home.cli(['users', 'update', 'ana'])).toMatchObject({ code: 2 });
    expect(await home.cli(['users', 'update', 'ana', '--role', 'king'])).toMatchObject({ code: 2 });
    expect(await home.cli(['users', 'show', 'absent'])).toMatchObject({ code: 6 });
  });

  it.each([['-q'], ['-o', 'name'], ['--fields', 'username'], ['--template', '{{username}}']])(
    'a generated password that %s leaves out is a warning',
    async (...flags) => {
      const user = `lost${flags.join('').replaceAll(/\W/g, '')}`;
      const stderr = expect.stringContaining(`warning: the generated password of "${user}" is not shown`);
      for (const verb of ['create', 'passwd'])
        expect(await home.cli(['users', verb, user, '--generate', ...flags])).toMatchObject({ stderr });
      expect(await said('users', 'passwd', user, '--generate', '--fields', 'password')).toContain('password');
    },
  );

  it('passwd reads a password from stdin, or generates one and prints it once', async () => {
    await said('users', 'create', 'pat', '--generate');
    const given = await home.cli(['users', 'passwd', 'pat', '--password-stdin'], { input: 'long enough\n' });
    expect(given).toMatchObject({ code: 0, stdout: 'Changed the password of pat (0 tokens revoked)\n' });
    const made = await home.json('users', 'passwd', 'pat', '--generate');
    expect(made).toMatchObject({ username: 'pat', revoked: 0, password: expect.stringMatching(/^[\w-]{24}$/) });
    const list = ['clients', 'list', '--username', 'pat', '--password-stdin', '--json'];
    expect(await home.cli(list, { input: `${String(made['password'])}\n` })).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(await home.cli(list, { input: 'long enough\n' })).toMatchObject({ code: 4 });
    const short = await home.cli(['users', 'passwd', 'pat', '--password-stdin'], { input: 'short\n' });
    expect(short).toMatchObject({ code: 2 });
    expect(await home.cli(['users', 'passwd', 'pat'])).toMatchObject({ code: 3 });
  });

  it('delete asks for confirmation, refuses the last admin and owners of actors, and can transfer actors', async () => {
    expect(await home.cli(['users', 'delete', ADMIN.username])).toMatchObject({ code: 3 });
    const last = await home.cli(['users', 'delete', ADMIN.username, '-y', '--json']);
    expect([last.code, errorOf(last.stderr)['code']]).toEqual([7, 'LAST_ADMIN']);
    await home.cli(['users', 'create', 'owner', '--password-stdin', '--role', 'user'], { input: 'long enough\n' });
    const by = { input: 'long enough\n' };
    const client = await home.cli(
      ['clients', 'create', 'mine', '--username', 'owner', '--password-stdin', '--json'],
      by,
    );
    const { client_id, client_secret } = JSON.parse(client.stdout) as Record<string, string>;
    const env = { ACTORCTL_CLIENT_ID: client_id, ACTORCTL_CLIENT_SECRET: client_secret };
    const actor = (await home.cli(['actors', 'create', 'busybox', '-q'], { env })).stdout.trim();
    const inUse = await home.cli(['users', 'delete', 'owner', '-y', '--json']);
    expect([inUse.code, errorOf(inUse.stderr)['code']]).toEqual([7, 'IN_USE']);
    expect(await said('users', 'delete', 'owner', '-y', '--reassign-to', ADMIN.username)).toMatch(
      /^Deleted user owner \(\d tokens? revoked, 1 client deleted, 1 actor reassigned to dev\)$/,
    );
    expect(await home.json('actors', 'show', actor)).toMatchObject({ owner: ADMIN.username });
    expect(await home.cli(['users', 'delete', 'owner', '-y'])).toMatchObject({ code: 6 });
  });
});

describe('profiles', () => {
  it('show prints the own and other profiles, and list those of the tenant', async () => {
    await said('users', 'create', 'seen', '--generate', '--email', 's@example.org');
    expect(await home.json('profiles', 'show')).toMatchObject({ username: ADMIN.username });
    expect(await home.json('profiles', 'show', 'seen')).toMatchObject({ email: 's@example.org' });
    expect(await said('profiles', 'list', '--filter', 'username=seen', '-o', 'id')).toBe('seen');
    expect(await home.cli(['profiles', 'show', 'absent'])).toMatchObject({ code: 6 });
  });
});

describe('tenants', () => {
  it('are created with lifetimes and a first user, and listed without a login', async () => {
    expect(await said('tenants', 'create', 'LAB', '--name', 'The lab', '--lifetime', 'code=1h')).toBe(
      'Created tenant LAB',
    );
    await said('users', 'create', 'boss', '--tenant', 'LAB', '--role', 'admin', '--generate');
    expect(await said('users', 'list', '--tenant', 'LAB', '-o', 'id')).toBe('boss');
    expect(await home.json('users', 'show', 'boss', '--tenant', 'LAB')).toMatchObject({ tenant: 'LAB' });
    expect(await home.cli(['users', 'show', 'boss'])).toMatchObject({ code: 6 });
    expect(await home.json('tenants', 'show', 'LAB')).toMatchObject({
      name: 'The lab',
      lifetimes: { authorization_code: 3_600, implicit: 3_600, password: 14_400 },
    });
    expect(await said('tenants', 'show', 'LAB')).toMatch(/^authorization code ms\t3600000$/m);
    expect(await said('tenants', 'update', 'DEV', '--lifetime', 'client=5h')).toBe('Updated tenant DEV: lifetimes');
    expect(await home.json('tenants', 'show', 'DEV')).toMatchObject({ lifetimes: { client_credentials: 14_400 } });
    expect(await said('tenants', 'list', '-o', 'id')).toBe('DEV\nLAB');
    expect(await home.json<unknown[]>('tenants', 'list')).toHaveLength(2);
  });

  it.each([
    [['create', 'LAB'], 7],
    [['create', 'a_b'], 2],
    [['create', 'X', '--lifetime', 'nap=1h'], 2],
    [['create', 'X', '--lifetime', 'code=soon'], 2],
    [['create', 'X', '--lifetime', 'code'], 2],
    [['update', 'DEV'], 2],
    [['update', 'NOWHERE', '--name', 'x'], 6],
    [['show', 'NOWHERE'], 6],
  ])('%j exits with %i', async (args, code) => {
    expect(await home.cli(['tenants', ...args])).toMatchObject({ code, stdout: '' });
  });
});

// Where the credentials for a registry are found: in the configuration file of Docker, or by its credential helpers.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { registryLogin } from '../../../daemon/executor/swarm/registry-login.ts';

let home: string;
beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'actorctl-login-'));
  mkdirSync(path.join(home, '.docker'));
  mkdirSync(path.join(home, 'bin'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const config = (value: unknown): void =>
  writeFileSync(path.join(home, '.docker', 'config.json'), typeof value === 'string' ? value : JSON.stringify(value));
const helper = (name: string, script: string): void => {
  const file = path.join(home, 'bin', `docker-credential-${name}`);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
};
const find = (registry = 'r.example:5000', env: Record<string, string> = {}) =>
  registryLogin(registry, { home, env: { PATH: `${path.join(home, 'bin')}:${process.env['PATH']}`, ...env } });
const auth = (text: string): string => Buffer.from(text).toString('base64');

it('reads what docker login stored for the host of the registry', async () => {
  config({ auths: { 'r.example:5000': { auth: auth('ana:pass:word') }, other: { auth: auth('x:y') } } });
  const login = { username: 'ana', password: 'pass:word', serveraddress: 'r.example:5000' };
  expect(await find()).toEqual(login);
  expect(await find('r.example:5000/team')).toEqual(login);
  expect(await find('elsewhere:5000')).toBeUndefined();
});

it('reads it from the folder of DOCKER_CONFIG', async () => {
  config({});
  const folder = path.join(home, 'elsewhere');
  mkdirSync(folder);
  writeFileSync(
    path.join(folder, 'config.json'),
    JSON.stringify({ auths: { 'r.example:5000': { auth: auth('a:b') } } }),
  );
  expect(await find('r.example:5000', { DOCKER_CONFIG: folder })).toMatchObject({ username: 'a', password: 'b' });
});

it('reads an identity token', async () => {
  config({ auths: { 'r.example:5000': { auth: auth('ana:'), identitytoken: 'a-token' } } });
  expect(await find()).toMatchObject({ username: '', password: '', identitytoken: 'a-token' });
});

it.each([
  ['of the host', { credHelpers: { 'r.example:5000': 'test' } }],
  ['of all hosts', { credsStore: 'test', auths: { 'r.example:5000': {} } }],
])('asks the credential helper %s', async (_, value) => {
  config(value);
  helper('test', '[ "$1" = get ] && host=$(cat) && echo "{\\"Username\\": \\"for $host\\", \\"Secret\\": \\"s\\"}"');
  expect(await find()).toMatchObject({ username: 'for r.example:5000', password: 's' });
  helper('test', 'echo \'{"Username": "<token>", "Secret": "a-token"}\'');
  expect(await find()).toMatchObject({ identitytoken: 'a-token' });
  helper('test', 'echo "credentials not found in native keychain"; exit 1');
  expect(await find()).toBeUndefined();
});

it.each([
  ['{', 'config.json is not JSON'],
  [{ credsStore: 'missing' }, 'docker-credential-missing cannot be run'],
  [{ credsStore: '../evil' }, 'is no name of a credential helper'],
  [{ credsStore: 'odd' }, 'gave no user name and secret'],
  [{ credsStore: 'broken' }, 'ended with 3'],
])('names the fault of %o', async (value, message) => {
  helper('odd', 'echo 7');
  helper('broken', 'exit 3');
  config(value);
  await expect(find()).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringContaining(message) });
});

it.each([[undefined], [{}], [{ auths: 7 }], [{ auths: { 'r.example:5000': { auth: '***' } } }]])(
  'finds none in %o',
  async (value) => {
    rmSync(path.join(home, '.docker', 'config.json'), { force: true });
    if (value !== undefined) config(value);
    expect(await find()).toBeUndefined();
  },
);

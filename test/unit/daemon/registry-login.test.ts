// Where the credentials for a registry are found: in the configuration file of Docker, or by its credential helpers.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { loginAdvice, pullAdvice } from '../../../daemon/executor/images/pull-advice.ts';
import { allLogins, imageLogin, registryLogin, registryOf } from '../../../daemon/executor/images/registry-login.ts';

let home: string;
beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'actorctl-login-'));
  mkdirSync(path.join(home, '.docker'));
  mkdirSync(path.join(home, 'bin'));
});
afterEach(() => rmSync(path.join(home, 'run'), { recursive: true, force: true }));
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
const places = (env: Record<string, string> = {}) => ({
  home,
  env: { PATH: `${path.join(home, 'bin')}:${process.env['PATH']}`, XDG_RUNTIME_DIR: path.join(home, 'run'), ...env },
});
const podman = (value: unknown): void => {
  mkdirSync(path.join(home, 'run', 'containers'), { recursive: true });
  writeFileSync(path.join(home, 'run', 'containers', 'auth.json'), JSON.stringify(value));
};
const auth = (text: string): string => Buffer.from(text).toString('base64');

it('registry credentials are those that docker login stored for the host', async () => {
  config({ auths: { 'r.example:5000': { auth: auth('ana:pass:word') }, other: { auth: auth('x:y') } } });
  const login = { username: 'ana', password: 'pass:word', serveraddress: 'r.example:5000' };
  expect(await find()).toEqual(login);
  expect(await find('r.example:5000/team')).toEqual(login);
  expect(await find('elsewhere:5000')).toBeUndefined();
});

it('registry credentials are read from the folder of DOCKER_CONFIG', async () => {
  config({});
  const folder = path.join(home, 'elsewhere');
  mkdirSync(folder);
  writeFileSync(
    path.join(folder, 'config.json'),
    JSON.stringify({ auths: { 'r.example:5000': { auth: auth('a:b') } } }),
  );
  expect(await find('r.example:5000', { DOCKER_CONFIG: folder })).toMatchObject({ username: 'a', password: 'b' });
});

it('registry credentials may be an identity token', async () => {
  config({ auths: { 'r.example:5000': { auth: auth('ana:'), identitytoken: 'a-token' } } });
  expect(await find()).toMatchObject({ username: '', password: '', identitytoken: 'a-token' });
});

it.each([
  ['of the host', { credHelpers: { 'r.example:5000': 'test' } }],
  ['of all hosts', { credsStore: 'test', auths: { 'r.example:5000': {} } }],
])('registry credentials are requested from the credential helper %s', async (_, value) => {
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
  [{ credsStore: '../evil' }, 'is not the name of a credential helper'],
  [{ credsStore: 'odd' }, 'gave no user name and secret'],
  [{ credsStore: 'broken' }, 'ended with 3'],
])('registry credentials report the fault of %o', async (value, message) => {
  helper('odd', 'echo 7');
  helper('broken', 'exit 3');
  config(value);
  await expect(find()).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringContaining(message) });
});

it.each([[undefined], [{}], [{ auths: 7 }], [{ auths: { 'r.example:5000': { auth: '***' } } }]])(
  'there are no registry credentials in %o',
  async (value) => {
    rmSync(path.join(home, '.docker', 'config.json'), { force: true });
    if (value !== undefined) config(value);
    expect(await find()).toBeUndefined();
  },
);

it.each([
  ['hello', 'docker.io'],
  ['team/hello:1', 'docker.io'],
  ['hello:5000', 'docker.io'],
  ['localhost/hello', 'localhost'],
  ['r.example/team/hello@sha256:ab', 'r.example'],
  ['r:5000/hello:1', 'r:5000'],
])('the registry of %s is %s', (image, host) => expect(registryOf(image)).toBe(host));

it.each([
  ['the key of docker login', { 'https://index.docker.io/v1/': { auth: auth('hub:s') } }],
  ['the key of podman login', { 'docker.io': { auth: auth('hub:s') } }],
])('an image without a registry gets the credentials of docker.io under %s', async (_case, auths) => {
  config({ auths });
  expect(await imageLogin('team/hello:1', places())).toMatchObject({
    username: 'hub',
    serveraddress: 'https://index.docker.io/v1/',
  });
  expect(await imageLogin('r.example:5000/hello:1', places())).toBeUndefined();
});

it('registry credentials of podman login are found by the longest matching path', async () => {
  config({});
  podman({ auths: { 'r.example': { auth: auth('all:s') }, 'r.example/team/one': { auth: auth('one:s') } } });
  expect(await imageLogin('r.example/team/one:1', places())).toMatchObject({ username: 'one' });
  expect(await imageLogin('r.example/team/one2:1', places())).toMatchObject({ username: 'all' });
});

it('a credential helper that fails is skipped if another file has the credentials', async () => {
  config({ credsStore: 'missing' });
  podman({ auths: { 'r.example': { auth: auth('all:s') } } });
  expect(await imageLogin('r.example/hello', places())).toMatchObject({ username: 'all' });
  await expect(imageLogin('elsewhere.example/hello', places())).rejects.toThrow(
    /docker-credential-missing cannot be run/,
  );
});

it('a build gets the credentials of all registries, without those of a helper that fails', async () => {
  helper('store', 'case $1 in list) echo \'{"s.example":"ana"}\';; *) echo \'{"Username":"ana","Secret":"s"}\';; esac');
  helper('broken', 'exit 3');
  config({ credsStore: 'store', credHelpers: { 'b.example': 'broken' }, auths: { 'https://index.docker.io/v1/': {} } });
  podman({ auths: { 'p.example': { auth: auth('pod:s') } } });
  const found = await allLogins(places());
  expect(Object.keys(found).sort()).toEqual(['https://index.docker.io/v1/', 'p.example', 's.example']);
});

it.each([
  [
    'Get "https://r.example/v2/": no basic auth credentials',
    false,
    'Log in to the registry r.example with "docker login r.example"',
  ],
  [
    'pull access denied for nothing, repository does not exist',
    false,
    'If the image is private, log in to the registry docker.io with "docker login"',
  ],
  [
    'Head "https://registry-1.docker.io/v2/a/manifests/1": unauthorized',
    true,
    'registry docker.io refused the stored credentials: log in again with "docker login"',
  ],
  ['denied: requested access to the resource is denied', true, 'The registry h.example refused'],
])('the registry error %s suggests a login', (why, found, advice) =>
  expect(loginAdvice(why, 'h.example/hello', { found })).toContain(advice),
);

it.each(['manifest unknown', 'exec /bin/sh: permission denied', 'forbidden path outside the build context'])(
  'the error %s suggests no registry login',
  (why) => expect(loginAdvice(why, 'h.example/hello', { found: false })).toBe(''),
);

it.each([
  [
    'Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io on 10.0.0.1:53: no such host',
    'docker.io',
  ],
  ['Get "http://r.example:5000/v2/": dial tcp 10.0.0.2:5000: connect: connection refused', 'r.example:5000'],
  ['Get "https://r.example/v2/": net/http: TLS handshake timeout', 'r.example'],
  ['Get "https://r.example/v2/": dial tcp: lookup r.example: Temporary failure in name resolution', 'r.example'],
  ['received unexpected HTTP status: 503 Service Unavailable', 'h.example'],
])('the pull error %s says that the registry %s cannot be reached, and what works offline', (why, host) =>
  expect(pullAdvice(why, 'h.example/hello', { found: false })).toBe(
    `. The engine cannot reach the registry ${host}. Without a network, use an image that the engine has, or add one with "docker load -i FILE"`,
  ),
);

it.each([
  ['manifest for h.example/hello:9 not found: manifest unknown: manifest unknown', 'has no such image'],
  ['pull access denied for hello, repository does not exist or may require login', 'log in to the registry docker.io'],
])('the pull error %s suggests to check the name, or a login', (why, advice) =>
  expect(pullAdvice(why, 'h.example/hello:9', { found: false })).toContain(advice),
);

it('a pull error of another kind gets no advice', () => {
  expect(pullAdvice('no space left on device', 'h.example/hello', { found: false })).toBe('');
});

// A daemon with the https listener: what `up`, `status`, `tls trust` and `env --shell agave` say of it.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { ADMIN, type Home, inProcessHome } from '../../support/daemon/home.ts';
import { call } from '../../support/service/call.ts';
import { madeIdentity } from '../../support/service/legacy-listener.ts';

let home: Home;
let origin: string;
beforeAll(async () => {
  home = inProcessHome({ ...NO_ENGINE, ACTORCTL_LEGACY: '1' });
  await home.up('--legacy-port', 'auto');
  const { daemon } = await home.json<{ daemon: { legacy_base_url: string } }>('status');
  origin = daemon.legacy_base_url;
});
afterAll(() => home.remove());

describe('a daemon with the https listener', () => {
  it('serves the same users there', async () => {
    expect(origin).toMatch(/^https:\/\/localhost:\d+$/);
    expect((await call(origin, 'GET', '/healthz')).json).toMatchObject({ status: 'ok' });
    expect((await home.cli(['status'])).stdout).toContain(`\nlegacy    ${origin}\n`);
  });

  it('prints how to trust its authority, and lines for a shell with -q', async () => {
    const file = join(home.folder, 'data', 'default', 'tls', 'authority.pem');
    expect(await home.json('tls', 'trust')).toEqual({ authority_file: file, base_url: origin });
    expect(readFileSync(file, 'utf8')).toContain('BEGIN CERTIFICATE');
    const { stdout } = await home.cli(['tls', 'trust']);
    for (const word of [
      'REQUESTS_CA_BUNDLE',
      'NODE_EXTRA_CA_CERTS',
      'update-ca-certificates',
      'security add-trusted-cert',
    ])
      expect(stdout).toContain(word);
    // The file is private, and a copy with its mode could be read by root alone.
    expect(stdout).toContain(`sudo install -m 644 '${file}' /usr/local/share/ca-certificates/actorctl.crt`);
    expect(stdout).not.toContain('sudo cp');
    const quiet = await home.cli(['tls', 'trust', '-q']);
    const bundle = join(home.folder, 'data', 'default', 'tls', 'trusted.pem');
    expect(quiet.stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^awk 1 .*authority\.pem' > /),
      ...['REQUESTS_CA_BUNDLE', 'SSL_CERT_FILE', 'CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'].map(
        (name) => `export ${name}='${bundle}'`,
      ),
    ]);
  });

  it('is the address printed by env --shell agave, and by no other shell', async () => {
    await home.cli(['login', '--flow', 'password', '--force'], { env: { ACTORCTL_PASSWORD: ADMIN.password } });
    const { stdout } = await home.cli(['env', '--shell', 'agave']);
    expect(JSON.parse(stdout)).toMatchObject({ baseurl: origin });
    expect((await home.cli(['env'])).stdout).toContain("ACTORCTL_BASE_URL='http://127.0.0.1:");
  });

  it('R246 is reached by a webhook, which accepts its certificate', async () => {
    await home.json('actors', 'create', 'hello:1', '--name', 'hook');
    expect(await home.cli(['webhooks', 'set', 'hook', `${origin}/actors/v2`, '--test'])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^POST https:\S+ -> failed: the receiver responded with 401 in \d+ ms\n$/),
    });
  });

  it('names the flag when its port is taken, and when it cannot use its certificate', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = String(typeof address === 'object' && address?.port);
    const start = (...flags: string[]) =>
      home.cli(['up', '--instance', 'other', '--port', 'auto', '--legacy', ...flags]);
    const taken = await start('--legacy-port', port);
    expect([taken.code, taken.stderr]).toEqual([
      7,
      expect.stringMatching(`port ${port} is in use.*\n.*--legacy-port auto`),
    ]);
    const unreadable = await start('--tls-cert', '/nowhere', '--tls-key', '/nowhere');
    expect([unreadable.code, unreadable.stderr]).toEqual([
      2,
      expect.stringContaining('cannot read the file of --tls-cert'),
    ]);
    const empty = join(home.folder, 'none.pem');
    writeFileSync(empty, '');
    const noKey = await start('--legacy-jwt-public-key', empty);
    expect([noKey.code, noKey.stderr]).toEqual([2, expect.stringContaining('none.pem has no public RSA')]);
    server.close();
  });
});

describe('daemon restart', () => {
  it('keeps the https listener, and ends it with --no-legacy', async () => {
    const isOn = async () => {
      const { daemon } = await home.json<{ daemon: { legacy_base_url: string | null } }>('status');
      return daemon.legacy_base_url !== null;
    };
    await home.json('daemon', 'restart');
    expect(await isOn()).toBe(true);
    // Bad flags are refused before the daemon is stopped.
    const refused = async (...flags: string[]) => {
      const { code, stderr } = await home.cli(['daemon', 'restart', ...flags]);
      return [code, stderr.split('\n')[0], await isOn()];
    };
    expect(await refused('--no-legacy', '--legacy-port', '9443')).toEqual([
      2,
      'error: --legacy-port needs --legacy',
      true,
    ]);
    for (const [file, reason] of [
      ['/nowhere', 'there is no such file'],
      [home.folder, 'it is a folder'],
    ] as const)
      expect(await refused('--tls-cert', file, '--tls-key', file)).toEqual([
        2,
        `error: cannot read the file of --tls-cert ("${file}"): ${reason}`,
        true,
      ]);
    const [pem, empty] = [join(home.folder, 'pair.pem'), join(home.folder, 'empty.pem')];
    const [one, other] = [madeIdentity(), madeIdentity()];
    writeFileSync(pem, `${one.cert}${other.key}`);
    writeFileSync(empty, '');
    expect(await refused('--tls-cert', pem, '--tls-key', pem)).toEqual([
      2,
      `error: the key in ${pem} does not match the certificate in ${pem}`,
      true,
    ]);
    expect(await refused('--legacy-jwt-public-key', empty)).toEqual([
      2,
      `error: --legacy-jwt-public-key ${empty} has no public RSA or P-256 key in PEM format`,
      true,
    ]);
    await home.json('daemon', 'restart', '--no-legacy');
    expect(await isOn()).toBe(false);
  });
});

describe('a daemon without the https listener', () => {
  it('cannot print how to trust its authority', async () => {
    const plain = inProcessHome(NO_ENGINE);
    await plain.up();
    const { code, stderr } = await plain.cli(['tls', 'trust']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/the daemon runs without one\n.*daemon restart --legacy/),
    ]);
    await plain.remove();
  });
});

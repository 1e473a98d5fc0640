// A daemon that listens on all addresses. People know it by its public URL, and runs by an address of this machine.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';
import { call } from '../../support/service/call.ts';

let home: Home;
let port: string;
/** Another address of this machine than the one that the daemon has by default. */
let own: string;

const restart = (...flags: string[]) => home.cli(['daemon', 'restart', '--bind', '0', '--insecure-bind', ...flags]);

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  port = new URL((await home.up()).baseUrl).port;
  own = `http://127.0.0.2:${port}`;
});
afterAll(() => home.remove());

it('R106 listens on all addresses only if the URL for people is given, and stays as it is otherwise', async () => {
  const { code, stderr } = await restart();
  expect([code, stderr]).toEqual([2, expect.stringContaining('--public-url http://')]);
  expect((await home.cli(['up', '--bind', '::', '--insecure-bind'])).stderr).toContain('--public-url http://');
  expect((await call(`http://127.0.0.1:${port}`, 'GET', '/healthz')).status).toBe(200);
  expect((await restart('--public-url', own)).code).toBe(0);
});

it('names the public URL in issuer, links, env and open', async () => {
  const metadata = await call(own, 'GET', '/.well-known/oauth-authorization-server');
  expect(metadata.json).toMatchObject({ issuer: own, token_endpoint: `${own}/token` });
  const { _links } = await home.json<{ _links: { self: string } }>(
    'actors',
    'create',
    shellActor(home.folder),
    '--name',
    'sh',
  );
  expect(_links.self).toMatch(`${own}/actors/v2/`);
  expect((await home.cli(['env'])).stdout).toContain(`ACTORCTL_BASE_URL='${own}'`);
  expect((await home.cli(['open', '--print'])).stdout).toMatch(`${own}/authorize/link?`);
});

it('gives runs an address of this machine', async () => {
  const { stdout } = await home.cli(['run', 'sh', '-m', 'env']);
  expect(stdout).toMatch(`\n_svc_api_server=http://127.0.0.1:${port}\n`);
});

it('R105 serves the public and the loopback address, and refuses others with the address that works', async () => {
  const at = (host: string) => call(own, 'GET', '/healthz', { headers: { host } });
  for (const host of [`127.0.0.2:${port}`, `127.0.0.1:${port}`, `LOCALHOST:${port}`])
    expect([host, (await at(host)).status]).toEqual([host, 200]);
  for (const host of ['localhost:9000', `0.0.0.0:${port}`, `127.0.0.3:${port}`])
    expect([host, (await at(host)).json]).toEqual([
      host,
      expect.objectContaining({
        message: `This service is not available under that host name. Use ${own}. A tunnel (ssh -L) needs port ${port} at both ends.`,
      }),
    ]);
});

it('may be known by a URL that does not lead here from this machine, as behind a proxy', async () => {
  expect((await restart('--public-url', 'https://actors.test/')).code).toBe(0);
  expect(await home.json('status')).toMatchObject({ daemon: { state: 'running', base_url: 'https://actors.test' } });
  expect((await home.cli(['run', 'sh', '-m', 'hello'])).stdout).toBe('got: hello\n');
  for (const host of ['actors.test', 'actors.test:443'])
    expect((await call(`http://127.0.0.1:${port}`, 'GET', '/healthz', { headers: { host } })).status).toBe(200);
});

it('forgets the public URL when it listens elsewhere', async () => {
  expect((await home.cli(['daemon', 'restart', '--bind', 'LOCALHOST'])).code).toBe(0);
  expect(await home.json('status')).toMatchObject({ daemon: { base_url: `http://127.0.0.1:${port}` } });
});

// `login` by the authorization endpoint: the built command line, the real daemon and the real loopback listener.

import { rmSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { portHolder } from '../../../src/local/daemon/port-holder.ts';
import { NO_ENGINE, until } from '../../support/daemon/daemon.ts';
import { ADMIN, type Home, inProcessHome } from '../../support/daemon/home.ts';
import { ask, startLogin, visit, type Waiting } from '../../support/daemon/login-process.ts';

let home: Home;
let baseUrl: string;
const running: Waiting[] = [];

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  ({ baseUrl } = await home.up());
});
afterEach(async () => {
  for (const login of running.splice(0)) login.stop();
  await home.cli(['logout', '--all', '--local-only']);
});
afterAll(async () => home.remove());

const login = (...args: string[]): Waiting => {
  const waiting = startLogin(home, ['--no-browser', ...args]);
  running.push(waiting);
  return waiting;
};
const redirectUriOf = (address: string): string => new URL(address).searchParams.get('redirect_uri') ?? '';

describe('first logins at the same time', () => {
  it('share one client, so no login has a secret that another login has replaced', async () => {
    for (let round = 0; round < 3; round += 1) {
      await home.cli(['logout', '--all', '--local-only']);
      rmSync(join(home.folder, 'config', 'credentials.json'), { force: true });
      const args = ['login', '--username', 'dev', '--password-stdin', '--force'];
      const logins = Array.from({ length: 6 }, () => home.cli(args, { input: ADMIN.password }));
      expect((await Promise.all(logins)).map(({ code, stderr }) => [code, stderr])).toEqual(logins.map(() => [0, '']));
    }
  });
});

describe('login by the code flow', () => {
  it('R160 prints the address, receives the response on the loopback interface, and stores a renewable login', async () => {
    const waiting = login('--flow', 'code', '--json');
    const address = await waiting.address;
    const { searchParams } = new URL(address);
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    expect(searchParams.get('state')).toMatch(/^[\w-]{43}$/);
    expect(redirectUriOf(address)).toMatch(/^http:\/\/127\.0\.0\.1:873[1-5]\/callback$/);
    await visit(address);
    const { code, stdout } = await waiting.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ user: 'dev', flow: 'authorization_code', refreshable: true });
    expect((await home.cli(['auth', 'refresh'])).code).toBe(0);
    expect((await home.cli(['actors', 'list'])).code).toBe(0);
  });

  it('R162 leaves the browser on a fixed page that is not cached, at an address without the code', async () => {
    const waiting = login('--flow', 'code');
    const address = await waiting.address;
    expect((await portHolder(Number(new URL(redirectUriOf(address)).port)))?.pid).toBe(process.pid);
    const pages = await visit(address);
    const [callback, last] = pages.slice(-2);
    expect(callback?.url).toContain('code=');
    expect(callback?.status).toBe(303);
    expect(last?.url).toBe(`${callback?.url.split('?')[0]}/arrived#`);
    for (const page of [callback, last]) expect(page?.headers['cache-control']).toBe('no-store');
    expect(last?.html).toContain('Go back to your terminal');
    expect(last?.headers['content-security-policy']).toContain("default-src 'none'");
    await waiting.ended;
    // Another login of this machine may use the port by now.
    expect((await portHolder(Number(new URL(last?.url ?? '').port)))?.pid).not.toBe(process.pid);
  });

  it('that is denied exits with 4 and the reason', async () => {
    const waiting = login('--flow', 'code');
    const pages = await visit(await waiting.address, { decision: 'deny' });
    expect(pages.at(-1)?.html).toContain('failed');
    const { code, stderr } = await waiting.ended;
    expect(code).toBe(4);
    expect(stderr).toContain('error: the login was denied\n');
    expect((await home.cli(['whoami'])).code).toBe(4);
  });

  it.each([
    ['of another login', (state: string) => `code=stolen&state=${state}x`],
    ['without a state', () => 'code=stolen'],
    ['of another issuer', (state: string) => `code=x&state=${state}&iss=http://evil.test`],
    ['without an issuer', (state: string) => `code=x&state=${state}`],
    ['with two codes', (state: string) => `code=x&code=y&state=${state}&iss=ISS`],
    ['that refuses another login', () => 'error=access_denied&state=other'],
  ])('R160 R241 shows an error page for a response %s, and the login continues', async (_name, query) => {
    const waiting = login('--flow', 'code');
    const address = await waiting.address;
    const state = new URL(address).searchParams.get('state') ?? '';
    const callback = redirectUriOf(address);
    const foreign = await ask(`${callback}?${query(state).replace('ISS', encodeURIComponent(baseUrl))}`);
    expect(foreign.headers.location).toBe('/callback/foreign#');
    await visit(address);
    expect((await waiting.ended).code).toBe(0);
  });

  it('uses the next registered port if one is taken', async () => {
    const blocker = net.createServer();
    const blocks = (): Promise<boolean> =>
      new Promise((resolve) => {
        blocker.once('error', () => resolve(false)).listen(8731, '127.0.0.1', () => resolve(true));
      });
    // Another login of this machine may use the port, and end before the next step.
    await until(blocks);
    try {
      const waiting = login('--flow', 'code');
      expect(redirectUriOf(await waiting.address)).toMatch(/:873[2-5]\//);
      const refused = await home.cli(['login', '--flow', 'code', '--callback-port', '8731']);
      expect(refused.code).toBe(7);
      expect(refused.stderr).toContain('port 8731 is in use');
      expect(refused.stderr).toContain('--terminal');
    } finally {
      blocker.close();
    }
  });

  it('simultaneous with another login gets its own port and its own response', async () => {
    const [one, two] = [login('--flow', 'code', '--json'), login('--flow', 'code', '--json')];
    const addresses = [await one.address, await two.address];
    expect(new Set(addresses.map(redirectUriOf)).size).toBe(2);
    await Promise.all(addresses.map((address) => visit(address)));
    for (const { code, stdout } of [await one.ended, await two.ended]) {
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ user: 'dev' });
    }
  });

  it('by a client without that redirect URI is refused at once, and the error lists the addresses to register', async () => {
    const { stdout } = await home.cli(
      [
        ...'clients create elsewhere --username dev --password-stdin --json --redirect-uri'.split(' '),
        'http://127.0.0.1:9/x',
      ],
      { input: ADMIN.password },
    );
    const made = JSON.parse(stdout) as { client_id: string };
    const { code, stderr } = await home.cli(['login', '--flow', 'code', '--client', made.client_id, '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'REDIRECT_URI_MISMATCH' } });
    expect(stderr).toContain('http://127.0.0.1:8731/callback');
  });

  it('at a port that is not registered for the client of actorctl is refused, and all logins stay', async () => {
    const password = ['login', '--username', 'dev', '--password-stdin'];
    expect((await home.cli(password, { input: ADMIN.password })).code).toBe(0);
    for (const flags of [[], ['--start']]) {
      const args = ['login', '--flow', 'code', '--callback-port', '9999', ...flags, '--json'];
      const { code, stdout, stderr } = await home.cli(args);
      expect([code, stdout]).toEqual([2, '']);
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'REDIRECT_URI_MISMATCH' } });
      expect(stderr).toContain('choose one of the ports 8731, 8732, 8733, 8734, 8735');
    }
    expect((await home.cli(['auth', 'refresh'])).code).toBe(0);
  });

  it('R163 R161 with --explain describes every request without secrets', async () => {
    const waiting = login('--flow', 'code', '--explain');
    const pages = await visit(await waiting.address);
    const { stderr } = await waiting.ended;
    expect(stderr).toContain('code_verifier = ***');
    expect(stderr).toContain('POST /token');
    const code = new URL(pages.at(-2)?.url ?? '').searchParams.get('code') ?? 'none';
    expect(stderr).not.toContain(code);
  });
});

describe('login by the implicit flow', () => {
  it('accepts the fragment that the callback page sends', async () => {
    const waiting = login('--flow', 'implicit', '--json');
    const address = await waiting.address;
    const redirectUri = redirectUriOf(address);
    const pages = await visit(address, { stopAt: redirectUri });
    const { hash } = new URL(pages.at(-1)?.url ?? '');
    expect(hash).toContain('access_token=');
    const page = await ask(redirectUri);
    const script = /<script>(.*?)<\/script>/s.exec(page.html)?.[1] ?? '';
    expect(script).toContain('location.hash');
    expect(page.headers['content-security-policy']).toMatch(/script-src 'sha256-/);
    const done = await ask(redirectUri, {
      form: { fragment: hash.slice(1) },
      headers: { origin: new URL(redirectUri).origin },
    });
    expect(done.headers.location).toBe('/callback/arrived#');
    const { code, stdout } = await waiting.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ user: 'dev', flow: 'implicit', refreshable: false });
  });

  it('accepts no fragment from a page of another origin', async () => {
    const waiting = login('--flow', 'implicit');
    const redirectUri = redirectUriOf(await waiting.address);
    const refused = await ask(redirectUri, {
      form: { fragment: 'access_token=x&state=y' },
      headers: { origin: 'http://evil.test' },
    });
    expect(refused.status).toBe(403);
  });
});

// `open`, `up --open` and `activity`, run in this process.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { call } from '../../support/service/call.ts';

let home: Home;
let baseUrl: string;

beforeAll(async () => {
  home = inProcessHome({ ...NO_ENGINE, ACTORCTL_BROWSER: 'none' });
  ({ baseUrl } = await home.up());
});

afterAll(() => home.remove());

/** A browser that writes its address into a file. */
const noting = (name: string): { readonly file: string; readonly env: Record<string, string> } => {
  const file = join(home.folder, `${name}.txt`);
  const script = join(home.folder, `${name}.sh`);
  writeFileSync(file, '');
  writeFileSync(script, `printf %s "$1" >'${file}'\n`);
  return { file, env: { ACTORCTL_BROWSER: `sh ${script} %s` } };
};

const opened = async (file: string): Promise<string> => {
  await expect.poll(() => readFileSync(file, 'utf8')).not.toBe('');
  return readFileSync(file, 'utf8');
};

describe('open', () => {
  it('prints a link that logs in once, where no browser can be opened', async () => {
    const { code, stdout, stderr } = await home.cli(['open', 'executions?status=ERROR']);
    expect(code).toBe(0);
    expect(stderr).toContain('no browser is opened: it is switched off');
    expect(stderr).toContain('once, within 60 seconds');
    const link = new URL(stdout.trim());
    expect([link.origin, link.pathname, link.hash]).toEqual([baseUrl, '/authorize/link', '#/executions?status=ERROR']);
    expect((await call(baseUrl, 'GET', `${link.pathname}${link.search}`)).status).toBe(303);
    expect((await call(baseUrl, 'GET', `${link.pathname}${link.search}`)).status).toBe(400);
  });

  it('C29 opens a private page in the browser, so that its arguments contain no secret', async () => {
    const { file, env } = noting('open');
    const { stdout } = await home.cli(['open', '--json'], { env });
    expect(JSON.parse(stdout)).toEqual({ address: `${baseUrl}/`, opened: true });
    const address = await opened(file);
    expect(address).toMatch(/^file:\/\/.*\/open\.html$/);
    const page = fileURLToPath(address);
    expect(statSync(page).mode & 0o777).toBe(0o600);
    const [, link = ''] = /url=([^"]+)"/.exec(readFileSync(page, 'utf8')) ?? [];
    const { pathname, search } = new URL(link);
    expect((await call(baseUrl, 'GET', pathname + search)).status).toBe(303);
  });

  it.each([
    ['fails', 'false:/no/such/browser', 'false ended with 1; /no/such/browser cannot be started (ENOENT)'],
    ['is in a sandbox', '/snap/bin/firefox', '/snap/bin/firefox is a snap, which cannot read a private file'],
  ])('prints the link if each browser %s', async (_how, BROWSER, reason) => {
    const { code, stdout, stderr } = await home.cli(['open'], { env: { ACTORCTL_BROWSER: '', BROWSER } });
    expect(code).toBe(0);
    expect(stderr).toContain(`no browser is opened: ${reason}`);
    expect(stderr).toContain('once, within 60 seconds');
    const { pathname, search } = new URL(stdout.trim());
    expect((await call(baseUrl, 'GET', pathname + search)).status).toBe(303);
  });

  it('refuses a view together with --docs', async () => {
    expect((await home.cli(['open', 'actors', '--docs'])).code).toBe(2);
  });

  it('without a daemon fails and names the command that starts it', async () => {
    const { code, stderr } = await home.cli(['open', '--instance', 'away']);
    expect({ code, hint: /actorctl up --instance away/.test(stderr) }).toEqual({ code: 9, hint: true });
  });

  it('with a token of an unknown user opens the login page, not a session of the first admin', async () => {
    const env = { ACTORCTL_TOKEN: 'a-token-of-somebody' };
    const { stdout, stderr } = await home.cli(['open', '--print'], { env });
    expect(stdout).toBe(`${baseUrl}/\n`);
    expect(stderr).toContain('the user of env:ACTORCTL_TOKEN is not known, so the dashboard asks for a login');
  });

  it('for a remote service prints the plain address', async () => {
    const { stdout } = await home.cli(['open', '--print'], { env: { ACTORCTL_BASE_URL: baseUrl } });
    expect(stdout).toBe(`${baseUrl}/\n`);
  });
});

describe('up --open', () => {
  it('opens the dashboard of a daemon that runs already', async () => {
    const { file, env } = noting('up');
    const { code } = await home.cli(['up', '--open'], { env });
    expect(code).toBe(0);
    expect(await opened(file)).toMatch(/open\.html$/);
  });
});

describe('activity', () => {
  it('shows the daemon, its engines and the last hour', async () => {
    const { code, stdout } = await home.cli(['activity']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^daemon {4}v.*up /);
    expect(stdout).toContain('now       0 running, 0 messages waiting');
    const { minutes } = await home.json<{ minutes: unknown[] }>('activity');
    expect(minutes).toHaveLength(60);
  });
});

// `login` without a browser: in the terminal, by a pasted address, and in two steps. The built command line against the
// real daemon.
import { statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { ADMIN, type Home, inProcessHome } from '../../support/daemon/home.ts';
import { visit } from '../../support/daemon/login-process.ts';
import { onTerminal } from '../../support/daemon/terminal.ts';

let home: Home;
let baseUrl: string;

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  ({ baseUrl } = await home.up());
});
afterEach(async () => {
  await home.cli(['logout', '--all', '--local-only']);
});
afterAll(async () => home.remove());

const redirectUriOf = (address: string): string => new URL(address).searchParams.get('redirect_uri') ?? '';

describe('login without a browser', () => {
  it('R144 works in the terminal, with the password on stdin', async () => {
    const { code, stdout } = await home.cli(
      ['login', '--terminal', '--username', 'dev', '--password-stdin', '--yes', '--json'],
      { input: ADMIN.password },
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ user: 'dev', flow: 'authorization_code', refreshable: true });
  });

  it('with a wrong password exits with 4 and the message of the login page', async () => {
    const { code, stderr } = await home.cli(['login', '--terminal', '--username', 'dev', '--password-stdin', '--yes'], {
      input: 'wrong password',
    });
    expect(code).toBe(4);
    expect(stderr).toContain('That username and password do not belong together');
  });

  it('works on a real terminal after typing t', async () => {
    const { code, text } = await onTerminal('login --no-browser', home.env, [
      ['or type t for terminal:', 't'],
      ['User name:', 'dev'],
      ['Password:', ADMIN.password],
      ['Let "actorctl-cli" act for dev on', 'y'],
    ]);
    expect(text).toContain('Logged in as dev');
    expect(text).not.toContain(ADMIN.password);
    expect(code).toBe(0);
  });

  it('accepts the final address of the browser, pasted into the terminal', async () => {
    const { code, text } = await onTerminal('login --no-browser', home.env, [
      [
        'or type t for terminal:',
        async (seen) => {
          const address = /http:\/\/\S+\/authorize\?\S+/.exec(seen)?.[0] ?? '';
          const pages = await visit(address, { stopAt: redirectUriOf(address) });
          return pages.at(-1)?.url ?? '';
        },
      ],
    ]);
    expect(text).toContain('Logged in as dev');
    expect(code).toBe(0);
  });

  it('continues in the terminal as soon as the browser has called back', async () => {
    const { code, text } = await onTerminal('login --no-browser', home.env, [
      [
        'or type t for terminal:',
        async (seen) => {
          await visit(/http:\/\/\S+\/authorize\?\S+/.exec(seen)?.[0] ?? '');
          return '';
        },
      ],
    ]);
    expect(text).toContain('Logged in as dev');
    expect(code).toBe(0);
  });

  it('R161 works in two steps, with a private file between them that is used once', async () => {
    const started = await home.json<{ authorize_url: string; state: string }>('login', '--start');
    const kept = path.join(home.folder, 'config', 'login-local%2Fdefault.json');
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    const redirectUri = redirectUriOf(started.authorize_url);
    const pages = await visit(started.authorize_url, { stopAt: redirectUri });
    const ended = await home.cli(['login', '--complete', '-', '--json'], { input: pages.at(-1)?.url ?? '' });
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ user: 'dev', flow: 'authorization_code' });
    const again = await home.cli(['login', '--complete', pages.at(-1)?.url ?? '']);
    expect(again.code).toBe(4);
    expect(again.stderr).toContain('no login was started in this context');
  });

  it('repeats the flags of the first step in the second one, which needs the same client', async () => {
    const uri = ['--redirect-uri', 'http://127.0.0.1:8731/callback'];
    const create = ['clients', 'create', 'web', '--public', ...uri, '--username', 'dev', '--password-stdin', '-q'];
    const client = (await home.cli(create, { input: ADMIN.password })).stdout.trim();
    const start = ['login', '--start', '--client', client, '-c', 'local'];
    const started = await home.json<{ authorize_url: string; next_step: string }>(...start);
    expect(started.next_step).toBe(`actorctl login -c local --complete CODE_OR_ADDRESS --client ${client}`);
    const pages = await visit(started.authorize_url, { stopAt: redirectUriOf(started.authorize_url) });
    const answer = pages.at(-1)?.url ?? '';
    const other = await home.cli(['login', '--complete', answer]);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining(`add --client ${client}`)]);
    const next = started.next_step.split(' ').slice(1);
    const ended = await home.cli(next.map((word) => (word === 'CODE_OR_ADDRESS' ? answer : word)));
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Logged in as dev') });
  });

  it('R241 keeps the pending login until a pasted response succeeds, and describes a wrong one', async () => {
    const earlier = await home.json<{ authorize_url: string }>('login', '--start');
    const early = await visit(earlier.authorize_url, { stopAt: redirectUriOf(earlier.authorize_url) });
    const { authorize_url } = await home.json<{ authorize_url: string }>('login', '--start');
    const redirectUri = redirectUriOf(authorize_url);
    for (const [pasted, reason] of [
      [`${redirectUri}?code=stolen&state=other&iss=${baseUrl}`, 'its state belongs to another login'],
      [early.at(-1)?.url ?? '', 'for example to an earlier attempt'],
      [authorize_url, 'that is the address to open in a browser'],
      [`${redirectUri}?error=access_denied&state=${new URL(authorize_url).searchParams.get('state')}`, 'issuer'],
      ['a-code-that-nobody-issued', 'wrong, expired'],
      ['two words', 'neither a code nor an address'],
    ] as const) {
      const { code, stderr } = await home.cli(['login', '--complete', pasted]);
      expect([pasted, code, stderr]).toEqual([pasted, 4, expect.stringContaining(reason)]);
    }
    const address = (await visit(authorize_url, { stopAt: redirectUri })).at(-1)?.url ?? '';
    // As a mail shows it: without the scheme, in angle brackets and quotes, with escaped ampersands.
    const mailed = `<"${address.replace('http://', '').replaceAll('&', '&amp;')}">`;
    expect(await home.cli(['login', '--complete', mailed])).toMatchObject({ code: 0 });
  });
});

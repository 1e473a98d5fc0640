// How a page is opened: by each form of BROWSER, and by the desktop, with small programs in place of browsers.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPage } from '../../../src/ui/open-page.ts';

const URL_OF_PAGE = 'http://127.0.0.1:1/a?b=c&d=$HOME';
const PRIVATE_PAGE = 'file:///home/ana/open.html';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'actorctl-open-'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Creates a program and returns its path. */
const program = (name: string, script: string): string => {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
};

/** Creates a program that records its arguments, one per line. */
const browser = (name: string): string => program(name, `printf '%s\\n' "$@" >>'${folder}/shown'`);

const shown = (): readonly string[] =>
  existsSync(join(folder, 'shown')) ? readFileSync(join(folder, 'shown'), 'utf8').trimEnd().split('\n') : [];

/** Opens a page with the programs of this test on PATH. A program that fails has a minute to do so. */
const show = (env: Record<string, string>, url = URL_OF_PAGE, limitMs = 60_000) =>
  openPage({
    url,
    env: { PATH: [folder, process.env['PATH']].join(delimiter), HOME: folder, ...env },
    platform: 'linux',
    limitMs,
  });

describe('a command of BROWSER', () => {
  it.each<[string, string, readonly string[]]>([
    ['a name on PATH', 'one', [URL_OF_PAGE]],
    ['a path with a space, without quotes', 'FOLDER/my browser/one', [URL_OF_PAGE]],
    ['such a path and arguments', 'FOLDER/my browser/one --new  %s --last', ['--new', URL_OF_PAGE, '--last']],
    ['double quotes', '"FOLDER/my browser/one" --title "a b"', ['--title', 'a b', URL_OF_PAGE]],
    ['single quotes, and a colon in them', `'FOLDER/my browser/one' 'x:y' %s`, ['x:y', URL_OF_PAGE]],
    ['backslashes', String.raw`FOLDER/my\ browser/one \"q\"`, ['"q"', URL_OF_PAGE]],
    ['%s in a word', 'one --app=%s', [`--app=${URL_OF_PAGE}`]],
    ['%s in quotes', `one '%s'`, [URL_OF_PAGE]],
    ['an address as an argument', 'one --proxy=http://proxy %s', ['--proxy=http://proxy', URL_OF_PAGE]],
    ['a list whose first fails', 'fails:one:two', [URL_OF_PAGE]],
    ['a list whose first does not exist', '/no/such/browser %s:FOLDER/my browser/one', [URL_OF_PAGE]],
    ['a list whose first is ended by a signal', ':killed::one', [URL_OF_PAGE]],
  ])('can be %s', async (_form, command, args) => {
    program('fails', 'exit 3');
    program('killed', 'kill -9 $$');
    program('two', `echo two >>'${folder}/shown'`);
    for (const name of ['one', 'my browser/one']) browser(name);
    expect(await show({ BROWSER: command.replaceAll('FOLDER', folder) })).toBeUndefined();
    expect(shown()).toEqual(args);
  });

  it.each([
    ['false', 'false ended with 1'],
    ['/no/such/browser %s', '/no/such/browser cannot be started (ENOENT)'],
    ['fails --new:killed', 'fails ended with 3; killed ended with SIGKILL'],
  ])('that fails is reported: %s', async (command, reason) => {
    program('fails', 'exit 3');
    program('killed', 'kill -9 $$');
    expect(await show({ BROWSER: command })).toBe(reason);
    expect(await show({ ACTORCTL_BROWSER: command, BROWSER: 'true' })).toBe(reason);
  });

  it('that keeps running counts as having opened the page', async () => {
    program(
      'stays',
      `echo "$@" >>'${folder}/shown'; while [ -e '${folder}/on' ]; do sleep 0.1; done; touch '${folder}/left'`,
    );
    writeFileSync(join(folder, 'on'), '');
    try {
      expect(await show({ BROWSER: 'stays' }, URL_OF_PAGE, 1)).toBeUndefined();
      await expect.poll(shown).toEqual([URL_OF_PAGE]);
    } finally {
      rmSync(join(folder, 'on'));
      await expect.poll(() => existsSync(join(folder, 'left'))).toBe(true);
    }
  });

  it('gets no secret of this program', async () => {
    program('tells', `echo "[$ACTORCTL_TOKEN$ACTORCTL_NONCE]" >>'${folder}/shown'`);
    expect(await show({ BROWSER: 'tells', ACTORCTL_TOKEN: 'secret', ACTORCTL_NONCE: 'secret' })).toBeUndefined();
    expect(shown()).toEqual(['[]']);
  });
});

describe('a private page', () => {
  it.each([
    ['a path below /snap', '/snap/bin/chromium', 'a snap'],
    ['a script that starts a snap', 'ubuntu', 'a snap'],
    ['a link to the program snap', 'linked', 'a snap'],
    ['the program snap, by env', 'env A=b snap run chromium', 'a snap'],
    ['an export of Flatpak', 'FOLDER/flatpak/exports/bin/org.chromium', 'a Flatpak'],
    ['a script that starts a Flatpak', 'wrapped', 'a Flatpak'],
    ['the program flatpak', 'flatpak run org.chromium', 'a Flatpak'],
  ])('is not passed to %s, but to the next browser of the list', async (_form, command, kind) => {
    program('ubuntu', 'exec /snap/bin/chromium "$@"');
    symlinkSync(browser('snap'), join(folder, 'linked'));
    browser('flatpak/exports/bin/org.chromium');
    program('wrapped', 'exec /usr/bin/flatpak run --branch=stable org.chromium "$@"');
    browser('one');
    const sandboxed = command.replaceAll('FOLDER', folder);
    expect(await show({ BROWSER: sandboxed }, PRIVATE_PAGE)).toBe(
      `${sandboxed.split(' ')[0]} is ${kind}, which cannot read a private file`,
    );
    expect(shown()).toEqual([]);
    expect(await show({ BROWSER: `${sandboxed}:one` }, PRIVATE_PAGE)).toBeUndefined();
    expect(shown()).toEqual([PRIVATE_PAGE]);
  });

  it('is not passed to a Windows program', async () => {
    browser('chrome.exe');
    const env = { WSL_DISTRO_NAME: 'Debian' };
    expect(await show({ ...env, BROWSER: 'chrome.exe' }, PRIVATE_PAGE)).toContain('is a Windows program');
    expect(await show(env, PRIVATE_PAGE)).toContain('the browser of this desktop is a Windows program');
    expect(shown()).toEqual([]);
  });

  it('on the web is opened like any other address', async () => {
    browser('snap');
    expect(await show({ BROWSER: 'snap run chromium' })).toBeUndefined();
    expect(shown()).toEqual(['run', 'chromium', URL_OF_PAGE]);
  });
});

describe('the browser of the desktop', () => {
  /** Makes a browser the default of the desktop. */
  const makeDefault = (command: string): Record<string, string> => {
    program('xdg-mime', '[ "$*" = "query default text/html" ] && echo chosen.desktop');
    browser('xdg-open');
    mkdirSync(join(folder, 'data', 'applications'), { recursive: true });
    writeFileSync(join(folder, 'data', 'applications', 'chosen.desktop'), `[Desktop Entry]\nExec=${command}\n`);
    return { XDG_DATA_HOME: join(folder, 'data') };
  };

  it.each([
    ['env BAMF_DESKTOP_FILE_HINT=/x /snap/bin/firefox %u', 'a snap'],
    ['/usr/bin/flatpak run --branch=stable org.mozilla.firefox @@u %u @@', 'a Flatpak'],
  ])('gets no private page if it is %s', async (command, kind) => {
    const env = makeDefault(command);
    const reason = `is ${kind}, which cannot read a private file`;
    expect(await show({ ...env, BROWSER: 'xdg-open' }, PRIVATE_PAGE)).toBe(`xdg-open ${reason}`);
    expect(await show(env, PRIVATE_PAGE)).toBe(`the browser of this desktop ${reason}`);
    expect(shown()).toEqual([]);
  });

  it('gets the private page if it is in no sandbox', async () => {
    const env = makeDefault(`"${browser('my browser/one')}" %u`);
    expect(await show({ ...env, BROWSER: 'xdg-open' }, PRIVATE_PAGE)).toBeUndefined();
    expect(shown()).toEqual([PRIVATE_PAGE]);
  });

  it('is the first common browser if the desktop configures none', async () => {
    program('xdg-mime', 'exit 4');
    browser('xdg-open');
    program('x-www-browser', 'exec /snap/bin/firefox "$@"');
    expect(await show({ BROWSER: 'xdg-open' }, PRIVATE_PAGE)).toBe(
      'xdg-open is a snap, which cannot read a private file',
    );
  });

  it('that xdg-open does not find is reported', async () => {
    vi.stubEnv('DISPLAY', ':0');
    vi.stubEnv('BROWSER', 'false');
    expect(await show({ ...makeDefault('false %u') })).toMatch(/^the browser of this desktop ended with \d+$/);
  });
});

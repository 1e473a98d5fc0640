// Runs every shell block of the README in order, in one shell, in a copy of the tree with an empty home. A simulated
// browser opens the authorization URL that a block prints, and its last address is pasted.
import { type ExecFileOptions, execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserless, locationOf } from '../../support/browser/browserless.ts';
import { startNpmRegistry } from '../../support/local/npm-registry.ts';
import { cheapPasswords } from '../../support/preloads/preloads.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The shell blocks without `npm ci`, because it would delete the packages that the running tests use. */
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) =>
  (match[1] ?? '').replace(/^npm ci && /, ''),
);

/** This suite is part of `npm test`, so `npm test` cannot run inside it. */
const typed = blocks.filter((block) => block.trim() !== 'npm test');

const folder = mkdtempSync(join(tmpdir(), 'actorctl-readme-'));
const copy = join(folder, 'actorctl');
const prefix = join(folder, 'prefix');

beforeAll(() => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const file of files.trim().split('\n')) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file), { force: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ADMIN = { ACTORCTL_ADMIN_USER: 'ana', ACTORCTL_ADMIN_PASSWORD: 'correct horse battery' };

/** Logs in and approves, as the reader does in a browser. Resolves with the address where the browser ends. */
const approve = async (printed: string): Promise<string> => {
  const { origin, pathname, search } = new URL(printed);
  const browser = browserless(origin);
  const page = await browser.login(`${pathname}${search}`, ADMIN.ACTORCTL_ADMIN_USER, ADMIN.ACTORCTL_ADMIN_PASSWORD);
  return locationOf(page.status === 303 ? page : await browser.decide(page, 'approve')).href;
};

/** Runs a program to its end, while the registry of this process serves it. */
const ended = (file: string, args: readonly string[], options: ExecFileOptions) =>
  new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(file, args, { ...options, encoding: 'utf8' }, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    );
    let printed = '';
    child.stdout?.on('data', (text: string) => {
      printed += text;
      const [url] = /^http:\S+\/authorize\?\S+$/m.exec(printed) ?? [];
      if (url === undefined) return;
      printed = '';
      approve(url).then(
        (address) => child.stdin?.end(`${address}\n`),
        (error: unknown) => child.stdin?.end(`not approved: ${String(error)}\n`),
      );
    });
  });

const script = [
  'set -eE -o pipefail',
  `trap 'echo "failed in block $block: $BASH_COMMAND" >&2' ERR`,
  // The home of the CI lines must not contain a token or a secret of a client afterwards.
  `ended() { grep -rlE '"(accessToken|refreshToken|secret)"' "$ACTORCTL_HOME" && return 1 || return 0; }`,
  `trap 'kill $(jobs -p) 2>/dev/null || true; actorctl down --halt-executions >/dev/null 2>&1 || true' EXIT`,
  ...typed.flatMap((block, index) => [
    `block=${index + 1}`,
    block,
    ...(/ACTORCTL_HOME=/.test(block) ? ['ended', 'echo nothing secret is left'] : []),
    // The first result and the first own actor can be repeated on the same home.
    ...(/--if-exists/.test(block) && !/ACTORCTL_HOME/.test(block) ? [block] : []),
  ]),
].join('\n');

it('every shell block of the README works as written, and the first steps twice', async () => {
  expect(typed.length).toBeGreaterThanOrEqual(7);
  expect(typed).toContain('npm run quickstart\n');
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
  const { scripts } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as {
    scripts: { quickstart: string };
  };
  expect(scripts.quickstart).toMatch(/^npm run build && /);
  const registry = await startNpmRegistry();
  const { status, stdout, stderr } = await ended('bash', ['-c', script], {
    cwd: copy,
    env: {
      PATH: `${join(prefix, 'bin')}:${process.env['PATH']}`,
      HOME: folder,
      XDG_RUNTIME_DIR: folder,
      TMPDIR: folder,
      ACTORCTL_PORT: 'auto',
      ...ADMIN,
      ACTORCTL_CREDENTIAL_STORE: 'file',
      NODE_OPTIONS: cheapPasswords.join(' '),
      npm_config_prefix: prefix,
      npm_config_registry: registry.url,
      // The install script of keytar fetches or compiles native code.
      npm_config_omit: 'optional',
      npm_config_update_notifier: 'false',
      npm_config_userconfig: join(folder, 'npmrc'),
    },
  });
  registry.close();
  expect(`${stderr}\nexit ${status}`).toMatch(/exit 0$/);
  expect(stdout).toContain('Done. Next: README.md');
  // The word count of "to be or not to be", the list with the token of the flow, the event of the link, the exit code.
  expect(stdout).toContain('characters 18');
  expect(stdout).toMatch(/\bwordcount\b.*\bREADY\b/);
  expect(stdout).toMatch(/EXECUTION_COMPLETE/);
  expect(stdout.trimEnd()).toMatch(/^0$/m);
  expect(stdout).toContain('nothing secret is left');
});

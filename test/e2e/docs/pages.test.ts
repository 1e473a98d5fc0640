// Runs the shell blocks of the pages that teach, in order, on a terminal, in an empty home, and compares the output with the page.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cheapPasswords } from '../../support/preloads/preloads.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Step {
  readonly command: string;
  /** The output that the page shows. Undefined for a block of `sh`, whose commands must succeed. */
  readonly shown: readonly string[] | undefined;
}

/** Each `$ command` of a block with the lines after it. */
const stepsOfConsole = (block: string): Step[] =>
  block
    .replace(/^\$ /, '')
    .split(/^\$ /m)
    .map((part) => {
      const [command = '', ...shown] = part.trimEnd().split('\n');
      return { command, shown };
    });

/** Commands of the page. A block after a comment `not run: reason` is left out. */
const stepsOf = (page: string): Step[] =>
  [...page.matchAll(/^(<!-- not run: .* -->\n+)?```(sh|console)\n([\s\S]*?)^```$/gm)].flatMap(
    ([, skipped, kind, block = '']) => {
      if (skipped !== undefined) return [];
      return kind === 'console' ? stepsOfConsole(block) : [{ command: block.trimEnd(), shown: undefined }];
    },
  );

/** Before the output of a step. */
const MARK = '\u001e';

/** In the output of a block of `sh` of which a command failed. */
const FAILED = 'a command failed: ';

const scriptOf = (steps: readonly Step[]): string =>
  [
    `trap 'actorctl down --halt-executions >/dev/null 2>&1' EXIT`,
    'set -E',
    'stty cols 120',
    // A question is refused instead of waiting for a reply.
    'exec </dev/null',
    ...steps.flatMap(({ command, shown }) => [
      `printf '${MARK}'`,
      shown === undefined ? `trap 'echo "${FAILED}$BASH_COMMAND"' ERR` : 'trap - ERR',
      command,
    ]),
  ].join('\n');

/** The text that stays on the terminal: without control sequences, and without the lines that a spinner replaced. */
const seen = (text: string): string =>
  text
    .replace(/\r\n/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is controlled by them
    .replace(/^.*(?:\r|\u001b\[1G)\u001b\[[02]?K/gm, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is controlled by them
    .replace(/\u001b\[[?\d;]*[a-zA-Z]|\r/g, '');

/** Widths of columns depend on the ids and times in them. */
const linesOf = (text: string): string[] => {
  const lines = text.split('\n').map((line) => line.replace(/\s+/g, ' ').trimEnd());
  while (lines.at(-1) === '') lines.pop();
  return lines;
};

/** Matches the output that a page shows: `…` is any text of a line, a line of only `…` any number of lines. */
const patternOf = (shown: readonly string[]): RegExp =>
  new RegExp(
    `^${linesOf(shown.join('\n'))
      .map((line) =>
        line.trim() === '…'
          ? '(?:.*\n)*?'
          : `${line.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`).replaceAll('…', '.*')}\n`,
      )
      .join('')}$`,
  );

const matches = (shown: readonly string[], lines: readonly string[]): boolean =>
  patternOf(shown).test(lines.map((line) => `${line}\n`).join(''));

/** Runs a script with bash on a terminal, in an empty home. */
const typed = async (script: string): Promise<string> => {
  const home = mkdtempSync(join(tmpdir(), 'actorctl-pages-'));
  mkdirSync(join(home, 'bin'));
  symlinkSync(join(root, 'dist/actorctl.cjs'), join(home, 'bin/actorctl'));
  writeFileSync(join(home, '.typed'), script);
  const outside = Object.entries(process.env).filter(([name]) => !/^(CI$|ACTORCTL_|XDG_|DOCKER_)/.test(name));
  try {
    return await new Promise((resolve) => {
      const child = execFile(
        'script',
        ['-qefc', `bash ${join(home, '.typed')}`, '/dev/null'],
        {
          cwd: home,
          encoding: 'utf8',
          env: {
            ...Object.fromEntries(outside),
            PATH: `${join(home, 'bin')}:${process.env['PATH']}`,
            HOME: home,
            // Completion is installed for the shell that runs the commands.
            SHELL: '/bin/bash',
            TMPDIR: home,
            XDG_RUNTIME_DIR: home,
            ACTORCTL_PORT: 'auto',
            ACTORCTL_CREDENTIAL_STORE: 'file',
            ACTORCTL_ADMIN_PASSWORD: 'the-password-of-the-pages',
            // The actors of the pages run as processes, with and without an engine on this machine.
            DOCKER_HOST: `unix://${join(home, 'no-engine.sock')}`,
            NODE_OPTIONS: cheapPasswords.join(' '),
            BROWSER: 'none',
            LC_ALL: 'C.UTF-8',
            TERM: 'xterm',
            NO_COLOR: '1',
          },
        },
        (_error, stdout) => resolve(stdout),
      );
      child.stdin?.end();
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

const pages = ['getting-started', 'actors', 'oauth', 'operations', 'projects', 'testing-actors']
  .map((name) => ({ name, file: join(root, `docs/${name}.md`) }))
  .filter(({ file }) => existsSync(file))
  .map(({ name, file }) => ({ name: `docs/${name}.md`, steps: stepsOf(readFileSync(file, 'utf8')) }))
  .filter(({ steps }) => steps.some(({ shown }) => shown !== undefined));

describe('commands of a page', () => {
  it.each(pages)('print what $name shows', async ({ steps }) => {
    const outputs = (await typed(scriptOf(steps))).split(MARK).slice(1);
    const found = steps.map(({ command }, index) => ({ command, output: linesOf(seen(outputs[index] ?? 'not run')) }));
    const right = steps.map(({ command, shown }, index) => {
      const output = found[index]?.output ?? [];
      const isRight = shown === undefined ? !output.some((line) => line.startsWith(FAILED)) : matches(shown, output);
      return { command, output: isRight ? output : (shown ?? ['every command succeeds']) };
    });
    expect(found).toEqual(right);
  });
});

describe('the removal of docs/operations.md', () => {
  it('leaves no file in the home, with completion installed for two shells', async () => {
    const [, removal = ''] = readFileSync(join(root, 'docs/operations.md'), 'utf8').split('\n## Removal\n');
    const [, block = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(removal) ?? [];
    const script = [
      'actorctl up --login',
      'actorctl completion install',
      'actorctl completion install zsh',
      ...block.split('\n').filter((line) => !line.startsWith('npm uninstall ')),
      `printf '${MARK}'`,
      'find "$HOME" -type f',
    ].join('\n');
    expect(linesOf(seen((await typed(script)).split(MARK)[1] ?? 'not run'))).toEqual([
      expect.stringMatching(/\/\.typed$/),
    ]);
  });
});

describe('the comparison of output with a page', () => {
  it('accepts any text for … and any lines for a line of only …', () => {
    expect(matches(['id … done', '…', 'end'], ['id 7 done', 'more', 'and more', 'end'])).toBe(true);
    expect(matches(['id … done', '…', 'end'], ['id 7 done', 'end'])).toBe(true);
  });

  it('refuses a missing line, another line, and other text', () => {
    expect(matches(['one', 'two'], ['one'])).toBe(false);
    expect(matches(['one'], ['one', 'two'])).toBe(false);
    expect(matches(['id … done'], ['id 7 failed'])).toBe(false);
  });

  it('sees only the last text of a line that a spinner wrote again', () => {
    expect(seen('\u001b[1G⠋ wait\u001b[1G\u001b[0K⠙ wait\u001b[1G\u001b[0Kready\r\n\u001b[1Gnext\r\n')).toBe(
      'ready\nnext\n',
    );
  });
});

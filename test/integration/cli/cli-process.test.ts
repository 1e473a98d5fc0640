// The command line as a process: pipes, signals, exit codes and terminals.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliService, json, startCliService } from '../../support/daemon/cli-service.ts';
import { createHome, type Home } from '../../support/daemon/home.ts';
import { onTerminal } from '../../support/daemon/terminal.ts';
import { preloads } from '../../support/preloads/preloads.ts';

const program = fileURLToPath(new URL('../../../dist/actorctl.cjs', import.meta.url));

let home: Home;
let service: CliService;

beforeEach(async () => {
  service = await startCliService();
  home = createHome({ ACTORCTL_BASE_URL: service.origin });
});

afterEach(async () => {
  await service.close();
  rmSync(home.folder, { recursive: true, force: true });
});

/** Runs a line of shell in which `actorctl` is the built program. */
const shell = (line: string, env: NodeJS.ProcessEnv = {}) =>
  spawnSync('bash', ['-c', `actorctl() { "${process.execPath}" ${preloads.join(' ')} "${program}" "$@"; }; ${line}`], {
    env: { ...home.env, ...env },
    encoding: 'utf8',
  });

describe('the program', () => {
  it('prints only its version with --version, as JSON with --json', async () => {
    const { code, stdout, stderr } = await home.cli(['--version']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    for (const flags of [
      ['--version', '--json'],
      ['-o', 'json', '-V'],
    ]) {
      const { stdout: document } = await home.cli(flags);
      expect(JSON.parse(document)).toEqual({ actorctl: stdout.trim(), node: process.versions.node });
    }
  });

  it('does not wait for the end of stdin', async () => {
    const child = spawn(process.execPath, [...preloads, program, 'whoami'], {
      env: home.env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // stdin stays open, so the process must exit by itself.
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(4);
    child.stdin.destroy();
  });

  it('runs without any stdin', () => {
    expect(shell('actorctl whoami <&-').status).toBe(4);
  });

  it('prints no error if the reader of its output exits', () => {
    const { status, stderr } = shell('set -o pipefail; actorctl help environment | true; exit 0');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(shell('actorctl completion bash | true').stderr).toBe('');
    expect(shell('actorctl --version | true').stderr).toBe('');
    const { stdout, stderr: errors } = shell('actorctl completion bash | head -1');
    expect(stdout).toMatch(/^_actorctl/);
    expect(errors).toBe('');
  });

  it('does its work and keeps its exit code if the reader of its messages exits', async () => {
    const run = async (...args: string[]) => {
      const env = { ...home.env, ACTORCTL_TOKEN: 'x' };
      const child = spawn(process.execPath, [...preloads, program, ...args], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stderr.destroy();
      let out = '';
      child.stdout.on('data', (piece) => {
        out += piece;
      });
      return { code: await new Promise((resolve) => child.once('close', resolve)), out };
    };
    expect(await run('nonsense')).toEqual({ code: 2, out: '' });
    service.answer = (_request, response) => {
      json(response, 200, { message: 'ok', result: { x: 'here' }, status: 'success', version: '1' });
      return true;
    };
    // --debug writes to stderr before and after the request.
    const { code, out } = await run('api', 'GET', '/x', '--debug');
    expect([code, out]).toEqual([0, expect.stringContaining('here')]);
  });

  it.each([['--version'], ['help environment'], ['help environment --json'], ['settings list']])(
    'reports that its output cannot be written: %s',
    (line) => {
      const { status, stderr } = shell(`actorctl ${line} > /dev/full`);
      expect(status).toBe(2);
      expect(stderr).toContain('cannot write to standard output');
      expect(stderr).not.toContain('    at ');
    },
  );

  it('prints errors to stderr only, as one JSON object with -o json', async () => {
    const { code, stdout, stderr } = await home.cli(['whoami', '-o', 'json']);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'AUTH_REQUIRED', category: 'auth', hint: 'actorctl login' },
    });
    expect(JSON.parse((await home.cli(['--json', 'nonsense'])).stderr)).toMatchObject({ error: { code: 'USAGE' } });
  });

  it('prints no stack without --debug', async () => {
    mkdirSync(path.join(home.folder, 'config', 'settings.json'), { recursive: true });
    const { code, stderr } = await home.cli(['whoami']);
    expect(code).toBe(2);
    expect(stderr).not.toContain('    at ');
    expect((await home.cli(['whoami', '--debug'])).stderr).toContain('    at ');
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('exits with its own code on %s', async (signal, code) => {
    let asked: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      asked = resolve;
    });
    service.answer = () => {
      asked();
      return true;
    };
    const child = spawn(process.execPath, [...preloads, program, 'actors', 'list'], {
      env: { ...home.env, ACTORCTL_TOKEN: 'x' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await reached;
    child.kill(signal);
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(code);
  });

  it('reports a service that does not respond in time', async () => {
    service.answer = () => true;
    const { code, stderr } = await home.cli(['actors', 'list', '--request-timeout', '200ms'], {
      env: { ACTORCTL_TOKEN: 'x' },
    });
    expect(code).toBe(9);
    expect(stderr).toContain('did not respond within 200 ms');
  });

  it('R163 removes terminal control characters from the messages of a service', async () => {
    service.answer = (_request, response) => {
      json(response, 404, { message: 'no\u001b]0;owned\u0007thing', result: null, status: 'error', version: '1' });
      return true;
    };
    const { stderr } = await home.cli(['whoami', '--check'], { env: { ACTORCTL_TOKEN: 'x' } });
    expect(stderr).toBe('error: nothing\n');
  });
});

describe('on a terminal', () => {
  it('login asks for user and password, and does not show the password', async () => {
    const { code, text } = await onTerminal('login --flow password --client ck', home.env, [
      ['Secret of client', 'hush-secret'],
      ['User name:', 'dev'],
      ['Password:', 'good-password'],
    ]);
    expect(code).toBe(0);
    expect(text).toContain('Logged in as dev');
    expect(text).not.toMatch(/hush-secret|good-password/);
    expect(existsSync(path.join(home.folder, 'config', 'credentials.json'))).toBe(true);
  });

  it('Ctrl-C at a question exits with 130', async () => {
    expect(
      (await onTerminal('login --flow password --client ck', home.env, [['Secret of client', '\u0003']])).code,
    ).toBe(130);
  });

  it('output is coloured unless NO_COLOR is set', async () => {
    expect((await onTerminal('whoami', { ...home.env, NO_COLOR: '' })).text).toContain('\u001b[31m');
    expect((await onTerminal('whoami', home.env)).text).not.toContain('\u001b[31m');
  });

  it.each([
    ['coloured', { NO_COLOR: '' }, true],
    ['without colour if NO_COLOR is set', {}, false],
  ])('a spinner is shown with an empty CI, %s', async (_how, env, isColored) => {
    let shown = 0;
    service.answer = (request, response) => {
      const [, rest] = /^\/actors\/v2\/A1bcdefghijkl(.*)$/.exec(request.url ?? '') ?? [];
      if (rest === '') shown += 1;
      const actor = { id: 'A1bcdefghijkl', name: 'wc', status: shown < 3 ? 'SUBMITTED' : 'READY', statusMessage: '' };
      json(response, 200, { message: '', result: rest === '' ? actor : [], status: 'success', version: '1' });
      return true;
    };
    const given = { ...home.env, ...env, ACTORCTL_TOKEN: 'any' };
    const { text } = await onTerminal('actors show A1bcdefghijkl --wait', given, [], 100);
    expect(text).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]\S* waiting for wc \(A1bcdefghijkl\) to become READY/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is controlled by them
    expect(/\u001b\[\d*[1-9]\dm/.test(text)).toBe(isColored);
  });
});

describe('completion', () => {
  const complete = (words: string): readonly string[] => {
    const { stdout } = shell(
      `eval "$(actorctl completion bash)"; COMP_LINE="${words}" COMP_POINT=${words.length}; _actorctl actorctl "${words.split(' ').at(-1)}"; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
    return stdout.split('\n').filter((line) => line !== '');
  };

  it.each([
    ['actorctl act', ['actors', 'activity']],
    ['actorctl actors sh', ['show']],
    ['actorctl --instance x actors sh', ['show']],
    ['actorctl actors list --so', ['--sort']],
    ['actorctl completion z', ['zsh']],
    ['actorctl nonsense', []],
  ])('of "%s" offers %j in bash', (words, expected) => {
    expect(complete(words)).toEqual(expected);
  });

  it.each(['bash', 'zsh', 'fish'])('is a script without syntax errors for %s, if it is installed', (name) => {
    const { stdout, status } = shell(`actorctl completion ${name}`);
    expect(status).toBe(0);
    expect(stdout).toContain('actorctl __complete');
    const file = path.join(home.folder, `script.${name}`);
    writeFileSync(file, stdout);
    const check = spawnSync(name, ['-n', file], { encoding: 'utf8' });
    if (check.error === undefined) expect(check.stderr).toBe('');
  });
});

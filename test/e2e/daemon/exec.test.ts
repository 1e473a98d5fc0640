// `exec`: a command with a temporary instance, its exit code, its data, and what remains afterwards.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ExecFixture, execFixture } from '../../support/daemon/exec-fixture.ts';
import { program } from '../../support/daemon/run-program.ts';
import { processesWith } from '../../support/engine/process-harness.ts';

let fixture: ExecFixture;
beforeEach(() => {
  fixture = execFixture();
});
afterEach(() => fixture.home.remove());

const exec = (...args: readonly string[]) => fixture.start(args).ended;

describe('the command of exec', () => {
  it('finds the project applied, the instance in its environment, this actorctl first in PATH, and its own streams', async () => {
    const script = [
      'read line; echo "read $line"; echo trouble >&2; actorctl run sh -m hi',
      'echo "$ACTORCTL_BASE_URL $_abaco_api_server"; dirname "$(command -v actorctl)"; echo "$ACTORCTL_HOME"',
      'test "$ACTORCTL_TOKEN" = "$_abaco_access_token" && actorctl api /profiles/v2/me --jq .result.username -r',
      'cat "$TAPIS_CACHE_DIR/current"; ls "$AGAVE_CACHE_DIR"',
    ].join('\n');
    const { code, stdout, stderr } = await fixture.start(['--', 'sh', '-c', script], {
      env: { ACTORCTL_INSTANCE: 'other', ACTORCTL_TOKEN: 'of-the-user', ACTORCTL_PORT: '1' },
      input: 'typed\n',
    }).ended;
    expect(code).toBe(0);
    const [typed, hi, urls = '', bin = '', own = '', user, cache = '', ...files] = stdout.trimEnd().split('\n');
    expect([typed, hi, user, files]).toEqual(['read typed', 'got: hi', 'dev', ['current']]);
    expect(urls).toMatch(/^(http:\/\/127\.0\.0\.1:\d+) \1$/);
    expect(bin).toBe(path.join(own, 'bin'));
    expect(path.dirname(own)).toBe(fixture.temporary);
    expect(JSON.parse(cache)).toMatchObject({ username: 'dev', access_token: expect.any(String) });
    expect(stderr).toContain('trouble\n');
    await fixture.nothingLeft();
  });

  it('decides the exit code, even if a process that it started runs on', async () => {
    expect((await fixture.shell('exit 42')).code).toBe(42);
    expect((await fixture.shell('kill -9 $$')).code).toBe(137);
    expect((await fixture.shell('exec sleep 600 <&- >&- 2>&- & echo $!')).code).toBe(0);
    const [pid] = processesWith('sleep\u0000600', 'cmdline');
    if (pid !== undefined) process.kill(pid);
    await fixture.nothingLeft();
  });

  it('that cannot be started ends with 127 or 126, and a failure of actorctl with 125', async () => {
    const missing = await exec('--', 'no-such-program');
    expect([missing.code, missing.stderr]).toEqual([127, expect.stringContaining('cannot start "no-such-program"')]);
    expect((await exec('--', fixture.folder)).code).toBe(126);
    const unknown = await exec('--no-such-flag', '--', 'true');
    expect([unknown.code, unknown.stderr]).toEqual([125, expect.stringContaining('--no-such-flag')]);
    writeFileSync(path.join(fixture.folder, 'actorctl.yaml'), 'project: one\nactors:\n  sh: { image: ./none }\n');
    expect(await exec('--', 'true')).toMatchObject({ code: 125, stderr: expect.stringContaining('none') });
    expect((await exec('--no-project', '--', 'true')).code).toBe(0);
    expect((await exec('--project', './nowhere', '--', 'true')).code).toBe(125);
    await fixture.nothingLeft();
  });

  it('needs "--", and the error names the commands for executions', async () => {
    for (const args of [['sh'], ['sh', '-it'], []]) {
      const { code, stderr } = await exec(...args);
      expect([code, stderr]).toEqual([125, expect.stringContaining('needs its name after "--"')]);
      expect(stderr).toMatch(/actorctl run ACTOR.*actorctl logs ACTOR/);
    }
  });

  it('that fails shows the last 20 lines of each failed execution, but not with --quiet', async () => {
    const script = 'actorctl run sh -m fine; actorctl run sh -m twenty; actorctl run sh -m fail; exit 9';
    const { code, stderr } = await fixture.shell(`(${script}) >&- 2>&-; exit 9`);
    expect(code).toBe(9);
    expect(stderr).toMatch(/sh \w+ {2}failed, exit 1\n {2}\| line 11\n/);
    expect(stderr).toMatch(/ {2}\| line 30\nsh \w+ {2}failed, exit 3\n {2}\| before\n {2}\| trouble\n/);
    expect(stderr).not.toContain('fine');
    expect((await fixture.shell('actorctl run sh -m fail; exit 9', '--quiet')).stderr).not.toContain('| before');
  });

  it('works six times side by side', async () => {
    const all = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => fixture.shell(`actorctl run sh -m "run ${n}"`)));
    expect(all.map(({ code, stdout }) => [code, stdout])).toEqual(
      [1, 2, 3, 4, 5, 6].map((n) => [0, `got: run ${n}\n`]),
    );
    await fixture.nothingLeft();
  });
});

describe('the data of exec', () => {
  it('are an archive with --backup, which --import begins with, without the login of the archive', async () => {
    const file = path.join(fixture.home.folder, 'project', 'data.tar.gz');
    const first = await fixture.shell('actorctl run sh -m first; exit 3', '--backup', 'data.tar.gz');
    expect([first.code, existsSync(file)]).toEqual([3, true]);
    const script = 'actorctl executions list --json --fields status; actorctl run sh -m second';
    const second = await fixture.shell(script, '--import', file, '--no-project');
    expect([second.code, second.stdout]).toEqual([0, expect.stringMatching(/COMPLETE[\s\S]*got: second\n$/)]);
    expect((await fixture.shell('true', '--backup', 'no/such/folder')).code).toBe(125);
    await fixture.nothingLeft();
  });

  it('have a virtual clock, whose moves do not end the token', async () => {
    const script = 'actorctl clock show; actorctl clock advance 40d --yes; actorctl run sh -m later';
    const { code, stdout } = await fixture.shell(script, '--virtual-clock', '2030-01-01');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/2030-01-01T00:00[\s\S]*got: later\n$/)]);
  });

  it('stay with --keep-on-failure, which prints how to enter and to end the instance', async () => {
    expect((await fixture.shell('exit 0', '--keep-on-failure')).stderr).not.toContain('is kept');
    const { code, stderr } = await fixture.shell('exit 4', '--keep-on-failure');
    expect(code).toBe(4);
    const [, enter = '', end = ''] = /to enter it: (.*)\n +to end it: +(.*)\n/.exec(stderr) ?? [];
    const inShell = (line: string) => {
      const bin = `actorctl() { '${process.execPath}' '${program}' "$@"; }`;
      return spawnShell(`${bin}; ${line}`);
    };
    expect(await inShell(`${enter}; actorctl run sh -m kept`)).toBe('got: kept\n');
    const [checks] = [JSON.parse((await fixture.home.cli(['doctor', '--json'])).stdout).checks];
    expect(checks).not.toContainEqual(expect.objectContaining({ name: 'instances' }));
    expect(await inShell(end)).toContain('Stopped the daemon');
    await fixture.nothingLeft();
  });
});

/** Runs a line of a shell in the project, and returns its stdout. */
const spawnShell = (line: string): Promise<string> =>
  new Promise((resolve) => {
    const child = spawn('sh', ['-c', line], {
      cwd: fixture.folder,
      env: fixture.home.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    child.stdout.on('data', (piece) => {
      text += piece;
    });
    child.once('close', () => resolve(text));
  });

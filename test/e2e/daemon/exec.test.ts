// `exec`: a command with a temporary instance, its exit code, its signals, and what remains afterwards.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { createHome, type Home } from '../../support/daemon/home.ts';
import { program, startProcess } from '../../support/daemon/run-program.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';
import { alive, processesWith } from '../../support/engine/process-harness.ts';

let home: Home;
let folder: string;

beforeEach(() => {
  home = createHome(NO_ENGINE);
  folder = path.join(home.folder, 'project');
  mkdirSync(folder);
  shellActor(folder);
  writeFileSync(path.join(folder, 'actorctl.yaml'), 'project: one\nactors:\n  sh: { image: ./shell-actor }\n');
});

afterEach(() => home.remove());

const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  startProcess(['exec', ...args], { env: { ...home.env, ...env }, cwd: folder });
const exec = (...args: readonly string[]) => start(args).ended;
const shell = (script: string, ...flags: readonly string[]) => exec(...flags, '--', 'sh', '-c', script);

const homes = (): readonly string[] => {
  const all = path.join(home.folder, 'cache', 'temporary');
  return existsSync(all) ? readdirSync(all) : [];
};
/** Nothing of a temporary instance remains: no folder, no process of it, no login. */
const expectNothingLeft = async (): Promise<void> => {
  await expect.poll(homes).toEqual([]);
  await expect.poll(() => processesWith(path.join(home.folder, 'cache', 'temporary'), 'environ')).toEqual([]);
  expect(readdirSync(home.folder).toSorted()).toEqual(['cache', 'project']);
};

describe('the command of exec', () => {
  it('finds the project applied, the instance in its environment, this actorctl first in PATH, and its own streams', async () => {
    const script = [
      'read line; echo "read $line"; echo trouble >&2; actorctl run sh -m hi',
      'echo "$ACTORCTL_BASE_URL $_abaco_api_server"; dirname "$(command -v actorctl)"; echo "$ACTORCTL_HOME"',
      'test "$ACTORCTL_TOKEN" = "$_abaco_access_token" && actorctl api /profiles/v2/me --jq .result.username -r',
      'cat "$TAPIS_CACHE_DIR/current"; ls "$AGAVE_CACHE_DIR"',
    ].join('\n');
    const { code, stdout, stderr } = await startProcess(['exec', '--', 'sh', '-c', script], {
      env: { ...home.env, ACTORCTL_INSTANCE: 'other', ACTORCTL_TOKEN: 'of-the-user', ACTORCTL_PORT: '1' },
      cwd: folder,
      input: 'typed\n',
    }).ended;
    expect(code).toBe(0);
    const [typed, hi, urls = '', bin = '', own = '', user, cache = '', ...files] = stdout.trimEnd().split('\n');
    expect([typed, hi, user, files]).toEqual(['read typed', 'got: hi', 'dev', ['current']]);
    expect(urls).toMatch(/^(http:\/\/127\.0\.0\.1:\d+) \1$/);
    expect(bin).toBe(path.join(own, 'bin'));
    expect(path.dirname(own)).toBe(path.join(home.folder, 'cache', 'temporary'));
    expect(JSON.parse(cache)).toMatchObject({ username: 'dev', access_token: expect.any(String) });
    expect(stderr).toContain('trouble\n');
    await expectNothingLeft();
  });

  it('decides the exit code, even if a process that it started runs on', async () => {
    expect((await shell('exit 42')).code).toBe(42);
    expect((await shell('kill -9 $$')).code).toBe(137);
    expect((await shell('exec sleep 600 <&- >&- 2>&- & echo $!')).code).toBe(0);
    const [pid] = processesWith('sleep\u0000600', 'cmdline');
    if (pid !== undefined) process.kill(pid);
    await expectNothingLeft();
  });

  it('that cannot be started ends with 127 or 126, and a failure of actorctl with 125', async () => {
    const missing = await exec('--', 'no-such-program');
    expect([missing.code, missing.stderr]).toEqual([127, expect.stringContaining('cannot start "no-such-program"')]);
    expect((await exec('--', folder)).code).toBe(126);
    const unknown = await exec('--no-such-flag', '--', 'true');
    expect([unknown.code, unknown.stderr]).toEqual([125, expect.stringContaining('--no-such-flag')]);
    writeFileSync(path.join(folder, 'actorctl.yaml'), 'project: one\nactors:\n  sh: { image: ./none }\n');
    expect(await exec('--', 'true')).toMatchObject({ code: 125, stderr: expect.stringContaining('none') });
    expect((await exec('--no-project', '--', 'true')).code).toBe(0);
    expect((await exec('--project', './nowhere', '--', 'true')).code).toBe(125);
    await expectNothingLeft();
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
    const { code, stderr } = await shell(`(${script}) >&- 2>&-; exit 9`);
    expect(code).toBe(9);
    expect(stderr).toMatch(/sh \w+ {2}COMPLETE {2}exit 1\n {2}\| line 11\n/);
    expect(stderr).toMatch(/ {2}\| line 30\nsh \w+ {2}COMPLETE {2}exit 3\n {2}\| before\n {2}\| trouble\n/);
    expect(stderr).not.toContain('fine');
    expect((await shell('actorctl run sh -m fail; exit 9', '--quiet')).stderr).not.toContain('| before');
  });

  it('works six times side by side', async () => {
    const all = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => shell(`actorctl run sh -m "run ${n}"`)));
    expect(all.map(({ code, stdout }) => [code, stdout])).toEqual(
      [1, 2, 3, 4, 5, 6].map((n) => [0, `got: run ${n}\n`]),
    );
    await expectNothingLeft();
  });
});

describe('the data of exec', () => {
  it('are an archive with --backup, which --import begins with, without the login of the archive', async () => {
    const file = path.join(home.folder, 'project', 'data.tar.gz');
    const first = await shell('actorctl run sh -m first; exit 3', '--backup', 'data.tar.gz');
    expect([first.code, existsSync(file)]).toEqual([3, true]);
    const script = 'actorctl executions list --json --fields status; actorctl run sh -m second';
    const second = await shell(script, '--import', file, '--no-project');
    expect([second.code, second.stdout]).toEqual([0, expect.stringMatching(/COMPLETE[\s\S]*got: second\n$/)]);
    expect((await shell('true', '--backup', 'no/such/folder')).code).toBe(125);
    await expectNothingLeft();
  });

  it('have a virtual clock, whose moves do not end the token', async () => {
    const script = 'actorctl clock show; actorctl clock advance 40d --yes; actorctl run sh -m later';
    const { code, stdout } = await shell(script, '--virtual-clock', '2030-01-01');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/2030-01-01T00:00[\s\S]*got: later\n$/)]);
  });

  it('stay with --keep-on-failure, which prints how to enter and to end the instance', async () => {
    expect((await shell('exit 0', '--keep-on-failure')).stderr).not.toContain('is kept');
    const { code, stderr } = await shell('exit 4', '--keep-on-failure');
    expect(code).toBe(4);
    const [, enter = '', end = ''] = /to enter it: (.*)\n +to end it: +(.*)\n/.exec(stderr) ?? [];
    const inShell = (line: string) => {
      const bin = `actorctl() { '${process.execPath}' '${program}' "$@"; }`;
      return spawnShell(`${bin}; ${line}`);
    };
    expect(await inShell(`${enter}; actorctl run sh -m kept`)).toBe('got: kept\n');
    const [checks] = [JSON.parse((await home.cli(['doctor', '--json'])).stdout).checks];
    expect(checks).not.toContainEqual(expect.objectContaining({ name: 'instances' }));
    expect(await inShell(end)).toContain('Stopped the daemon');
    await expectNothingLeft();
  });
});

/** Runs a line of a shell in the project, and returns its stdout. */
const spawnShell = (line: string): Promise<string> =>
  new Promise((resolve) => {
    const child = spawn('sh', ['-c', line], { cwd: folder, env: home.env, stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.on('data', (piece) => {
      text += piece;
    });
    child.once('close', () => resolve(text));
  });

/** Counts the signals that it gets, and ends a moment after the first one. */
const COUNTER = `
let count = 0;
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => {
  count += 1;
  if (count === 1) setTimeout(() => { console.log('signals ' + count); process.exit(5); }, 400);
});
setInterval(() => undefined, 1000);
console.log('ready');`;

describe('a signal to exec', () => {
  /** Starts exec as the leader of a process group, and waits until its command is ready. */
  const leader = async (...command: readonly string[]) => {
    const child = spawn(process.execPath, [program, 'exec', '--no-project', '--', ...command], {
      ...{ cwd: folder, env: home.env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
    });
    let text = '';
    child.stdout?.on('data', (piece) => {
      text += piece;
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await expect.poll(() => text).toContain('ready');
    return { pid: child.pid ?? 0, text: () => text, ended };
  };

  it.each(['SIGINT', 'SIGTERM'] as const)('is passed on to the command: %s', async (signal) => {
    const { pid, text, ended } = await leader(process.execPath, '-e', COUNTER);
    process.kill(pid, signal);
    expect(await ended).toBe(5);
    expect(text()).toContain('signals 1\n');
    await expectNothingLeft();
  });

  it('is not passed on if the whole group got it, as from a terminal, and npm sends it again', async () => {
    const { pid, text, ended } = await leader(process.execPath, '-e', COUNTER);
    process.kill(-pid, 'SIGINT');
    process.kill(pid, 'SIGINT');
    expect(await ended).toBe(5);
    expect(text()).toContain('signals 1\n');
    await expectNothingLeft();
  });

  it('that comes later ends a command that ignores it, with its children, and everything is removed', async () => {
    const { pid, ended } = await leader('sh', '-c', 'trap "" INT; sleep 601 & echo ready; sleep 602; sleep 603');
    process.kill(pid, 'SIGINT');
    await sleep(1_100);
    process.kill(pid, 'SIGINT');
    expect(await ended).toBe(137);
    await expectNothingLeft();
  });

  it('ends what an interrupted command leaves running', async () => {
    const { pid, ended } = await leader(
      'sh',
      '-c',
      'sleep 604 & trap "exit 6" TERM; echo ready; while :; do sleep 0.1; done',
    );
    process.kill(pid, 'SIGTERM');
    expect(await ended).toBe(6);
    await expectNothingLeft();
  });
});

describe('a killed exec', () => {
  const running = async () => {
    const { child, out, ended } = start(['--', 'sh', '-c', 'actorctl send sh -m hang -q; sleep 605 & sleep 606']);
    await expect.poll(out).toMatch(/\w+\n/);
    const [name = ''] = homes();
    const state = path.join(home.folder, 'cache', 'temporary', name, 'state', name);
    const { pid } = JSON.parse(readFileSync(path.join(state, 'daemon.json'), 'utf8')) as { pid: number };
    return { name, daemon: pid, child, ended };
  };

  it('leaves no process and no file: its daemon ends them', async () => {
    const { child, ended } = await running();
    child.kill('SIGKILL');
    await ended;
    await expectNothingLeft();
  });

  it('whose daemon was killed too is named by doctor and removed by prune, even without a daemon', async () => {
    const { name, daemon, child, ended } = await running();
    process.kill(daemon, 'SIGKILL');
    await expect.poll(() => alive(daemon)).toBe(false);
    child.kill('SIGKILL');
    const { checks } = JSON.parse((await home.cli(['doctor', '--json'])).stdout);
    expect(checks).toContainEqual({
      ...{ name: 'instances', level: 'warning', fix: 'actorctl prune' },
      text: `the temporary instance ${name} is left over from a command that was killed`,
    });
    expect(await home.json('prune', '--dry-run')).toMatchObject({ temporary_instances: [name] });
    const { code, stdout } = await home.cli(['prune', '--yes']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 temporary instance')]);
    await ended;
    await expectNothingLeft();
  });
});

// A command connects to the daemon of its own home, whatever the environment says, and never to that of another user.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { identityOf, stillRuns } from '../../../src/local/process-identity.ts';
import { builtHomeIn, createHome, type Home, program } from '../../support/daemon/home.ts';
import { mounting } from '../../support/daemon/mounts.ts';
import { addUser, type SecondUser, users } from '../../support/local/second-user.ts';
import { describeIf } from '../../support/runner/requirements.ts';

let folder: string;
let homes: Home[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'actorctl-own-'));
  mkdirSync(join(folder, 'tmp'));
  homes = [];
});
afterEach(async () => {
  for (const home of homes) await home.remove();
  rmSync(folder, { recursive: true });
});

/** A home folder of this user, without ACTORCTL_HOME. All of them have one folder for temporary files. */
const ofUser = (name: string, env: NodeJS.ProcessEnv = {}): Home => {
  const home = builtHomeIn(join(folder, name), {
    HOME: join(folder, name),
    ACTORCTL_HOME: '',
    XDG_RUNTIME_DIR: '',
    TMPDIR: join(folder, 'tmp'),
    ...env,
  });
  homes.push(home);
  return home;
};

const pidOf = async (home: Home, env: NodeJS.ProcessEnv = {}): Promise<unknown> => {
  const { stdout } = await home.cli(['status', '--json'], { env });
  const { daemon } = JSON.parse(stdout) as { daemon: { state: string; pid: number | null } };
  return daemon.state === 'running' ? daemon.pid : daemon.state;
};

const stateDir = (home: Home) => join(home.folder, '.local', 'state', 'actorctl', 'default');

describe('R143 two homes of one user', () => {
  it('are separate: status, up and down in one do not affect the daemon of the other', async () => {
    const [one, two] = [ofUser('one'), ofUser('two')];
    const first = await one.up();
    expect(await pidOf(two)).toBe('stopped');
    const second = await two.up();
    expect(second.baseUrl).not.toBe(first.baseUrl);
    expect([await pidOf(one), await pidOf(two)]).toEqual([first.pid, second.pid]);
    expect(await two.json('down')).toMatchObject({ was_running: true, pid: second.pid });
    expect(await two.json('down')).toMatchObject({ was_running: false });
    expect([await pidOf(one), await pidOf(two)]).toEqual([first.pid, 'stopped']);
    expect(readdirSync(join(folder, 'tmp')).filter((name) => /^actorctl-\d+$/.test(name))).toEqual([]);
  });
});

describe('R143 one home', () => {
  it('finds its daemon, whatever the runtime, temporary and data folders are', async () => {
    const home = ofUser('one', { XDG_RUNTIME_DIR: folder });
    const { pid } = await home.up('--data-dir', join(folder, 'data'));
    const elsewhere = join(folder, 'elsewhere');
    for (const env of [{}, { XDG_RUNTIME_DIR: '' }, { XDG_RUNTIME_DIR: elsewhere }, { TMPDIR: elsewhere }])
      expect([env, await pidOf(home, env)]).toEqual([env, pid]);
    expect((await home.cli(['down', '--json'], { env: { XDG_RUNTIME_DIR: '' } })).stdout).toContain(`"pid": ${pid}`);
  });

  it('works at a path longer than the socket path limit, including results of processes', async () => {
    const long = builtHomeIn(join(folder, 'l'.repeat(90), 'm'.repeat(90)), { TMPDIR: join(folder, 'tmp') });
    homes.push(long);
    const actor = join(folder, 'actor');
    mkdirSync(actor);
    writeFileSync(join(actor, 'actor.json'), JSON.stringify({ command: ['python3', 'main.py'] }));
    const send = `import os, socket
path = os.environ['_svc_results_socket']
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'from afar', path)
print(path)
`;
    writeFileSync(join(actor, 'main.py'), send);
    await long.up();
    await long.json('actors', 'create', pathToFileURL(actor).href, '--name', 'far');
    const { code, stdout } = await long.cli(['run', 'far', '-m', 'x']);
    expect([code, Buffer.byteLength(stdout) < 108]).toEqual([0, true]);
    expect(await long.cli(['run', 'far', '-m', 'x', '--result'])).toMatchObject({ code: 0, stdout: 'from afar' });
    const before = long.pid();
    expect(await long.json('down')).toMatchObject({ pid: before });
    expect(readdirSync(join(folder, 'tmp')).filter((name) => /^actorctl-\d+$/.test(name))).toEqual([]);
  });
});

describeIf(users(), 'R143 a second user', () => {
  let other: SecondUser;
  beforeAll(() => {
    other = addUser(`act${process.pid}`);
  });
  afterAll(() => other.remove());

  const COMMANDS = [
    ['actors', 'list'],
    ['status'],
    ['open', '--print'],
    ['down'],
    ['up', '--login', '--port', 'auto'],
    ['daemon', 'restart'],
    ['users', 'list'],
  ];

  it('a foreign process that listens in the state folder receives no data, and is named in the error', async () => {
    const victim = ofUser('victim');
    await victim.up();
    await victim.json('down');
    rmSync(stateDir(victim), { recursive: true });
    spawnSync('chmod', ['-R', 'a+rwx', join(victim.folder, '.local', 'state')]);
    spawnSync('chmod', ['a+x', folder, victim.folder, join(victim.folder, '.local')]);
    const heard = await other.listen(join(stateDir(victim), 'daemon.sock'));
    for (const command of COMMANDS) {
      const { code, stderr } = await victim.cli(command);
      expect([command, code, stderr]).toEqual([
        command,
        2,
        expect.stringContaining(`${stateDir(victim)}: it belongs to user ${other.uid}`),
      ]);
    }
    expect([heard.connections(), heard.received()]).toEqual([0, '']);
    rmSync(stateDir(victim), { recursive: true });
  });

  it('a process that listens in the temporary folder or the runtime folder is not contacted', async () => {
    spawnSync('chmod', ['a+rwx', folder, join(folder, 'tmp')]);
    const heard = [
      await other.listen(join(folder, 'tmp', `actorctl-${process.getuid?.()}`, 'default.sock')),
      await other.listen(join(folder, 'actorctl', 'default.sock')),
    ];
    for (const runtime of ['', folder]) {
      const victim = ofUser(`victim-${runtime === ''}`, { XDG_RUNTIME_DIR: runtime });
      expect((await victim.cli(['actors', 'list'])).code).toBe(9);
      await victim.up();
      expect((await victim.cli(['actors', 'list'])).code).toBe(0);
    }
    for (const one of heard) expect([one.connections(), one.received()]).toEqual([0, '']);
  });

  it('a user in the home of another user, as after `su`, gets an error that names the owner', async () => {
    const first = ofUser('first');
    const { pid } = await first.up();
    spawnSync('chmod', ['a+x', folder, first.folder, join(first.folder, '.local')]);
    spawnSync('chmod', ['a+x', join(first.folder, '.local', 'state'), join(stateDir(first), '..')]);
    for (const command of [['status'], ['up', '--port', 'auto'], ['down']]) {
      const as = { ...other.ids, env: { ...first.env, XDG_CONFIG_HOME: '/none' }, encoding: 'utf8', cwd: '/' } as const;
      const { status, stderr } = spawnSync(process.execPath, [program, ...command], as);
      expect([status, stderr]).toEqual([2, expect.stringContaining('it belongs to user 0')]);
    }
    expect(await pidOf(first)).toBe(pid);
  });
});

describeIf(mounting(), 'R143 a home that two machines share', () => {
  /** Runs a command as on another machine with the same host name. */
  const onOther = (home: Home, ...args: string[]) => {
    const boot = join(folder, 'boot');
    writeFileSync(boot, '00000000-0000-4000-8000-000000000000\n');
    const script = 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"';
    const line = ['--mount', 'sh', '-c', script, boot, process.execPath, program, ...args];
    return spawnSync('unshare', line, { env: home.env, encoding: 'utf8' });
  };

  it('`up` reports a daemon that runs on another machine, and replaces a dead one', async () => {
    const home = createHome();
    homes.push(home);
    const { pid } = await home.up();
    const socket = join(home.folder, 'state', 'default', 'daemon.sock');
    const status = onOther(home, 'status', '--json');
    expect(JSON.parse(status.stdout)).toMatchObject({
      daemon: { state: 'stopped' },
      problems: [expect.stringContaining(`process ${pid}`)],
    });
    expect(onOther(home, 'up', '--port', 'auto')).toMatchObject({
      status: 9,
      stderr: expect.stringMatching(new RegExp(`process ${pid}|another`)),
    });
    expect([stillRuns(identityOf(pid)), existsSync(socket), await pidOf(home)]).toEqual([true, true, pid]);
    await home.kill();
    const up = onOther(home, 'up', '--port', 'auto', '--json');
    const started = readFileSync(join(home.folder, 'state', 'default', 'daemon.json'), 'utf8');
    // This comes first: the test cannot stop the daemon of the other machine when it removes the home.
    expect([up.status, onOther(home, 'down').status]).toEqual([0, 0]);
    expect(JSON.parse(started)).toMatchObject({ machine: expect.stringMatching(/^0000/) });
    expect(JSON.parse(up.stdout)).toMatchObject({ stale: expect.stringContaining(`took over from process ${pid}`) });
  });
});

// `daemon install`, `uninstall` and `status`: the files of the user service, and the calls of its manager.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { withWholePaths } from '../../../src/local/daemon/resolve-start.ts';
import { createService } from '../../../src/local/daemon/service.ts';
import { startRows } from '../../../src/local/daemon/start-options.ts';
import { paths } from '../../../src/local/paths.ts';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { daemonProgram, type Home, inProcessHome } from '../../support/daemon/home.ts';
import { describeIf, requirement } from '../../support/runner/requirements.ts';

let home: Home;
let bin: string;

/** Puts a service manager into the PATH that records its calls. @param does lines of shell */
const fakeManager = (name: string, does = 'exit 0'): void => {
  writeFileSync(path.join(bin, name), `#!/bin/sh\necho "$@" >> "${bin}/calls"\n${does}\n`);
  chmodSync(path.join(bin, name), 0o700);
};

const NO_BUS = 'echo no bus >&2; exit 1';

/** A systemctl that starts the built daemon as the service, and stops it. @param flags of the daemon */
const startingManager = (flags: string): void => {
  const daemon = `"${process.execPath}" "${daemonProgram}" --instance default ${flags}`;
  fakeManager(
    'systemctl',
    `[ "$2" = start ] && { ACTORCTL_SERVICE="$3" ${daemon} > /dev/null 2>&1 & echo $! > "${bin}/pid"; }
[ "$2" = stop ] && { kill "$(cat "${bin}/pid")"; while kill -0 "$(cat "${bin}/pid")" 2> /dev/null; do sleep 0.05; done; }
exit 0`,
  );
};

const calls = (): readonly string[] =>
  existsSync(path.join(bin, 'calls')) ? readFileSync(path.join(bin, 'calls'), 'utf8').trim().split('\n') : [];

beforeEach(() => {
  home = inProcessHome(NO_ENGINE);
  bin = path.join(home.folder, 'bin');
  mkdirSync(bin);
  Object.assign(home.env, { PATH: `${bin}:${process.env['PATH']}`, XDG_CONFIG_HOME: path.join(home.folder, 'a b%c') });
});

afterEach(() => home.remove());

interface Installed {
  readonly name: string;
  readonly file: string;
  readonly changed: boolean;
}

const service = async () => {
  const { stdout } = await home.cli(['daemon', 'status', '--json']);
  return JSON.parse(stdout).service;
};

const systemd = requirement(
  'systemd',
  spawnSync('systemd-analyze', ['--version']).status === 0,
  'systemd-analyze is missing; install systemd',
);
const linux = requirement('linux', process.platform === 'linux', 'systemd runs on Linux only');

describeIf(linux, 'the service of systemd', () => {
  it('the service is installed and enabled once, without secrets, and uninstall removes it completely', async () => {
    startingManager('--port auto');
    expect(await service()).toMatchObject({ installed: false, enabled: false });
    const { name, file, changed } = await home.json<Installed>('daemon', 'install', '--port', '9000');
    expect([changed, path.dirname(file)]).toEqual([true, path.join(home.folder, 'a b%c', 'systemd', 'user')]);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('"daemon" "run" "--log-file" "--instance" "default" "--port" "9000"');
    expect(text).toContain(`Environment="ACTORCTL_HOME=${home.folder}"`);
    expect(text).not.toContain(home.env['ACTORCTL_ADMIN_PASSWORD']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readlinkSync(path.join(path.dirname(file), 'default.target.wants', name))).toBe(file);
    expect(await service()).toEqual({ name, file, installed: true, enabled: true, broken: null });
    expect(await home.json('daemon', 'install', '--port', '9000')).toMatchObject({ changed: false });
    expect(await home.json('daemon', 'install', '--port', '9001', '--now')).toMatchObject({ changed: true });
    expect(calls().at(-1)).toBe(`--user start ${name}`);
    expect((await home.cli(['status'])).code).toBe(0);
    expect(await home.json('daemon', 'uninstall')).toMatchObject({ removed: true, pid: null });
    expect((await home.cli(['status'])).code).toBe(9);
    expect(calls()).toContain(`--user stop ${name}`);
    const left = readdirSync(path.dirname(file), { recursive: true });
    expect(left).toEqual(['default.target.wants']);
    expect((await home.cli(['daemon', 'uninstall'])).stdout).toBe(`The service ${name} was not installed\n`);
  });

  it('the service is installed even if no service manager responds, and a note says so', async () => {
    fakeManager('systemctl', NO_BUS);
    const { code, stderr } = await home.cli(['daemon', 'install']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('at your next login: no bus')]);
    expect((await home.cli(['daemon', 'install', '--now'])).stderr).toContain('cannot start the service');
    expect((await home.cli(['daemon', 'uninstall'])).code).toBe(0);
  });

  it.each([
    ['systemd is not process 1', 'echo offline; exit 1', 'systemd does not run this machine (it is not process 1)'],
    ['there is no systemctl', undefined, 'this machine has no systemd'],
  ])('nothing is installed if %s, and the error says what to do instead', async (_name, does, why) => {
    if (does === undefined) home.env['PATH'] = bin;
    else fakeManager('systemctl', does);
    for (const args of [[], ['--now'], ['--dry-run']]) {
      const { code, stdout, stderr } = await home.cli(['daemon', 'install', ...args]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`cannot install the service: ${why}`);
      expect(stderr).toContain('hint: to start it without a service: actorctl up. In a container: actorctl daemon run');
    }
    expect(await service()).toMatchObject({ installed: false });
  });

  it.each([
    ['Node', (moved: string) => ({ file: moved, args: [process.execPath] })],
    ['actorctl', (moved: string) => ({ file: process.execPath, args: [moved] })],
  ])(
    'a moved %s is named by daemon status and doctor, with the line that repairs the service',
    async (_name, place) => {
      fakeManager('systemctl');
      const moved = path.join(home.folder, 'v22 "$old" 100%', 'program');
      mkdirSync(path.dirname(moved));
      writeFileSync(moved, '');
      const around = { platform: 'linux' as const, env: home.env, home: home.folder, uid: 0 };
      const places = paths({ ...around, instance: 'default' });
      await createService({ ...around, paths: places, program: place(moved) }).install(['--port', '9000']);
      expect(await service()).toMatchObject({ broken: null });
      rmSync(moved);
      const { name, broken } = await service();
      expect(broken).toEqual({ missing: moved, fix: 'actorctl daemon install --port 9000' });
      const { stdout } = await home.cli(['daemon', 'status']);
      expect(stdout).toContain(`the service ${name} cannot start: ${moved} no longer exists. To install it again: `);
      expect((await home.cli(['doctor'])).stdout).toMatch(
        /error +service .*no longer exists\n +fix: actorctl daemon install/,
      );
      expect((await home.cli(broken.fix.split(' ').slice(1))).code).toBe(0);
      expect(await service()).toMatchObject({ broken: null });
    },
  );

  it('the service is not started if its daemon is not ready in time', async () => {
    fakeManager('systemctl');
    // Each reading of the clock is ten seconds after the previous one.
    let now = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => {
      now += 10_000;
      return now;
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const { code, stdout, stderr } = await home.cli(['daemon', 'install', '--now']);
    expect([code, stdout]).toEqual([9, '']);
    expect(stderr).toContain('was started, but its daemon is not ready after 30 s');
    expect(stderr).toMatch(/hint: journalctl --user -u actorctl-default-[0-9a-f]{8}\.service\n/);
  });

  it('the service is removed with a warning if the manager does not stop its daemon', async () => {
    startingManager('--port auto');
    const { name } = await home.json<Installed>('daemon', 'install', '--now');
    fakeManager('systemctl', NO_BUS);
    const { code, stdout, stderr } = await home.cli(['daemon', 'uninstall']);
    expect([code, stdout]).toEqual([0, `Removed the service ${name}\n`]);
    expect(stderr).toContain(`the daemon of the service (process ${home.pid()}) still runs, because`);
    expect(stderr).toContain('could not stop it: no bus. To stop it: actorctl down');
    await home.json('down');
  });

  it('the service is not started while a daemon runs, and its daemon is not started twice', async () => {
    fakeManager('systemctl');
    await home.json('up', '--port', 'auto');
    expect(await home.cli(['daemon', 'install', '--now'])).toMatchObject({ code: 7 });
    await home.json('down');
    await home.cli(['up'], { env: { ACTORCTL_SERVICE: 'actorctl-default.service' } });
    expect(await home.cli(['daemon', 'restart'])).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('systemctl --user restart actorctl-default.service'),
    });
  });
});

describe('the service', () => {
  it('stores all variables that the daemon reads, with absolute file paths', async () => {
    const text = readFileSync(new URL('../../../daemon/config.ts', import.meta.url), 'utf8');
    const read = [
      ...[...text.matchAll(/'(ACTORCTL_[A-Z_]+)'/g)].map(([, name = '']) => name),
      ...startRows.flatMap(([, { variable = [] }]) => variable),
    ];
    expect(read).toContain('ACTORCTL_EXECUTIONS_KEPT');
    const files = ['CONFIG_KEY_FILE', 'TLS_CERT', 'TLS_KEY', 'LEGACY_JWT_PUBLIC_KEY'].map((name) => `ACTORCTL_${name}`);
    const given = [...read, 'ACTORCTL_TOKEN', 'ACTORCTL_NONCE'].map((name) => [name, 'key.pem'] as const);
    fakeManager('systemctl');
    const env = { ...withWholePaths(Object.fromEntries(given)), PATH: home.env['PATH'] };
    const around = { platform: 'linux' as const, env, home: home.folder, uid: 0 };
    const places = paths({ ...around, instance: 'default' });
    const made = createService({ ...around, paths: places, program: { file: '/usr/bin/node', args: ['/x.cjs'] } });
    expect((await made.kept()).toSorted()).toEqual([...new Set([...read, 'PATH'])].toSorted());
    await made.install([]);
    const unit = readFileSync((await made.state()).file, 'utf8');
    for (const name of files) expect(unit).toContain(`Environment="${name}=${path.resolve('key.pem')}"`);
  });
});

describeIf(systemd, 'systemd', () => {
  it('systemd accepts the unit with spaces, quotes and specifiers in its paths', async () => {
    fakeManager('systemctl');
    const odd = path.join(home.folder, 'my $node "100%" \\x');
    mkdirSync(odd);
    symlinkSync(process.execPath, path.join(odd, 'node'));
    const around = { platform: 'linux' as const, env: home.env, home: home.folder, uid: 0 };
    const places = paths({ ...around, instance: 'default' });
    const program = { file: path.join(odd, 'node'), args: [path.join(odd, 'actorctl.cjs')] };
    const made = createService({ ...around, paths: places, program });
    await made.install(['--data-dir', odd]);
    const { file } = await made.state();
    const env = { ...process.env, XDG_RUNTIME_DIR: home.folder, SYSTEMD_LOG_LEVEL: 'info' };
    expect(execFileSync('systemd-analyze', ['verify', '--user', file], { env, encoding: 'utf8', stdio: 'pipe' })).toBe(
      '',
    );
  });
});

describe('the service of launchd', () => {
  it('is installed, started and removed', async () => {
    fakeManager('launchctl');
    const around = { platform: 'darwin' as const, env: home.env, home: home.folder, uid: 501 };
    const places = paths({ ...around, instance: 'default' });
    const made = createService({ ...around, paths: places, program: { file: '/usr/bin/node', args: ['/x.cjs'] } });
    expect([await made.install([]), await made.install([])]).toEqual([true, false]);
    const { name, file, enabled } = await made.state();
    expect([path.dirname(file), enabled]).toEqual([path.join(home.folder, 'Library', 'LaunchAgents'), true]);
    await made.start();
    expect([await made.uninstall(), await made.uninstall()]).toEqual([{ removed: true }, { removed: false }]);
    expect(calls()).toEqual([`bootstrap gui/501 ${file}`, `bootout gui/501/${name}`]);
    expect(existsSync(file)).toBe(false);
  });
});

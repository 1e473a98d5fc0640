// Homes that the user cannot use: of another user by sudo, with files of root in them, and a deleted current folder.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { daemonProgram, program } from '../../support/daemon/home.ts';
import { users } from '../../support/local/second-user.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const USER = 64_997;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'actorctl-own-home-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const run = (uid: number, args: readonly string[], env: Record<string, string> = {}, file = program) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    ...{ uid, gid: uid, cwd: '/', encoding: 'utf8' },
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ACTORCTL_CREDENTIAL_STORE: 'file', HOME: home, ...env },
  });
  return { status, stdout, stderr };
};

describeIf(users(), 'a home with folders of root', () => {
  beforeEach(() => chownSync(home, USER, USER));

  it('is not made by a first start with sudo', () => {
    for (const args of [
      ['up', '--port', 'auto'],
      ['login'],
      ['settings', 'set', 'output', 'json'],
      ['__complete', 'up'],
    ])
      run(0, args, { SUDO_UID: String(USER) });
    run(0, [], { SUDO_UID: String(USER) }, daemonProgram);
    expect(readdirSync(home)).toEqual([]);
    expect(run(0, ['up'], { SUDO_UID: String(USER) })).toMatchObject({
      status: 2,
      stderr: `error: sudo makes this command root, but ${home} belongs to user ${USER}, who could not use the files of root there\nhint: run actorctl without sudo, or with the home of root: sudo -H actorctl\n`,
    });
  });

  it.each([
    ['.config', ['settings', 'set', 'output', 'json'], 'config folder'],
    ['.local', ['up', '--port', 'auto'], 'state folder'],
  ])('gets an error with path, owner and fix, which doctor says too: %s', (name, args, checked) => {
    const folder = join(home, name);
    mkdirSync(folder, { mode: 0o755 });
    const { status, stderr } = run(USER, args);
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining(`permission denied: ${folder} belongs to user 0, and you are user ${USER}\n`),
    ]);
    const fix = `sudo chown -R ${USER} '${folder}'`;
    expect(stderr).toContain(`hint: ${fix}\n`);
    const doctor = run(USER, ['doctor', '--json']);
    const findings: readonly { name: string; level: string; fix?: string }[] = JSON.parse(doctor.stdout).checks;
    expect(findings.find((each) => each.name === checked)).toMatchObject({ level: 'error', fix });
    chownSync(folder, USER, USER);
    expect(run(USER, args).status).toBe(0);
    run(USER, ['down']);
  });

  it('gets the same for a single file', () => {
    expect(run(USER, ['up', '--port', 'auto']).status).toBe(0);
    run(USER, ['down']);
    const log = join(home, '.local/state/actorctl/default/daemon.log');
    for (const file of [log, log.replace('.log', '.err')]) {
      chownSync(file, 0, 0);
      expect(run(USER, ['up', '--port', 'auto']).stderr).toContain(
        `${file} belongs to user 0, and you are user ${USER}`,
      );
      chownSync(file, USER, USER);
    }
    const settings = join(home, '.config/actorctl/settings.json');
    writeFileSync(settings, '{}', { mode: 0o600 });
    expect(run(USER, ['status']).stderr).toContain(`hint: sudo chown -R ${USER} '${settings}'\n`);
  });
});

it('in a folder that was deleted, a command is refused in one line', () => {
  const gone = join(home, 'gone');
  for (const args of ['status', 'up', 'actors list', 'run x -m hi', 'settings list --json']) {
    mkdirSync(gone);
    chmodSync(gone, 0o700);
    const line = `cd '${gone}' && rmdir '${gone}' && exec '${process.execPath}' '${program}' ${args}`;
    const { status, stderr } = spawnSync('sh', ['-c', line], { env: { HOME: home }, encoding: 'utf8' });
    const what = 'the current folder does not exist any more';
    expect([args, status, stderr.split('\n')]).toEqual(
      args.endsWith('--json')
        ? [args, 2, [expect.stringContaining(`"message":"${what}"`), '']]
        : [args, 2, [`error: ${what}`, 'hint: change to another folder: cd', '']],
    );
  }
});

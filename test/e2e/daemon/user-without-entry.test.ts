// A user id without an entry in the password file, as with `docker run -u 1234`, and processContext without a usable folder.
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { daemonProgram, program } from '../../support/daemon/home.ts';
import { users } from '../../support/local/second-user.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const STRANGER = 64_998;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'actorctl-entry-'));
  for (const name of ['home', 'here']) mkdirSync(join(folder, name));
  for (const name of ['.', 'home', 'here']) chownSync(join(folder, name), STRANGER, STRANGER);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a program in the folder `here` with these variables and no others. */
const run = (file: string, args: readonly string[], env: Record<string, string>) => {
  const { status, stderr } = spawnSync(process.execPath, [file, ...args], {
    ...{ uid: STRANGER, gid: STRANGER, cwd: join(folder, 'here'), encoding: 'utf8' },
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ACTORCTL_CREDENTIAL_STORE: 'file', ...env },
  });
  return { status, lines: stderr.split('\n').filter((line) => line !== '') };
};

describeIf(users(), 'a user id without an entry in the password file', () => {
  it.each(['HOME', 'ACTORCTL_HOME'])('a user without an entry in /etc/passwd can work with %s', (name) => {
    const env = { [name]: join(folder, 'home') };
    expect(run(program, ['up', '--port', 'auto', '--login'], env)).toMatchObject({ status: 0 });
    expect(run(program, ['actors', 'list'], env)).toMatchObject({ status: 0 });
    expect(run(program, ['down'], env)).toMatchObject({ status: 0 });
    expect(readdirSync(join(folder, 'here'))).toEqual([]);
  });

  it.each<Record<string, string>>([{}, { HOME: '' }, { HOME: 'here' }])(
    'with the environment %o gets a one-line error that names the variable to set, and nothing is written',
    (env) => {
      const refusal = (line: string) => ({
        status: 2,
        lines: [expect.stringContaining('there is no home folder'), line],
      });
      for (const args of [['up'], ['login'], ['actors', 'list']])
        expect([args, run(program, args, env)]).toEqual([
          args,
          refusal('hint: set HOME or ACTORCTL_HOME to a folder of your own'),
        ]);
      const daemon = run(daemonProgram, [], env);
      expect(daemon).toEqual({ status: 2, lines: [expect.stringContaining('actorctld: there is no home folder')] });
      expect(readdirSync(join(folder, 'here'))).toEqual([]);
    },
  );
});

it.each(['/proc', 'proc'])(
  'a home in %s, where no folder can be created, is an error, not an endless loop',
  (named) => {
    symlinkSync('/proc', join(folder, 'proc'));
    const HOME = named === '/proc' ? named : join(folder, named);
    for (const args of [['up'], ['completion', 'install', 'bash']]) {
      const { status, stderr } = spawnSync(process.execPath, [program, ...args], { env: { HOME }, encoding: 'utf8' });
      expect([args, status, stderr]).toEqual([args, 2, expect.stringContaining(HOME)]);
    }
  },
);

it('the error names a missing folder for temporary files', () => {
  const env = { HOME: join(folder, 'home'), TMPDIR: join(folder, 'none') };
  chownSync(env.HOME, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
  const { status, stderr } = spawnSync(process.execPath, [program, 'up', '--ephemeral'], { env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, expect.stringContaining(`in ${env.TMPDIR}: there is no such folder`)]);
});

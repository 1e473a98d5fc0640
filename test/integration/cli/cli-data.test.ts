// The data of an instance: saved and put back, brought to another instance, emptied, and written at the end.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { holdDaemons, startingLock } from '../../support/commands/held-daemon.ts';
import { NO_ENGINE, until } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome, program } from '../../support/daemon/home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';
import { preloads } from '../../support/preloads/preloads.ts';

let home: Home;

beforeEach(() => {
  home = inProcessHome(NO_ENGINE);
});

afterEach(() => home.remove());

const file = (name: string) => path.join(home.folder, name);
const loggedIn = () =>
  home.cli(['login', '--username', 'dev', '--password-stdin', '--force'], { input: 'correct horse battery' });
const actors = async (): Promise<readonly string[]> => {
  await loggedIn();
  return (await home.json<{ name: string }[]>('actors', 'list')).map(({ name }) => name);
};
const create = (name: string) => home.json('actors', 'create', shellActor(home.folder), '--name', name, '--wait');

describe('a snapshot', () => {
  it('restores actors and logs, reports where the previous data is stored, and needs --replace', async () => {
    await home.up();
    await create('one');
    expect((await home.cli(['run', 'one', '-m', 'hello'])).code).toBe(0);
    const log = (await home.cli(['logs', 'one@last'])).stdout;
    await home.json('snapshot', 'create', 'first');
    await home.json('actors', 'delete', 'one', '--yes');
    await create('two');

    const refused = await home.cli(['snapshot', 'restore', 'first']);
    expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining('add --replace')]);
    expect(await actors()).toEqual(['two']);

    const restored = await home.json<{ snapshot: string }>('snapshot', 'restore', 'first', '--replace');
    expect(await actors()).toEqual(['one']);
    expect((await home.cli(['logs', 'one@last'])).stdout).toBe(log);
    await home.json('snapshot', 'restore', restored.snapshot, '--replace');
    expect(await actors()).toEqual(['two']);
    const names = (await home.json<{ name: string }[]>('snapshot', 'list')).map(({ name }) => name);
    expect(names).toEqual(['first', restored.snapshot, expect.stringMatching(/^before-restore-/)]);
  });

  it('is refused while executions run, unless they may be halted', async () => {
    await home.up();
    await create('one');
    await home.json('snapshot', 'create', 'first');
    const id = (await home.cli(['send', 'one', '-m', 'hang', '-q'])).stdout.trim();
    await home.json('executions', 'wait', id, '--for', 'RUNNING');
    for (const line of [
      ['snapshot', 'restore', 'first', '--replace'],
      ['reset', '--yes'],
    ]) {
      const refused = await home.cli(line);
      expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining('add --halt-executions')]);
    }
    expect((await home.json<{ status: string }>('executions', 'show', id)).status).toBe('RUNNING');
    await home.json('snapshot', 'restore', 'first', '--replace', '--halt-executions');
    expect(await actors()).toEqual(['one']);
  });

  it('cannot have a name that means a file', async () => {
    const refused = await home.cli(['snapshot', 'create', 'x.tar.gz']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('not ending with .tar.gz')]);
  });

  it('that cannot be deleted stops the deletion of several, and the error names those that are gone', async () => {
    await home.up();
    const { file: first } = await home.json<{ file: string }>('snapshot', 'create', 'first');
    // A folder is no file that could be deleted.
    mkdirSync(first.replace('first', 'folder'));
    const { code, stderr } = await home.cli(['snapshot', 'delete', 'first', 'folder', '--yes', '--json']);
    const { error } = JSON.parse(stderr) as { error: object };
    expect(code).not.toBe(0);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^deleted 1 snapshot: first, then: /),
      details: { deleted: ['first'] },
    });
    expect(existsSync(first)).toBe(false);
  });

  it('that is damaged is refused by name before the daemon stops', async () => {
    const { pid } = await home.up();
    const { file: saved } = await home.json<{ file: string }>('snapshot', 'create', 'first');
    const bytes = readFileSync(saved);
    writeFileSync(saved, bytes.subarray(0, bytes.length - 20));
    for (const line of [
      ['show', 'first'],
      ['restore', 'first', '--replace'],
    ]) {
      const refused = await home.cli(['snapshot', ...line]);
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining(`cannot use ${saved}: its end is missing`),
      ]);
    }
    expect((await home.json<{ daemon: { pid: number } }>('status')).daemon.pid).toBe(pid);
    writeFileSync(saved, 'nothing');
    const [row] = await home.json<{ problem: string }[]>('snapshot', 'list');
    expect(row?.problem).toContain('it is not a gzip file');
  });
});

describe('backup and up --import', () => {
  it('transfer all data to another instance, with the key of secret configs', async () => {
    await home.up();
    await create('one');
    await home.json('configs', 'create', 'db', '--value', '{"password":"hidden"}', '--secret');
    await home.json('backup', file('all.tar.gz'), '--with-keys');
    expect(statSync(file('all.tar.gz')).mode & 0o777).toBe(0o600);
    await home.cli(['down']);
    const there = ['--instance', 'other'];
    await home.json('up', ...there, '--port', 'auto', '--import', file('all.tar.gz'));
    await home.cli(['login', ...there, '--username', 'dev', '--password-stdin'], { input: 'correct horse battery' });
    expect((await home.json<{ name: string }[]>('actors', 'list', ...there)).map(({ name }) => name)).toEqual(['one']);
    const shown = await home.cli(['configs', 'show', 'db', '--reveal', '--yes', ...there, '--json']);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('hidden')]);

    const running = await home.cli(['up', ...there, '--import', file('all.tar.gz')]);
    expect([running.code, running.stderr]).toEqual([7, expect.stringContaining('snapshot restore --instance other')]);
    await home.cli(['down', ...there]);
    const used = await home.cli(['up', ...there, '--import', file('all.tar.gz')]);
    expect([used.code, used.stderr]).toEqual([7, expect.stringContaining('The instance is not empty')]);
  });

  it('distinguish a start that failed after the data was replaced from one that changed nothing', async () => {
    const there = ['--instance', 'virtual'];
    await home.json('up', ...there, '--virtual-clock', '--ephemeral', '--port', 'auto');
    await home.json('backup', file('virtual.tar.gz'), ...there);
    await home.cli(['down', ...there]);
    const failed = async (...flags: readonly string[]) => {
      const line = ['up', '--port', 'auto', '--import', file('virtual.tar.gz'), ...flags, '--json'];
      const { error } = JSON.parse((await home.cli(line)).stderr) as { error: { code: string; details: object } };
      return error;
    };
    const replaced = { code: 'OTHER_CLOCK', details: { data_replaced: true } };
    expect(await failed('--no-virtual-clock')).toMatchObject(replaced);
    expect(await failed()).toMatchObject({ code: 'ALREADY_EXISTS', details: { data_replaced: false } });
  });

  it('with --backup-on-exit preserve an ephemeral instance between runs', async () => {
    const flags = ['--ephemeral', '--import', file('kept.tar.gz'), '--backup-on-exit'];
    await home.up(...flags);
    await create('one');
    expect((await home.cli(['down'])).code).toBe(0);
    expect(existsSync(file('kept.tar.gz'))).toBe(true);
    await home.up(...flags);
    expect(await actors()).toEqual(['one']);
  });

  /**
   * Starts an ephemeral daemon whose data cannot be exported, and stops it. Runs `during` while the command runs that
   * starts it, and returns the exit code of that command.
   */
  const withoutExport = async (
    detach: string,
    env: NodeJS.ProcessEnv = {},
    during: (up: ChildProcess) => Promise<void> = async () => undefined,
  ) => {
    const flags = ['up', detach, '--ephemeral', '--port', 'auto', '--backup-on-exit', file('x.tar.gz')];
    const up = spawn(process.execPath, [...preloads, program, ...flags], {
      env: { ...home.env, ...env },
      stdio: 'ignore',
    });
    onTestFinished(() => void up.kill('SIGKILL'));
    const ended = once(up, 'close');
    await during(up);
    await until(async () => (await home.cli(['status'])).code === 0);
    const { data_dir } = (await home.json<{ daemon: { data_dir: string } }>('status')).daemon;
    // A folder cannot be replaced by a file.
    mkdirSync(path.join(file('x.tar.gz'), 'full'), { recursive: true });
    const { code, stderr } = await home.cli(['down']);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`The data stay in ${data_dir}`)]);
    up.kill('SIGCONT');
    const [upCode] = await ended;
    expect(existsSync(path.join(data_dir, 'db'))).toBe(true);
    rmSync(data_dir, { recursive: true });
    return upCode;
  };

  it.each(['--detach', '--no-detach'])(
    'keep the data of an ephemeral instance with %s that cannot be exported, and print its location',
    async (detach) => {
      await withoutExport(detach);
    },
  );

  it('keep the data even if the command that started the instance finds it stopped', async () => {
    const { env, go } = holdDaemons(home.folder);
    const code = await withoutExport('--detach', env, async (up) => {
      await until(() => existsSync(startingLock(home.folder)));
      up.kill('SIGSTOP');
      go();
    });
    expect(code).toBe(9);
  });
});

describe('reset', () => {
  it('empties the instance, keeps users and clients on request, and names a snapshot', async () => {
    await home.up();
    await create('one');
    const kept = await home.json<{ snapshot: string }>('reset', '--keep', 'users,clients', '--yes');
    expect(await actors()).toEqual([]);
    expect((await home.json<{ username: string }[]>('users', 'list')).map(({ username }) => username)).toEqual(['dev']);
    const all = await home.json<{ snapshot: string }>('reset', '--yes');
    expect((await home.json<{ bootstrap: { user: string } }>('up')).bootstrap.user).toBe('dev');
    expect(await actors()).toEqual([]);
    await home.json('snapshot', 'restore', kept.snapshot, '--replace');
    expect(await actors()).toEqual(['one']);
    expect(all.snapshot).not.toBe(kept.snapshot);
  });
});

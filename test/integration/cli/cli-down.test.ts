// What `down` leaves running, what it says about that, and that `--halt-executions` leaves nothing.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from '../../../src/local/process-identity.ts';
import { holdDaemons, startingLock } from '../../support/commands/held-daemon.ts';
import { NO_ENGINE, until } from '../../support/daemon/daemon.ts';
import { send, startEndless, statusOf } from '../../support/daemon/endless-actor.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;

/** Starts a daemon that is not ready before the returned function is called, by a command that does not wait for it. */
const startSlowly = async (...flags: readonly string[]) => {
  const { env, go } = holdDaemons(home.folder);
  const up = home.start(['up', '--port', 'auto', ...flags], { env });
  await expect.poll(() => existsSync(startingLock(home.folder))).toBe(true);
  up.interrupt();
  expect(await up.ended).toMatchObject({ code: 130, stderr: expect.stringContaining('is still starting') });
  return go;
};

beforeEach(() => {
  home = inProcessHome(NO_ENGINE);
});

afterEach(() => home.remove());

describe('down', () => {
  it('reports what it waits for, what keeps running, and how to end it', async () => {
    const { execution, actor, pid } = await startEndless(home);
    const { code, stdout, stderr } = await home.cli(['down', '--grace', '10ms']);
    expect(code).toBe(0);
    expect(stderr).toContain('waiting up to 10ms for 1 execution to end (--halt-executions halts them)');
    expect(stdout).toContain(
      `1 execution runs on without it:\n  ${execution} of endless, in a process\nThe next start takes them up again: actorctl up\nTo end them now: actorctl down --halt-executions\n`,
    );
    expect((await home.cli(['down', '--instance', 'default'])).stdout).toContain(
      'again: actorctl up --instance default\nTo end them now: actorctl down --instance default --halt-executions\n',
    );
    expect(isAlive(pid)).toBe(true);
    const left = [{ execution_id: execution, actor_id: actor, actor: 'endless', runs_in: 'process' }];
    expect(await home.json('down')).toMatchObject({ was_running: false, left });
    const status = await home.cli(['status', '--json']);
    expect(JSON.parse(status.stdout).problems).toEqual([expect.stringContaining('1 execution of the stopped daemon')]);
    await home.json('up');
    expect(await statusOf(home, execution)).toBe('RUNNING');
    expect((await home.cli(['status'])).stdout).not.toContain('of the stopped daemon');
  });

  it('exits with code 8 after --timeout, while the daemon continues to stop', async () => {
    const { pid } = await startEndless(home);
    const { code, stderr } = await home.cli(['down', '--timeout', '500ms']);
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: expect.stringMatching(
        /the time of --timeout \(0\.5s\) is over: the daemon \(process \d+\) continues to stop\ntry: actorctl status\n$/,
      ),
    });
    expect(isAlive(pid)).toBe(true);
    expect(await home.json('down', '--halt-executions')).toMatchObject({ was_running: true, left: [] });
  });

  it('as a part of daemon restart gives up after --timeout, and says how to start the daemon again', async () => {
    const { execution, pid } = await startEndless(home);
    const { code, stderr } = await home.cli(['daemon', 'restart', '--grace', '3s', '--timeout', '500ms']);
    expect(code).toBe(8);
    expect(stderr).toContain('continues to stop and is not started again');
    expect(stderr).toContain('hint: to start it as before: actorctl daemon restart\n');
    await home.json('down');
    await home.json('daemon', 'restart');
    expect(isAlive(pid)).toBe(true);
    expect(await statusOf(home, execution)).toBe('RUNNING');
  });

  it('with --halt-executions halts executions left by an earlier down, and starts no waiting message', async () => {
    const { actor, execution, pid } = await startEndless(home);
    const waiting = await send(home, actor);
    await home.json('down', '--grace', '0s');
    expect((await home.cli(['down', '--halt-executions'])).stdout).toBe(
      'The daemon was already stopped\nHalted 1 execution that ran without the daemon\n',
    );
    expect(isAlive(pid)).toBe(false);
    await home.json('up');
    expect(await home.json('executions', 'show', execution)).toMatchObject({ status: 'COMPLETE' });
    expect(['SUBMITTED', 'RUNNING']).toContain(await statusOf(home, waiting));
  });

  it('with --halt-executions ends a stop that waits for executions', async () => {
    const { pid } = await startEndless(home);
    const first = home.start(['down', '--grace', '10m']);
    await until(async () => (await home.cli(['status'])).stdout.includes('daemon    stopping'));
    expect((await home.cli(['status'])).stdout).toContain('1 running');
    const { checks } = JSON.parse((await home.cli(['doctor', '--json'])).stdout) as {
      checks: { name: string; level: string }[];
    };
    expect(checks.filter(({ name, level }) => ['daemon', 'port', 'records'].includes(name) && level !== 'ok')).toEqual(
      [],
    );
    expect((await home.cli(['down', '--halt-executions'])).code).toBe(0);
    expect((await first.ended).code).toBe(0);
    expect(isAlive(pid)).toBe(false);
  });

  it('with --halt-executions halts executions left by a killed daemon', async () => {
    const { pid } = await startEndless(home);
    await home.kill();
    expect(isAlive(pid)).toBe(true);
    expect(await home.json('down', '--halt-executions')).toMatchObject({ left: [] });
    expect(isAlive(pid)).toBe(false);
  });

  it('with --dry-run would stop no process of a daemon that has crashed', async () => {
    await home.up();
    await home.kill();
    expect(await home.json('down', '--dry-run')).toMatchObject({ was_running: false, pid: null });
  });
});

describe('a daemon that is starting after its up was interrupted', () => {
  it('is starting for status, and stopped by down as soon as it is ready', async () => {
    const go = await startSlowly('--data-dir', path.join(home.folder, 'elsewhere'));
    const { code, stdout } = await home.cli(['status', '--json']);
    expect([code, JSON.parse(stdout).daemon]).toEqual([9, expect.objectContaining({ state: 'starting' })]);
    const { pid } = JSON.parse(stdout).daemon;
    expect(isAlive(pid)).toBe(true);
    const down = home.start(['down']);
    await expect.poll(() => down.err()).toContain('which is still starting');
    go();
    expect((await down.ended).stdout).toBe(`Stopped the daemon (process ${pid})\n`);
    expect(isAlive(pid)).toBe(false);
  });

  it('still starts after a down with --timeout that exited with code 8', async () => {
    const { env, go } = holdDaemons(home.folder);
    const { code, stderr } = await home.cli(['up', '--port', 'auto', '--timeout', '4s'], { env });
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: expect.stringContaining(
        'the time of --timeout (4.0s) is over: the daemon is still starting\ntry: actorctl status\n',
      ),
    });
    go();
    expect((await home.cli(['up', '--timeout', '10m'])).code).toBe(0);
  });

  it('is used by the next up', async () => {
    const go = await startSlowly();
    const up = home.start(['up', '--json']);
    go();
    expect(JSON.parse((await up.ended).stdout)).toMatchObject({ started: false, state: 'running' });
  });
});

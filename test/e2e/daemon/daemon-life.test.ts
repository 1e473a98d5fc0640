// Start and stop of the built daemon through the command line: a killed `up`, executions that continue, signals. Needs
// no container engine.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type BuiltDaemon,
  builtDaemon,
  logsOf,
  NO_ENGINE,
  reaches,
  register,
  scriptImage,
  send,
  show,
  until,
} from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome, program } from '../../support/daemon/home.ts';
import { alive, processesWith } from '../../support/engine/process-harness.ts';
import { preloads } from '../../support/preloads/preloads.ts';

const tidy: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const each of tidy.splice(0).reverse()) await each();
});

const home = (): Home => {
  const made = inProcessHome(NO_ENGINE);
  tidy.push(() => made.remove());
  return made;
};
const daemonOf = async (): Promise<BuiltDaemon> => {
  const daemon = builtDaemon({ engine: 'none' });
  tidy.push(() => daemon.remove());
  await daemon.start();
  await daemon.admit();
  return daemon;
};
const messages = (daemon: BuiltDaemon) => daemon.log().map((line) => line['msg']);

/** The tests start many programs, which takes long on a busy machine. */

describe('up and down', () => {
  it('an `up` that was killed during the start of the daemon does not block the next one', async () => {
    const own = home();
    await own.cli(['up', '--port', 'auto']);
    await own.cli(['down']);
    for (const ms of [60, 100, 140, 180, 220]) {
      const first = spawn(process.execPath, [...preloads, program, 'up', '--port', 'auto'], {
        env: own.env,
        stdio: 'ignore',
      });
      await sleep(ms);
      first.kill('SIGKILL');
      expect(await own.cli(['up', '--port', 'auto'])).toMatchObject({ code: 0 });
      expect((await own.cli(['down'])).code).toBe(0);
    }
  });

  it('an execution continues through `down`, the next `up` resumes it, and its log is complete', async () => {
    const own = home();
    await own.up();
    const go = join(own.folder, 'go');
    const script = `echo before; while [ ! -e '${go}' ]; do sleep 0.05; done; echo after`;
    const actor = await own.json<{ id: string }>('actors', 'create', scriptImage(own, script));
    const { execution_id: execution } = await own.json<{ execution_id: string }>('send', actor.id, '-m', 'x');
    await until(async () => (await own.cli(['logs', execution])).stdout.includes('before'));
    expect((await own.cli(['down', '--grace', '100ms'])).code).toBe(0);
    expect(own.pid()).toBeUndefined();

    writeFileSync(go, '');
    await own.up();
    const waited = await own.cli(['executions', 'wait', execution, '--json']);
    expect(waited.code).toBe(0);
    expect((await own.cli(['logs', execution])).stdout).toBe('before\nafter\n');
  });
});

describe('signals', () => {
  it('SIGTERM and SIGINT within a second count as one, and the daemon stops in order', async () => {
    const daemon = await daemonOf();
    const actor = await register(daemon, { image: scriptImage(daemon, 'true') });
    daemon.signal('SIGTERM');
    daemon.signal('SIGINT');
    expect(await daemon.exit()).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(messages(daemon).at(-1)).toBe('stopped');
    expect(existsSync(join(daemon.stateDir, 'daemon.json'))).toBe(false);
    expect(existsSync(join(daemon.dataDir, 'lock'))).toBe(false);
    expect((await daemon.start()).stale).toBeUndefined();
    expect(await show(daemon, actor)).toMatchObject({ id: actor });
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'another %s over a second after the first ends the daemon at once, and the next start has all data',
    async (name) => {
      const daemon = await daemonOf();
      const go = join(daemon.folder, 'go');
      const image = scriptImage(daemon, `echo before; while [ ! -e '${go}' ]; do sleep 0.05; done; echo after`);
      const actor = await register(daemon, { image, maxWorkers: 1 });
      const running = await send(daemon, actor);
      const waiting = await send(daemon, actor);
      await until(async () => (await logsOf(daemon, actor, running)).includes('before'));
      daemon.signal(name);
      await until(() => messages(daemon).includes('stopping'));
      await sleep(1_100);
      expect(daemon.running()).toBe(true);
      daemon.signal(name);
      expect((await daemon.exit()).code).toBe(1);
      expect(messages(daemon)).not.toContain('stopped');
      await daemon.start();
      expect(await show(daemon, actor, running)).toMatchObject({ status: 'RUNNING' });
      writeFileSync(go, '');
      for (const execution of [running, waiting]) {
        expect(await reaches(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
        expect(await logsOf(daemon, actor, execution)).toBe('before\nafter\n');
      }
    },
  );

  it('R119 a second daemon on the same data folder is refused with the pid of the first', async () => {
    const daemon = await daemonOf();
    const other = builtDaemon({ engine: 'none', flags: ['--data-dir', daemon.dataDir] });
    tidy.push(() => other.remove());
    const word = await other.launch();
    expect(word).toMatchObject({ ready: false, error: { code: 'LOCKED', detail: { pid: daemon.pid() } } });
    expect((await other.exit()).code).toBe(9);
    expect((await daemon.ask('GET', '/actors/v2')).status).toBe(200);
  });

  it('a stopped daemon leaves no process, no socket and no lock', async () => {
    const daemon = await daemonOf();
    const actor = await register(daemon, { image: scriptImage(daemon, 'exec sleep 600') });
    const execution = await send(daemon, actor);
    await reaches(daemon, actor, execution, 'RUNNING');
    expect((await daemon.stop({ graceMs: 0, haltExecutions: true })).code).toBe(0);
    await until(() => processesWith(daemon.folder, 'cmdline').filter(alive).length === 0);
    expect(processesWith(execution, 'environ').filter(alive)).toEqual([]);
    expect(existsSync(join(daemon.folder, 'state', 'default', 'daemon.sock'))).toBe(false);
    await daemon.start();
    expect(await show(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
  });
});

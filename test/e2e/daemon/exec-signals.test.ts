// `exec`: signals to it and to its command, and a kill.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ExecFixture, execFixture } from '../../support/daemon/exec-fixture.ts';
import { program } from '../../support/daemon/run-program.ts';
import { alive } from '../../support/engine/process-harness.ts';

let fixture: ExecFixture;
beforeEach(() => {
  fixture = execFixture();
});
afterEach(() => fixture.home.remove());

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
      ...{ cwd: fixture.folder, env: fixture.home.env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
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
    await fixture.nothingLeft();
  });

  it('is not passed on if the whole group got it, as from a terminal, and npm sends it again', async () => {
    const { pid, text, ended } = await leader(process.execPath, '-e', COUNTER);
    process.kill(-pid, 'SIGINT');
    process.kill(pid, 'SIGINT');
    expect(await ended).toBe(5);
    expect(text()).toContain('signals 1\n');
    await fixture.nothingLeft();
  });

  it('that comes later ends a command that ignores it, with its children, and everything is removed', async () => {
    const { pid, ended } = await leader('sh', '-c', 'trap "" INT; sleep 601 & echo ready; sleep 602; sleep 603');
    process.kill(pid, 'SIGINT');
    await sleep(1_100);
    process.kill(pid, 'SIGINT');
    expect(await ended).toBe(137);
    await fixture.nothingLeft();
  });

  it('ends what an interrupted command leaves running', async () => {
    const { pid, ended } = await leader(
      'sh',
      '-c',
      'sleep 604 & trap "exit 6" TERM; echo ready; while :; do sleep 0.1; done',
    );
    process.kill(pid, 'SIGTERM');
    expect(await ended).toBe(6);
    await fixture.nothingLeft();
  });
});

describe('a killed exec', () => {
  const running = async () => {
    const { child, out, ended } = fixture.start([
      '--',
      'sh',
      '-c',
      'actorctl send sh -m hang -q; sleep 605 & sleep 606',
    ]);
    await expect.poll(out).toMatch(/\w+\n/);
    const [name = ''] = fixture.homes();
    const state = path.join(fixture.home.folder, 'cache', 'temporary', name, 'state', name);
    const { pid } = JSON.parse(readFileSync(path.join(state, 'daemon.json'), 'utf8')) as { pid: number };
    return { name, daemon: pid, child, ended };
  };

  it('leaves no process and no file: its daemon ends them', async () => {
    const { child, ended } = await running();
    child.kill('SIGKILL');
    await ended;
    await fixture.nothingLeft();
  });

  it('whose daemon was killed too is named by doctor and removed by prune, even without a daemon', async () => {
    const { name, daemon, child, ended } = await running();
    process.kill(daemon, 'SIGKILL');
    await expect.poll(() => alive(daemon)).toBe(false);
    child.kill('SIGKILL');
    const { checks } = JSON.parse((await fixture.home.cli(['doctor', '--json'])).stdout);
    expect(checks).toContainEqual({
      ...{ name: 'instances', level: 'warning', fix: 'actorctl prune' },
      text: `the temporary instance ${name} is left over from a command that was killed`,
    });
    expect(await fixture.home.json('prune', '--dry-run')).toMatchObject({ temporary_instances: [name] });
    const { code, stdout } = await fixture.home.cli(['prune', '--yes']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 temporary instance')]);
    await ended;
    await fixture.nothingLeft();
  });
});

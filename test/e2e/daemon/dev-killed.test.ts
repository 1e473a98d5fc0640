// A killed `dev`: its daemon ends with it, and what a second kill leaves is named, and ended by hand or by the next `dev`.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { createHome, type Home, inProcessHome } from '../../support/daemon/home.ts';
import { startProcess } from '../../support/daemon/run-program.ts';
import { alive, processesWith } from '../../support/engine/process-harness.ts';

let home: Home;
let project: string;

beforeEach(() => {
  home = inProcessHome(NO_ENGINE);
  project = path.join(home.folder, 'project');
  mkdirSync(path.join(project, 'slow'), { recursive: true });
  writeFileSync(path.join(project, 'slow', 'main.sh'), 'echo begun; sleep 600\n');
  writeFileSync(path.join(project, 'slow', 'actor.json'), JSON.stringify({ command: ['sh', 'main.sh'] }));
  writeFileSync(path.join(project, 'actorctl.yaml'), 'project: one\nactors:\n  slow: { image: ./slow }\n');
});

afterEach(() => home.remove());

const dev = () => startProcess(['dev', '-f', project], { env: home.env });
const inFolder = (name: 'state' | 'data'): readonly string[] => {
  const folder = path.join(home.folder, name);
  return existsSync(folder) ? readdirSync(folder).filter((each) => each.startsWith('dev-')) : [];
};

interface Killable {
  readonly instance: string;
  /** The process of the daemon. */
  readonly daemon: number;
  readonly killDev: () => Promise<unknown>;
}

/** Starts `dev` and an execution that runs for ten minutes. */
const devWithExecution = async (): Promise<Killable> => {
  const { child, out, err, ended } = dev();
  await expect.poll(() => out() + err()).toMatch(/project one runs/);
  const [instance = ''] = inFolder('state');
  const { pid } = JSON.parse(readFileSync(path.join(home.folder, 'state', instance, 'daemon.json'), 'utf8'));
  await home.json('send', 'slow', '-m', 'hi', '--instance', instance);
  await expect.poll(() => out()).toMatch(/slow \| begun/);
  return {
    instance,
    daemon: pid,
    killDev: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
};

const ended = (pid: number) => expect.poll(() => alive(pid)).toBe(false);
const problems = async (): Promise<readonly string[]> =>
  JSON.parse((await home.cli(['status', '--json'])).stdout).problems;

describe('a killed dev', () => {
  it('takes its daemon, its execution and its data with it, and the next dev removes the rest', async () => {
    const { instance, daemon, killDev } = await devWithExecution();
    expect(await problems()).toEqual([]);
    await killDev();
    await ended(daemon);
    expect(inFolder('data')).toEqual([]);
    await expect.poll(() => processesWith(instance, 'environ')).toEqual([]);
    expect(await problems()).toEqual([]);
    const next = dev();
    await expect.poll(() => next.err()).toMatch(/project one runs/);
    expect(next.err()).toContain(`removed the temporary instance ${instance} of a command that was killed`);
    next.interrupt();
    await next.ended;
    expect([inFolder('state'), inFolder('data')]).toEqual([[], []]);
    expect(await home.json('auth', 'list', '--instance', instance)).toEqual([]);
  });

  it('whose daemon was killed first is named by status and doctor, with a line that ends it', async () => {
    const { instance, daemon, killDev } = await devWithExecution();
    process.kill(daemon, 'SIGKILL');
    await ended(daemon);
    await killDev();
    const line = `actorctl down -c local --instance ${instance} --halt-executions`;
    const text = `the temporary instance ${instance} is left over from a command that was killed`;
    expect(await problems()).toEqual([`${text}. To end it: ${line}`]);
    const { checks } = JSON.parse((await home.cli(['doctor', '--json'])).stdout);
    expect(checks).toContainEqual({ name: 'instances', level: 'warning', text, fix: line });
    expect(processesWith(instance, 'environ')).not.toEqual([]);
    const { code, stdout } = await home.cli(line.split(' ').slice(1));
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Removed the temporary instance ${instance}\n`)]);
    expect([inFolder('state'), inFolder('data'), processesWith(instance, 'environ')]).toEqual([[], [], []]);
    expect(await problems()).toEqual([]);
  });

  it('whose daemon was killed too is ended by the next dev, while another dev runs on, even with a restarted daemon', async () => {
    const [first, second] = [await devWithExecution(), dev()];
    await expect.poll(() => second.err()).toMatch(/project one runs/);
    process.kill(first.daemon, 'SIGKILL');
    await ended(first.daemon);
    await first.killDev();
    const third = dev();
    await expect.poll(() => third.err()).toMatch(/project one runs/);
    expect(inFolder('state')).toHaveLength(2);
    expect(inFolder('state')).not.toContain(first.instance);
    expect(processesWith(first.instance, 'environ')).toEqual([]);
    third.interrupt();
    expect((await third.ended).code).toBe(0);
    const [restarted = ''] = inFolder('state');
    const { pid } = await home.json<{ pid: number }>('daemon', 'restart', '--instance', restarted);
    second.child.kill('SIGKILL');
    await ended(pid);
    expect(inFolder('data')).toEqual([]);
  });
});

describe('a daemon that was kept on purpose', () => {
  it('outlives its starter: an ephemeral one, and a temporary one that `up` took over', async () => {
    const built = createHome(NO_ENGINE);
    try {
      // The command that starts the daemon has ended when `json` returns.
      const { pid } = await built.json<{ pid: number }>('up', '--port', 'auto', '--ephemeral');
      const { daemon, instance, killDev } = await devWithExecution();
      await home.json('down', '--instance', instance, '--halt-executions');
      await ended(daemon);
      const kept = await home.json<{ pid: number }>('up', '--instance', instance, '--port', 'auto');
      await killDev();
      expect(await problems()).toEqual([]);
      expect(await home.json('status', '--instance', instance)).toMatchObject({ daemon: { pid: kept.pid } });
      expect(await built.json('status')).toMatchObject({ daemon: { pid } });
      await home.json('down', '--instance', instance);
    } finally {
      await built.remove();
    }
  });
});

// Fault tests of the process runner: the daemon or the runner is killed, or the runs folder is deleted.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Behaviour, collect, runSpec } from '../ports/executor.suite.ts';
import type { Orders } from '../support/daemon/process-daemon.ts';
import {
  alive,
  bundle,
  eventually,
  makeProcessHarness,
  type ProcessHarness,
  processesWith,
} from '../support/engine/process-harness.ts';

const never = new AbortController().signal;
/** Prints 100 lines, and ends when the file `$GATE` exists: a run that no slow test can find ended. */
const HELD =
  'i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo "line $i"; sleep 0.01; done; until [ -e "$GATE" ]; do sleep 0.05; done';
const numbered = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');
const killed = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });

describe('the runner of file: actors', () => {
  let harness: ProcessHarness;
  beforeEach(async () => {
    harness = await makeProcessHarness();
  });
  afterEach(async () => {
    await harness.cleanup();
  });

  const imageOf = async (behaviour: Behaviour | typeof HELD): Promise<string> =>
    behaviour === HELD
      ? harness.folder(JSON.stringify({ command: ['sh', 'main.sh'] }), { 'main.sh': HELD })
      : harness.image(behaviour);
  /** Without this file, runs of `HELD` do not end. */
  const gate = () => join(harness.home, 'gate');
  const start = async (behaviour: Behaviour | typeof HELD) => {
    const spec = runSpec(await imageOf(behaviour), { environment: { GATE: gate() } });
    const ref = await harness.executor.create(spec, never);
    const out = collect();
    const running = await harness.executor.start(ref, out.sink);
    return { spec, ref, out, running };
  };
  const ofRun = (executionId: string): number[] =>
    processesWith(`_svc_execution_id=${executionId}`, 'environ').filter(alive);
  const killRunner = (): void => {
    for (const pid of harness.runners()) process.kill(pid, 'SIGKILL');
  };

  /** Starts the program that replaces the daemon, and waits for a line that matches. */
  const daemon = async (behaviour: Behaviour | typeof HELD, begin: boolean, line: RegExp) => {
    const { runsFolder, runnerPath, socketPath } = harness.options;
    const spec = runSpec(await imageOf(behaviour), { environment: { GATE: gate() } });
    const orders: Orders = { runsFolder, runnerPath, socketPath, spec, start: begin };
    const program = await bundle('test/support/daemon/process-daemon.ts', join(harness.home, 'daemon.cjs'));
    const child = spawn(process.execPath, [program, JSON.stringify(orders)], { stdio: ['ignore', 'pipe', 'inherit'] });
    let ref = '';
    for await (const text of createInterface({ input: child.stdout })) {
      ref = /^ref (.*)/.exec(text)?.[1] ?? ref;
      if (line.test(text)) break;
    }
    return { child, ref, spec };
  };

  it('keeps a run alive through kill -9 of the daemon, with every line once and the exit code', async () => {
    const { child, ref } = await daemon(HELD, true, /^seen \d\d+/);
    await killed(child);
    expect((await harness.executor.list()).map((found) => [found.ref, found.state])).toEqual([[ref, 'running']]);
    const out = collect();
    const running = await harness.executor.reattach(ref, out.sink);
    writeFileSync(gate(), '');
    const ended = await running.ended;
    expect(out.stdout()).toBe(numbered(100));
    expect(ended.exitCode).toBe(0);
  });

  it('keeps a created run through kill -9 of the daemon, and the next daemon starts it once', async () => {
    const { child, ref } = await daemon('hello', false, /^ref/);
    await killed(child);
    expect((await harness.executor.list())[0]).toMatchObject({ ref, state: 'created' });
    const out = collect();
    await (await harness.executor.start(ref, out.sink)).ended;
    await (await harness.executor.start(ref, () => undefined)).ended;
    expect(out.stdout()).toBe('hello\n');
  });

  it('exits after kill -9 of the daemon and the end of the last run, and the next daemon gets the result', async () => {
    const { child, ref } = await daemon(HELD, true, /^seen/);
    await killed(child);
    expect(harness.runners().length).toBe(1);
    writeFileSync(gate(), '');
    await eventually(() => harness.runners().length === 0);
    expect(existsSync(harness.options.socketPath)).toBe(false);
    const out = collect();
    expect((await (await harness.executor.reattach(ref, out.sink)).ended).exitCode).toBe(0);
    expect(out.stdout()).toBe(numbered(100));
  });

  it('killed with -9 loses its runs, and none of their processes remains', async () => {
    const { spec, running, out, ref } = await start('children');
    await out.until('grandchild');
    expect(ofRun(spec.executionId).length).toBeGreaterThan(1);
    killRunner();
    await expect(running.ended).rejects.toMatchObject({ kind: 'lost' });
    expect(ofRun(spec.executionId)).toEqual([]);
    expect(await harness.executor.list()).toEqual([]);
    await expect(harness.executor.reattach(ref, () => undefined)).rejects.toMatchObject({ kind: 'lost' });
    expect(existsSync(join(harness.options.runsFolder, ref))).toBe(false);
  });

  it('killed with -9 keeps ended runs with their whole output for the next runner', async () => {
    const { ref, running } = await start('exit-3');
    const ended = await running.ended;
    await eventually(() => existsSync(join(harness.options.runsFolder, ref, 'ended.json')));
    killRunner();
    const next = await harness.restart();
    expect((await next.list()).map((found) => [found.ref, found.state])).toEqual([[ref, 'ended']]);
    const out = collect();
    expect(await (await next.reattach(ref, out.sink)).ended).toEqual(ended);
    expect(out.stdout()).toBe('leaving\n');
    await next.remove(ref);
    expect(await next.list()).toEqual([]);
  });

  it('killed with -9 loses created runs, which never start', async () => {
    const ref = await harness.executor.create(runSpec(await harness.image('hello')), never);
    killRunner();
    const next = await harness.restart();
    await expect(next.start(ref, () => undefined)).rejects.toMatchObject({ kind: 'lost' });
    expect(await next.list()).toEqual([]);
  });

  it('ended with SIGTERM ends its runs', async () => {
    const { spec, out, running } = await start('children');
    await out.until('grandchild');
    for (const pid of harness.runners()) process.kill(pid, 'SIGTERM');
    await eventually(() => ofRun(spec.executionId).length === 0);
    // The runner may be gone before it has reported the end.
    const how = await running.ended.then(
      ({ exitCode, interrupted }) => ({ exitCode, interrupted }),
      (error) => error.kind,
    );
    expect([
      { exitCode: 137, interrupted: expect.stringContaining('runner of processes was stopped') },
      'lost',
    ]).toContainEqual(how);
  });

  it('exits when its folder is deleted, and ends its runs', async () => {
    const { spec, out } = await start('children');
    await out.until('grandchild');
    const next = await harness.restart();
    await harness.executor.close({ removeAll: false });
    rmSync(harness.options.runsFolder, { recursive: true });
    await eventually(() => harness.runners().length === 0 && ofRun(spec.executionId).length === 0);
    await next.close({ removeAll: false });
  });

  it('exits with a daemon that removes all runs, after the last running one has ended', async () => {
    const { running, ref } = await start(HELD);
    await harness.executor.create(runSpec(await harness.image('hello')), never);
    const next = await harness.restart();
    const same = await next.reattach(ref, () => undefined);
    await harness.executor.close({ removeAll: true });
    running.ended.catch(() => undefined);
    writeFileSync(gate(), '');
    expect((await same.ended).exitCode).toBe(0);
    await next.close({ removeAll: true });
    await eventually(() => harness.runners().length === 0);
    const last = await harness.restart();
    expect((await last.list()).map((found) => [found.ref, found.state])).toEqual([[ref, 'ended']]);
  });

  it('starts once, however many runs are created at the same time', async () => {
    const image = await harness.image('hello');
    const refs = await Promise.all(Array.from({ length: 8 }, () => harness.executor.create(runSpec(image), never)));
    expect(new Set(refs).size).toBe(8);
    expect(harness.runners().length).toBe(1);
  });

  it('allows a run to be created again after a killed daemon, and deletes incomplete folders', async () => {
    const image = await harness.image('hello');
    const spec = runSpec(image);
    const created = await harness.executor.create(spec, never);
    const unknown = join(harness.options.runsFolder, `process-${spec.executionId}.0123456789ab`);
    mkdirSync(join(unknown, 'work'), { recursive: true });
    const next = await harness.restart();
    const again = await next.create(spec, never);
    expect(again).not.toBe(created);
    expect((await next.list()).map(({ ref }) => ref).sort()).toEqual([created, again].sort());
    expect(existsSync(unknown)).toBe(false);
    await next.remove(created);
    const out = collect();
    await (await next.start(again, out.sink)).ended;
    expect(out.stdout()).toBe('hello\n');
  });

  it('does not start for calls about runs that do not exist', async () => {
    expect(await harness.executor.list()).toEqual([]);
    await harness.executor.remove('process-unknown');
    await harness.executor.stop('process-unknown', 0);
    expect(harness.runners()).toEqual([]);
  });

  it('R143 removes the socket of a killed runner, and no other file in its place', async () => {
    await start('hello');
    killRunner();
    expect(existsSync(harness.options.socketPath)).toBe(true);
    const next = await harness.restart();
    await next.create(runSpec(await harness.image('hello')), never);
    await next.close({ removeAll: false });

    const taken = join(harness.home, 'taken');
    writeFileSync(taken, 'mine');
    const runsFolder = join(harness.home, 'other-runs');
    mkdirSync(runsFolder);
    const other = await makeProcessHarness({ socketPath: taken, runsFolder });
    await expect(other.executor.create(runSpec(await other.image('hello')), never)).rejects.toMatchObject({
      kind: 'unavailable',
    });
    expect(existsSync(taken)).toBe(true);
    rmSync(taken);
    await other.cleanup();
  });

  it('that cannot start is reported as unavailable, with the path of its log', async () => {
    const broken = await makeProcessHarness({ runnerPath: '/no/such/runner.cjs' });
    await expect(broken.executor.create(runSpec(await broken.image('hello')), never)).rejects.toThrow(
      /see .*runner\.log/,
    );
    await broken.cleanup();
  });
});

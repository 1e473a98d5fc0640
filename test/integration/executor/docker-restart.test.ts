// Restarts of the container engine during runs, and an engine that is missing from the start.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Executor } from '../../../daemon/ports/executor.ts';
import { collect, runSpec } from '../../ports/executor.suite.ts';
import { testDockerExecutor, testImages } from '../../support/engine/docker.ts';
import { type OwnDockerd, ownDockerd, ownDockerdRequirement } from '../../support/engine/own-dockerd.ts';
import { processesWith } from '../../support/engine/process-harness.ts';
import { type Outage, sharedOutage } from '../../support/engine/shared-outage.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const never = new AbortController().signal;

/** Resolves when the executor reports the wanted availability. Call it before the change can happen. */
const availability = (executor: Executor, wanted: boolean): Promise<void> =>
  new Promise((resolve) => {
    const forget = executor.onAvailability((available) => {
      if (available !== wanted) return;
      forget();
      resolve();
    });
  });

const WENT_DOWN = /the container engine (went down|stopped the container, because it went down)/;
const AT_ONCE = { concurrent: true };
/** Seconds that a run sleeps. No other process of the machine has this number in its command line. */
const LASTING = '1000.7301';
const LOOP = 'i=0; while :; do i=$((i+1)); echo "line $i"; sleep 0.05; done';
/** Ends with exit code 0 when its engine stops. */
const POLITE = `trap 'exit 0' TERM; ${LOOP}`;

const endProcess = async (seconds: string): Promise<void> => {
  const sleeping = processesWith(`sleep\0${seconds}`, 'cmdline');
  expect(sleeping).toHaveLength(1);
  for (const pid of sleeping) process.kill(pid);
  await expect.poll(() => processesWith(seconds, 'cmdline')).toEqual([]);
};

describe('without an engine', () => {
  it('every operation that needs one fails with a list of the places that were tried', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-none-'));
    const { executor } = testDockerExecutor({ dockerHost: `unix://${folder}/none`, env: {} });
    const none = { kind: 'unavailable', message: expect.stringContaining(`unix://${folder}/none`) };
    expect(await executor.probe(never)).toMatchObject({ available: false, reason: expect.stringContaining('/none') });
    await expect(executor.prepare('a/b:c', () => undefined, never)).rejects.toMatchObject(none);
    await expect(executor.create(runSpec('a/b:c'), never)).rejects.toMatchObject(none);
    await expect(executor.start('x', () => undefined)).rejects.toMatchObject(none);
    await expect(executor.reattach('x', () => undefined)).rejects.toMatchObject(none);
    await expect(executor.list()).rejects.toMatchObject(none);
    await expect(executor.stop('x', 0)).rejects.toMatchObject(none);
    await expect(executor.remove('x')).rejects.toMatchObject(none);
    await expect(executor.closeWorker('x')).rejects.toMatchObject(none);
    expect(await executor.gateway()).toBeUndefined();
    await executor.close({ removeAll: true });
    rmSync(folder, { recursive: true });
  });
});

describeIf(ownDockerdRequirement(), 'a restart of the engine', () => {
  let engine: OwnDockerd;
  let looping: string;
  let polite: string;
  let short: string;
  let lasting: string;

  beforeAll(async () => {
    engine = await ownDockerd();
    await engine.start();
    const images = testImages(new Docker({ socketPath: engine.socketPath }));
    looping = await images.script(LOOP);
    polite = await images.script(POLITE);
    short = await images.script('echo short');
    lasting = await images.script(`echo lasting; sleep ${LASTING}; exit 0`);
  });
  afterAll(async () => {
    await engine?.remove();
  });

  const connect = (over: Partial<Parameters<typeof testDockerExecutor>[0]> = {}) =>
    testDockerExecutor({ dockerHost: engine.host, env: {}, ...over });
  const startLoop = async (executor: Executor, workerId: string, image = looping) => {
    const ref = await executor.create(runSpec(image, { workerId }), never);
    const out = collect();
    const running = await executor.start(ref, out.sink);
    await out.until('line 5\n');
    return { ref, out, running };
  };
  const expectWhole = (text: string) => {
    const lines = text.split('\n').slice(0, -1);
    expect(lines).toEqual(lines.map((_, i) => `line ${i + 1}`));
  };

  /** The runs that the restart interrupts, and the next one of a worker. */
  const interrupted = async ({ begin, end }: Outage): Promise<void> => {
    const { executor, tidy } = connect();
    const { ref, out, running } = await startLoop(executor, 'w1');
    const graceful = await startLoop(executor, 'w6', polite);
    const next = await executor.create(runSpec(short, { workerId: 'w1' }), never);
    const [gone, back] = [availability(executor, false), availability(executor, true)];
    await begin();
    await gone;
    await expect(executor.list()).rejects.toMatchObject({ kind: 'unavailable' });
    await end();
    await back;
    const ended = await running.ended;
    expect([137, 143, 255]).toContain(ended.exitCode);
    expect(ended.interrupted).toMatch(WENT_DOWN);
    expectWhole(out.stdout());
    await executor.remove(ref);
    expect(await graceful.running.ended).toMatchObject({ exitCode: 0, interrupted: expect.stringMatching(WENT_DOWN) });
    expectWhole(graceful.out.stdout());
    const after = collect();
    expect((await (await executor.start(next, after.sink)).ended).exitCode).toBe(0);
    expect(after.stdout()).toBe('short\n');
    await tidy();
  };

  describe('by SIGTERM', () => {
    const outage = sharedOutage(() => engine, 'SIGTERM');

    it('interrupts the run, keeps its whole log, and the next run works', AT_ONCE, (test) => interrupted(outage(test)));

    it('while the daemon is down interrupts the run', AT_ONCE, async (test) => {
      const { begin, end } = outage(test);
      const { executor, instanceId } = connect();
      const runs = [await startLoop(executor, 'w2'), await startLoop(executor, 'w7', polite)];
      for (const { running } of runs) running.ended.catch(() => undefined);
      await executor.close({ removeAll: false });
      await begin();
      await end();
      const second = connect({ instanceId });
      for (const { ref } of runs) {
        const out = collect();
        const ended = await (await second.executor.reattach(ref, out.sink)).ended;
        expect(ended.interrupted).toContain('the container engine went down while the container ran');
        expectWhole(out.stdout());
      }
      await second.tidy();
    });

    it('leaves the exit code of a run that had ended while no daemon followed it', AT_ONCE, async (test) => {
      const { begin, end } = outage(test);
      const { executor, instanceId } = connect();
      const ref = await executor.create(runSpec(short, { workerId: 'w8' }), never);
      (await executor.start(ref, () => undefined)).ended.catch(() => undefined);
      await executor.close({ removeAll: false });
      await new Docker({ socketPath: engine.socketPath }).getContainer(ref).wait();
      await begin();
      await end();
      const second = connect({ instanceId, engineStopMs: 0 });
      const out = collect();
      const ended = await (await second.executor.reattach(ref, out.sink)).ended;
      expect(ended).toMatchObject({ exitCode: 0 });
      expect(ended).not.toHaveProperty('interrupted');
      expect(out.stdout()).toBe('short\n');
      await second.tidy();
    });

    it('is noticed by an executor that started earlier, which can then run containers', AT_ONCE, async (test) => {
      const { begin, end } = outage(test);
      await begin();
      const { executor, tidy } = connect();
      expect(await executor.probe(never)).toMatchObject({ available: false });
      const back = availability(executor, true);
      await end();
      await back;
      const ref = await executor.create(runSpec(short, { workerId: 'w5' }), never);
      expect((await (await executor.start(ref, () => undefined)).ended).exitCode).toBe(0);
      await tidy();
    });
  });

  describe('by SIGKILL', () => {
    const outage = sharedOutage(() => engine, 'SIGKILL');

    it('interrupts the run, keeps its whole log, and the next run works', AT_ONCE, (test) => interrupted(outage(test)));

    it('with the loss of all containers of the instance makes the run lost', AT_ONCE, async (test) => {
      const { begin, end } = outage(test);
      const { executor, instanceId, tidy } = connect();
      const { ref, running } = await startLoop(executor, 'w3');
      const back = availability(executor, true);
      await begin();
      await engine.forgetContainers(instanceId);
      await end();
      await back;
      await expect(running.ended).rejects.toMatchObject({ kind: 'lost' });
      await expect(executor.reattach(ref, () => undefined)).rejects.toMatchObject({ kind: 'lost' });
      await tidy();
    });

    it('reports exit code and log of a run that ended during it', AT_ONCE, async (test) => {
      const { begin, end } = outage(test);
      const { executor, tidy } = connect({ engineStopMs: 0 });
      const ref = await executor.create(runSpec(lasting, { workerId: 'w4' }), never);
      const out = collect();
      const running = await executor.start(ref, out.sink);
      const back = availability(executor, true);
      // Output that the engine has not read from a container is lost when the engine is killed.
      await out.until('lasting\n');
      await begin();
      await endProcess(LASTING);
      await end();
      await back;
      const ended = await running.ended;
      expect(ended).toMatchObject({ exitCode: 0 });
      expect(ended).not.toHaveProperty('interrupted');
      expect(out.stdout()).toBe('lasting\n');
      await tidy();
    });
  });
});

describeIf(ownDockerdRequirement(), 'an engine with live-restore', () => {
  it('an engine that restarts ends no run, and hides no exit code of a run that ended meanwhile', async () => {
    const [MEANWHILE, LATER] = ['1000.7303', '1000.7304'];
    const engine = await ownDockerd(['--live-restore']);
    try {
      await engine.start();
      const images = testImages(new Docker({ socketPath: engine.socketPath }));
      const { executor, tidy } = testDockerExecutor({ dockerHost: engine.host, env: {} });
      const begin = async (script: string) => {
        const ref = await executor.create(runSpec(await images.script(script)), never);
        const out = collect();
        const running = await executor.start(ref, out.sink);
        await out.until('begun\n');
        return running;
      };
      const meanwhile = await begin(`echo begun; sleep ${MEANWHILE}; exit 0`);
      const later = await begin(`echo begun; sleep ${LATER}; exit 3`);
      await engine.stop('SIGTERM');
      await endProcess(MEANWHILE);
      await engine.start();
      const first = await meanwhile.ended;
      await endProcess(LATER);
      const second = await later.ended;
      expect([first.exitCode, second.exitCode]).toEqual([0, 3]);
      for (const ended of [first, second]) expect(ended).not.toHaveProperty('interrupted');
      await tidy();
    } finally {
      await engine.remove();
    }
  });
});

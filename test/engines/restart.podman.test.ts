// Podman's service is stopped or killed, and started again: its containers and their runs continue.
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collect, runSpec } from '../ports/executor.suite.ts';
import { dockerRequirement, testDockerExecutor, testImages } from '../support/engine/docker.ts';
import { type OwnPodman, ownPodman } from '../support/engine/own-podman.ts';
import { processesWith } from '../support/engine/process-harness.ts';
import { describeIf } from '../support/runner/requirements.ts';

const never = new AbortController().signal;
/** Podman responds to a request for a log with the first output of the run. */
const SILENT = 'sleep 1000';
/**
 * Seconds that a run continues without an engine. No other process of the machine has this number in its command line.
 */
const LASTING = '0.7302';

describeIf(await dockerRequirement(), 'a service of Podman that goes away', () => {
  let engine: OwnPodman;
  let counting: string;
  let lasting: string;
  let silent: string;

  beforeAll(async () => {
    engine = ownPodman();
    await engine.start();
    const images = testImages(new Docker({ socketPath: engine.host.slice('unix://'.length), host: '' }));
    counting = await images.script('i=0; while [ $i -lt 60 ]; do i=$((i+1)); echo "line $i"; sleep 0.05; done');
    silent = await images.script(`exec ${SILENT}`);
    lasting = await images.script(`echo lasting; sleep ${LASTING}; exit 3`);
  });
  afterAll(() => engine?.remove());

  const signals = ['SIGTERM', 'SIGKILL'] as const;

  it.each(signals)(
    'a restart of Podman by %s does not end a run, and its output arrives complete and once',
    async (signal) => {
      const { executor, tidy } = testDockerExecutor({ dockerHost: engine.host, env: {} });
      const ref = await executor.create(runSpec(counting), never);
      const out = collect();
      const running = await executor.start(ref, out.sink);
      await out.until('line 5\n');
      await engine.stop(signal);
      await engine.start();
      const ended = await running.ended;
      expect(ended).toMatchObject({ exitCode: 0 });
      expect(ended).not.toHaveProperty('interrupted');
      expect(out.stdout()).toBe(Array.from({ length: 60 }, (_, i) => `line ${i + 1}\n`).join(''));
      await tidy();
    },
    120_000,
  );

  it.each(signals)(
    'a restart of Podman by %s hides neither exit code nor output of a run that ended meanwhile',
    async (signal) => {
      const { executor, tidy } = testDockerExecutor({ dockerHost: engine.host, env: {} });
      const ref = await executor.create(runSpec(lasting), never);
      const out = collect();
      const running = await executor.start(ref, out.sink);
      await out.until('lasting\n');
      await engine.stop(signal);
      await expect.poll(() => processesWith(`sleep ${LASTING}`.replace(' ', '\0'), 'cmdline')).toEqual([]);
      await engine.start();
      const ended = await running.ended;
      expect(ended).toMatchObject({ exitCode: 3 });
      expect(ended).not.toHaveProperty('interrupted');
      expect(out.stdout()).toBe('lasting\n');
      await tidy();
    },
    120_000,
  );

  it('another daemon follows and stops a run that has written nothing', async () => {
    const first = testDockerExecutor({ dockerHost: engine.host, env: {} });
    const ref = await first.executor.create(runSpec(silent), never);
    await first.executor.start(ref, collect().sink);
    await first.executor.close({ removeAll: false });
    const { executor, tidy } = testDockerExecutor({ dockerHost: engine.host, env: {}, instanceId: first.instanceId });
    const running = await executor.reattach(ref, collect().sink);
    await executor.stop(ref, 0);
    expect(await running.ended).toMatchObject({ exitCode: 137 });
    await tidy();
  });
});

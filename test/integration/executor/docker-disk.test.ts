// The limit of the files that a container writes, on a real engine.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Executor } from '../../../daemon/ports/executor.ts';
import { collect, runSpec } from '../../ports/executor.suite.ts';
import { dockerRequirement, type TestImages, testDockerExecutor, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const never = new AbortController().signal;
const MEBIBYTE = 1024 * 1024;
const limits = { memoryBytes: 256 * MEBIBYTE, pids: 50, diskBytes: 16 * MEBIBYTE };
const write = (mebibytes: number): string => `dd if=/dev/zero of=/big bs=${MEBIBYTE} count=${mebibytes} 2>/dev/null`;

describeIf(await dockerRequirement(), 'R149 the files that a container writes', () => {
  let images: TestImages;
  /** An executor that measures often, and one that measures only on request. */
  let quick: ReturnType<typeof testDockerExecutor>;
  let slow: ReturnType<typeof testDockerExecutor>;
  beforeAll(() => {
    images = testImages();
    quick = testDockerExecutor({ diskLookMs: 20 });
    slow = testDockerExecutor({ instanceId: quick.instanceId, diskLookMs: 1_000_000 });
  });
  afterAll(async () => {
    await slow.executor.close({ removeAll: false });
    await quick.tidy();
    await images.remove();
  });

  const start = async (executor: Executor, script: string, allowed = limits) => {
    const ref = await executor.create(runSpec(await images.script(script), { limits: allowed }), never);
    const out = collect();
    return { ref, out, running: await executor.start(ref, out.sink) };
  };

  it('written files end the run when they exceed the disk limit', async () => {
    const { running } = await start(quick.executor, `${write(20)}; exec sleep 1000`);
    expect(await running.ended).toMatchObject({ exitCode: 137, outOfMemory: false, outOfDisk: true });
  });

  it('written files do not end a run that stays within the limit or deletes them', async () => {
    const again = Array(4)
      .fill(`${write(8)}; rm /big`)
      .join('; ');
    const { running, out } = await start(quick.executor, `${again}; ${write(8)}; echo whole`);
    expect(await running.ended).toMatchObject({ exitCode: 0 });
    expect(await running.ended).not.toHaveProperty('outOfDisk');
    expect(out.stdout()).toBe('whole\n');
  });

  it('written files are the reason for a failure before the next measurement', async () => {
    const over = await start(slow.executor, `${write(20)}; exit 3`);
    expect(await over.running.ended).toMatchObject({ exitCode: 3, outOfDisk: true });
    const within = await start(slow.executor, `${write(8)}; exit 3`);
    expect(await within.running.ended).not.toHaveProperty('outOfDisk');
  });

  it('written files are measured by the next daemon with the original limit of the run', async () => {
    const { ref, out } = await start(slow.executor, `${write(20)}; echo written; exec sleep 1000`);
    await out.until('written');
    const running = await quick.executor.reattach(ref, collect().sink);
    expect(await running.ended).toMatchObject({ exitCode: 137, outOfDisk: true });
  });

  it('written files are not the reason for the end of a stopped run', async () => {
    const { ref, out, running } = await start(slow.executor, `${write(20)}; echo written; exec sleep 1000`);
    await out.until('written');
    await slow.executor.stop(ref, 0);
    expect(await running.ended).not.toHaveProperty('outOfDisk');
  });
});

// One Swarm executor for the tests of a file, with its images and a way to run a script to its end.
import { afterAll } from 'vitest';
import type { RunSpec } from '../../../daemon/ports/executor.ts';
import { collect, runSpec } from '../../ports/executor.suite.ts';
import { testImages } from '../engine/docker.ts';
import { engineOf, testSwarmExecutor } from './swarm.ts';

/** Limits with which every run of these tests starts. */
export const LIMITS = { memoryBytes: 64 * 1024 * 1024, pids: 20 };
/** A placement on the worker. */
export const ON_NODE_2 = { placement: ['node.hostname==node2'] };

/** Call it inside of `describe`. Everything is removed after the tests of the block. */
export const swarmRuns = (over: Parameters<typeof testSwarmExecutor>[0] = {}) => {
  const manager = engineOf(1);
  const images = testImages(manager);
  const { executor, instanceId, tidy } = testSwarmExecutor(over);
  afterAll(async () => {
    await tidy();
    await images.remove();
  });

  const create = async (script: string, over: Partial<RunSpec> = {}): Promise<string> =>
    executor.create(runSpec(await images.script(script), over), new AbortController().signal);

  /** Starts a script. Resolves once it runs. */
  const start = async (script: string, over: Partial<RunSpec> = {}) => {
    const ref = await create(script, over);
    const out = collect();
    return { ref, out, running: await executor.start(ref, out.sink) };
  };

  /** Runs a script to its end. */
  const run = async (script: string, over: Partial<RunSpec> = {}) => {
    const started = await start(script, over);
    return { ...started, ended: await started.running.ended };
  };
  return { manager, images, executor, instanceId, create, start, run };
};

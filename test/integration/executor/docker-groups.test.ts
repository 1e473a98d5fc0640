// The control group of each run on a real engine, where the daemon may make them.
import { accessSync, constants, existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { collect, runSpec } from '../../ports/executor.suite.ts';
import { dockerRequirement, RUN_SCRIPT, testDockerExecutor, testImages } from '../../support/engine/docker.ts';
import { describeIf, type Requirement, requirement } from '../../support/runner/requirements.ts';

const TREE = '/sys/fs/cgroup/cpuacct';
const never = new AbortController().signal;
const BUSY = 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done';

const ownGroups = async (): Promise<Requirement> => {
  const docker = await dockerRequirement();
  if (!docker.available) return docker;
  const { CgroupDriver } = await new Docker().info();
  if (CgroupDriver !== 'cgroupfs') return requirement('linux', false, `the cgroup driver is ${CgroupDriver}`);
  try {
    accessSync(TREE, constants.W_OK);
    return docker;
  } catch {
    return requirement('linux', false, `${TREE} cannot be written`);
  }
};

describeIf(await ownGroups(), 'the control group of a run', () => {
  const docker = new Docker();
  const images = testImages();
  let image: string;
  let made: ReturnType<typeof testDockerExecutor>;

  beforeAll(async () => {
    image = await images.script(RUN_SCRIPT);
    made = testDockerExecutor();
  });
  afterEach(async () => {
    for (const { ref, kind } of await made.executor.list()) if (kind === 'run') await made.executor.remove(ref);
  });
  afterAll(async () => {
    await made.tidy();
    await images.remove();
  });

  const create = (script: string) => made.executor.create(runSpec(image, { environment: { SCRIPT: script } }), never);
  const cpuOf = async (ref: string) => (await (await made.executor.start(ref, collect().sink)).ended).cpuNs ?? 0;
  const groupOf = async (ref: string) => (await docker.getContainer(ref).inspect()).HostConfig.CgroupParent ?? '';
  const groups = () =>
    readdirSync(path.join(TREE, 'actorctl', made.instanceId), { withFileTypes: true }).filter((each) =>
      each.isDirectory(),
    );

  it('a run has its own control group, which measures the CPU time of the run alone', async () => {
    const [busy, idle] = [await create(BUSY), await create('true')];
    expect(await groupOf(busy)).not.toBe(await groupOf(idle));
    const used = await cpuOf(busy);
    const little = await cpuOf(idle);
    expect(little).toBeGreaterThan(0);
    expect(little).toBeLessThan(used / 2);
  });

  it('the next daemon reads the control group of a run, and removed runs leave no group', async () => {
    const running = await create('sleep 1; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done');
    await made.executor.start(running, collect().sink);
    const waiting = await create('true');
    const { instanceId } = made;
    await made.executor.close({ removeAll: false });
    mkdirSync(path.join(TREE, 'actorctl', instanceId, 'of-a-removed-run'));
    made = testDockerExecutor({ instanceId });
    await made.executor.list();
    expect(groups().map(({ name }) => name)).toEqual([running]);
    const ended = await (await made.executor.reattach(running, collect().sink)).ended;
    expect(ended.cpuNs).toBeGreaterThan(0);
    expect(await cpuOf(waiting)).toBeGreaterThan(0);
    for (const ref of [running, waiting]) await made.executor.remove(ref);
    expect(groups()).toEqual([]);
  });

  it('the control group is removed with all objects of the instance', async () => {
    const ref = await create('true');
    await cpuOf(ref);
    await made.executor.remove(ref);
    const folder = path.join(TREE, 'actorctl', made.instanceId);
    expect(existsSync(folder)).toBe(true);
    await made.executor.close({ removeAll: true });
    expect(existsSync(folder)).toBe(false);
    made = testDockerExecutor({ instanceId: made.instanceId });
  });
});

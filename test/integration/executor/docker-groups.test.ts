// The control groups of runs on a real engine, which are used again with version 1 where the daemon may make them.
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
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

  it('is that of a removed run, and its CPU time begins at zero', async () => {
    const first = await create(BUSY);
    const group = await groupOf(first);
    const used = await cpuOf(first);
    await made.executor.remove(first);
    const second = await create('true');
    expect(await groupOf(second)).toBe(group);
    const little = await cpuOf(second);
    expect(little).toBeGreaterThan(0);
    expect(little).toBeLessThan(used / 2);
  });

  it('counts the memory of each run anew', async () => {
    const peakOf = (group: string) =>
      Number(readFileSync(`/sys/fs/cgroup/memory${group}/memory.max_usage_in_bytes`, 'utf8'));
    const large = 40 * 1024 * 1024;
    const first = await create(`dd if=/dev/zero of=/dev/null bs=${large} count=1`);
    const group = await groupOf(first);
    await cpuOf(first);
    expect(peakOf(group)).toBeGreaterThan(large);
    await made.executor.remove(first);
    const second = await create('true');
    expect(await groupOf(second)).toBe(group);
    await cpuOf(second);
    expect(peakOf(group)).toBeLessThan(large);
  });

  it('is its own while another run exists', async () => {
    const refs = [await create('true'), await create('true')];
    await made.executor.remove(await create('true'));
    refs.push(await create('true'));
    expect(new Set(await Promise.all(refs.map(groupOf))).size).toBe(3);
  });

  it('stays that of a run that was created before a restart of the daemon, and no other is left', async () => {
    const running = await create('sleep 1; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done');
    await made.executor.start(running, collect().sink);
    const waiting = await create('true');
    await made.executor.remove(await create('true'));
    const group = await groupOf(running);
    const { instanceId } = made;
    await made.executor.close({ removeAll: false });
    made = testDockerExecutor({ instanceId });
    await made.executor.list();
    expect(groups().map(({ name }) => name)).toEqual([path.basename(group)]);
    const ended = await (await made.executor.reattach(running, collect().sink)).ended;
    expect(ended.cpuNs).toBeGreaterThan(0);
    expect(await cpuOf(waiting)).toBeGreaterThan(0);
    for (const ref of [running, waiting]) await made.executor.remove(ref);
    expect(groups()).toEqual([]);
  });

  it('is removed with all objects of the instance', async () => {
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

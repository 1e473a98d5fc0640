// Networks of an instance that a killed daemon created after the next daemon had searched for them.
import Docker from 'dockerode';
import { afterAll, expect, it } from 'vitest';
import { runSpec } from '../../ports/executor.suite.ts';
import { dockerRequirement, testDockerExecutor, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const never = new AbortController().signal;

describeIf(await dockerRequirement(), 'the network of an instance in Docker', () => {
  const docker = new Docker();
  const images = testImages();
  afterAll(() => images.remove());

  it('containers use one bridge network, and other networks with its label are removed', async ({ onTestFailed }) => {
    const first = testDockerExecutor();
    onTestFailed(() => first.tidy());
    const label = [`actorctl.instance=${first.instanceId}`];
    const networks = async () => (await docker.listNetworks({ filters: { label } })).map(({ Id }) => Id);
    const makeLate = (name: string) =>
      docker.createNetwork({ Name: `${first.instanceId}-${name}`, Labels: { 'actorctl.instance': first.instanceId } });
    const image = await images.script('true');
    await first.executor.create(runSpec(image), never);
    const used = await networks();
    await makeLate('first');
    const next = testDockerExecutor({ instanceId: first.instanceId });
    await next.executor.create(runSpec(image, { workerId: 'another' }), never);
    expect(await networks()).toEqual(used);
    await makeLate('second');
    await first.executor.close({ removeAll: false });
    for (const { ref } of await next.executor.list()) await next.executor.remove(ref);
    await next.executor.close({ removeAll: true });
    expect(await networks()).toEqual([]);
  });
});

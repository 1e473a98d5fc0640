// The images of a real swarm: pinned, pushed to registries with and without a login, and pulled by the nodes.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { collect, runSpec } from '../ports/executor.suite.ts';
import { describeIf } from '../support/runner/requirements.ts';
import { swarmLab, swarmRequirement, testSwarmExecutor } from '../support/swarm/swarm.ts';
import { ON_NODE_2, swarmRuns } from '../support/swarm/swarm-runs.ts';

const never = new AbortController().signal;

describeIf(swarmRequirement(), 'images of a swarm', () => {
  const { manager, images, executor, run } = swarmRuns();

  it('the swarm runs an image by its digest in the registry', async () => {
    const { ref } = await run('true');
    const { Spec } = await manager.getService(ref).inspect();
    expect(Spec.TaskTemplate.ContainerSpec.Image).toMatch(
      new RegExp(`^${swarmLab().registry}/actorctl-test/[0-9a-f]+@sha256:[0-9a-f]{64}$`),
    );
  });

  it('without a registry, an image that exists on the manager only is reported', async () => {
    const alone = testSwarmExecutor({ registry: undefined });
    // An image of its own, which no other test has pushed.
    const image = await images.script('echo kept on the manager');
    await expect(alone.executor.prepare(image, () => undefined, never)).rejects.toMatchObject({
      kind: 'image',
      message: expect.stringContaining('exists on the manager only'),
    });
    await alone.tidy();
  });

  it('the swarm waits for a registry that does not respond', async () => {
    const alone = testSwarmExecutor({ registry: '127.0.0.1:1' });
    const image = await images.script('echo never pushed');
    await expect(alone.executor.prepare(image, () => undefined, never)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('cannot push'),
    });
    await alone.tidy();
  });

  it('pushes to a registry that demands a login, from which every node pulls, with the credentials of docker login', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'actorctl-login-'));
    const locked = swarmLab().registry.replace(':5000', ':5001');
    const image = await images.script('echo pulled');
    const prepare = ({ executor: by }: typeof alone) => by.prepare(image, () => undefined, never);
    const alone = testSwarmExecutor({ registry: locked, home });
    await expect(prepare(alone)).rejects.toMatchObject({
      kind: 'image',
      message: expect.stringMatching(
        new RegExp(`Log in to the registry ${locked} with "docker login ${locked}" as the user of the daemon\\.$`),
      ),
    });
    await mkdir(path.join(home, '.docker'));
    const auth = Buffer.from('lab:lab-password').toString('base64');
    await writeFile(path.join(home, '.docker', 'config.json'), JSON.stringify({ auths: { [locked]: { auth } } }));
    await prepare(alone);
    const ref = await alone.executor.create(runSpec(image, ON_NODE_2), never);
    const out = collect();
    expect((await (await alone.executor.start(ref, out.sink)).ended).exitCode).toBe(0);
    expect(out.stdout()).toBe('pulled\n');
    expect(JSON.stringify(await manager.getService(ref).inspect())).not.toContain(auth);
    await alone.tidy();
    await rm(home, { recursive: true });
  });

  it('the error names the node that cannot pull an image', async () => {
    const image = await images.script('echo forgotten');
    await executor.prepare(image, () => undefined, never);
    const { registry } = swarmLab();
    // The registry forgets it, so that only the manager has it.
    const [repository = '', digest = ''] = (await manager.getImage(image).inspect()).RepoDigests[0]?.split('@') ?? [];
    const name = repository.slice(registry.length + 1);
    const forgotten = await fetch(`http://${registry}/v2/${name}/manifests/${digest}`, { method: 'DELETE' });
    expect(forgotten.status).toBe(202);
    const ref = await executor.create(runSpec(image, { placement: ['node.hostname==node2'] }), never);
    await expect(executor.start(ref, () => undefined)).rejects.toMatchObject({
      kind: 'start',
      message: expect.stringMatching(/^the node "node2" cannot pull the image .*registry/),
    });
    const here = await executor.create(runSpec(image, { placement: ['node.hostname==node1'] }), never);
    expect((await (await executor.start(here, () => undefined)).ended).exitCode).toBe(0);
  });
});

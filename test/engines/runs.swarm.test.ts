// What the Swarm executor does beyond the contract of executors, on a real swarm.
import { afterAll, expect, it } from 'vitest';
import { INSTANCE_LABEL } from '../../daemon/executor/docker/labels.ts';
import { collect, runSpec } from '../ports/executor.suite.ts';
import { testImages } from '../support/engine/docker.ts';
import { describeIf } from '../support/runner/requirements.ts';
import { engineOf, swarmLab, swarmRequirement, testSwarmExecutor } from '../support/swarm/swarm.ts';

const never = new AbortController().signal;

describeIf(swarmRequirement(), 'runs of a swarm', () => {
  const manager = engineOf(1);
  const images = testImages(manager);
  const { executor, instanceId, tidy } = testSwarmExecutor();

  afterAll(async () => {
    await tidy();
    await images.remove();
  });

  const run = async (script: string, over: Parameters<typeof runSpec>[1] = {}) => {
    const ref = await executor.create(runSpec(await images.script(script), over), never);
    const out = collect();
    const running = await executor.start(ref, out.sink);
    const ended = await running.ended;
    return { ref, out, running, ended };
  };

  it('a run has no new privileges, few capabilities and no way to another run on its node', async () => {
    const on = { placement: ['node.hostname==node2'] };
    const server = await executor.create(
      runSpec(await images.script('ip -4 addr 2>/dev/null; cat /etc/hosts | tail -n 1; nc -l -p 999; sleep 60'), on),
      never,
    );
    const listening = collect();
    await executor.start(server, listening.sink);
    await listening.until('\n');
    const address = listening.stdout().split(/\s/)[0];
    const { out } = await run(
      `nc -w 1 ${address} 999 </dev/null && echo reached; grep -E '^(CapBnd|NoNewPrivs)' /proc/self/status`,
      on,
    );
    expect(out.stdout()).toMatch(/^CapBnd:\t00000000a00405fb\nNoNewPrivs:\t1\n$/);
    await executor.remove(server);
  });

  it('names the node of a run, and a constraint decides which', async () => {
    const { running, ended } = await run('true', { placement: ['node.hostname==node2'] });
    expect(running.node).toBe('node2');
    expect(ended.finalState).toMatchObject({ Node: 'node2', ExitCode: 0 });
  });

  it('a secret variable travels as a secret of Swarm, and no description of the service has its value', async () => {
    const secretVariables = ['_actor_configs'];
    const { ref, out } = await run('cat "$_actor_configs_FILE"; echo "$_actor_configs"', {
      environment: { _actor_configs: '{"key":"very-secret"}' },
      secretVariables,
    });
    expect(out.stdout()).toBe('{"key":"very-secret"}\n');
    const service = await manager.getService(ref).inspect();
    const tasks = await manager.listTasks({ filters: { service: [ref] } });
    expect(JSON.stringify([service, tasks])).not.toContain('very-secret');
    await executor.remove(ref);
    expect(await manager.listSecrets({ filters: { label: [`${INSTANCE_LABEL}=${instanceId}`] } })).toEqual([]);
  });

  it('runs an image by its digest, which the registry has', async () => {
    const { ref } = await run('true');
    const { Spec } = await manager.getService(ref).inspect();
    expect(Spec.TaskTemplate.ContainerSpec.Image).toMatch(
      new RegExp(`^${swarmLab().registry}/actorctl-test/[0-9a-f]+@sha256:[0-9a-f]{64}$`),
    );
  });

  it('reports an image that exists on the manager only, without a registry', async () => {
    const alone = testSwarmExecutor({ registry: undefined });
    const image = await images.script('true');
    await expect(alone.executor.prepare(image, () => undefined, never)).rejects.toMatchObject({
      kind: 'image',
      message: expect.stringContaining('exists on the manager only'),
    });
    await alone.tidy();
  });

  it('waits for a registry that does not answer', async () => {
    const alone = testSwarmExecutor({ registry: '127.0.0.1:1' });
    const image = await images.script('true');
    await expect(alone.executor.prepare(image, () => undefined, never)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('cannot push'),
    });
    await alone.tidy();
  });

  it('names the node that cannot pull an image', async () => {
    const image = await images.script('true');
    await executor.prepare(image, () => undefined, never);
    const { registry } = swarmLab();
    // The registry forgets it, so that only the manager has it.
    const [repository = '', digest = ''] = (await manager.getImage(image).inspect()).RepoDigests[0]?.split('@') ?? [];
    const path = repository.slice(registry.length + 1);
    const forgotten = await fetch(`http://${registry}/v2/${path}/manifests/${digest}`, { method: 'DELETE' });
    expect(forgotten.status).toBe(202);
    const ref = await executor.create(runSpec(image, { placement: ['node.hostname==node2'] }), never);
    await expect(executor.start(ref, () => undefined)).rejects.toMatchObject({
      kind: 'start',
      message: expect.stringMatching(/^the node "node2" cannot pull the image .*registry/),
    });
    const here = await executor.create(runSpec(image, { placement: ['node.hostname==node1'] }), never);
    expect((await (await executor.start(here, () => undefined)).ended).exitCode).toBe(0);
  });

  const limits = { memoryBytes: 64 * 1024 * 1024, pids: 20 };
  const onNode2 = ['node.hostname==node2'];

  it.each([
    [
      'more processors than any node has',
      { limits: { ...limits, nanoCpus: 900e9 } },
      'no node of the swarm is large enough',
    ],
    [
      'a placement that fits no node',
      { placement: ['node.labels.gpu==true'] },
      'the placement of the actor is "node.labels',
    ],
  ])('refuses a run with %s, and says so', async (_, over, message) => {
    const ref = await executor.create(runSpec(await images.script('true'), over), never);
    await expect(executor.start(ref, () => undefined)).rejects.toMatchObject({
      kind: 'start',
      message: expect.stringContaining(message),
    });
    await executor.remove(ref);
  });

  it('gives a run back that waits for room, keeps waiting for one that a daemon left, and ends the wait of a halted one', async () => {
    const nanoCpus = Number((await engineOf(2).info()).NCPU) * 1e9;
    const over = { placement: onNode2, limits: { ...limits, nanoCpus } };
    const image = await images.script('echo ran; sleep 1000');
    const make = () => executor.create(runSpec(image, over), never);
    const [holding, returned, waiting, halted] = [await make(), await make(), await make(), await make()];
    const held = await executor.start(holding, () => undefined);

    const hasty = testSwarmExecutor({ instanceId, startMs: 1_000 });
    await expect(hasty.executor.start(returned, () => undefined)).rejects.toMatchObject({
      kind: 'full',
      message: expect.stringMatching(/^no node has room for the run: .*insufficient resources/),
    });
    const out = collect();
    await expect(hasty.executor.start(waiting, out.sink)).rejects.toMatchObject({ kind: 'full' });
    const states = new Map((await executor.list()).map(({ ref, state }) => [ref, state]));
    expect([holding, returned, waiting, halted].map((ref) => states.get(ref))).toEqual([
      'running',
      'created',
      'created',
      'created',
    ]);

    const halting = new AbortController();
    const stopped = executor.start(halted, () => undefined, halting.signal);
    await expect.poll(async () => (await manager.listTasks({ filters: { service: [halted] } })).length).toBe(1);
    halting.abort();
    await expect(stopped).rejects.toMatchObject({ kind: 'start', message: expect.stringContaining('was stopped') });

    // A start that was given up is taken up again, by another daemon too.
    const again = executor.start(waiting, out.sink);
    await executor.stop(holding, 0);
    await held.ended;
    const running = await again;
    await out.until('ran');
    await executor.stop(waiting, 0);
    expect((await running.ended).exitCode).toBe(143);
    expect(out.stdout()).toBe('ran\n');
    for (const ref of [holding, returned, waiting, halted]) await executor.remove(ref);
    await hasty.executor.close({ removeAll: false });
  }, 60_000);

  it('a run that waits for room outlives its daemon, and starts when there is some', async () => {
    const nanoCpus = Number((await engineOf(2).info()).NCPU) * 1e9;
    const over = { placement: onNode2, limits: { ...limits, nanoCpus } };
    const image = await images.script('echo ran; sleep 1000');
    const holding = await executor.create(runSpec(image, over), never);
    const held = await executor.start(holding, () => undefined);
    const ref = await executor.create(runSpec(image, over), never);
    const killed = testSwarmExecutor({ instanceId });
    const lost = killed.executor.start(ref, () => undefined).catch(() => 'lost');
    await expect.poll(async () => (await manager.listTasks({ filters: { service: [ref] } })).length).toBe(1);
    await killed.executor.close({ removeAll: false });
    expect(await lost).toBe('lost');

    const next = testSwarmExecutor({ instanceId, startMs: 100 });
    const out = collect();
    const taken = next.executor.reattach(ref, out.sink);
    await executor.stop(holding, 0);
    await held.ended;
    expect((await taken).node).toBe('node2');
    await out.until('ran');
    for (const each of [holding, ref]) await executor.remove(each);
    await next.executor.close({ removeAll: false });
  }, 60_000);

  it('delivers the output of a run on a node whose own log driver cannot be read', async () => {
    expect((await engineOf(2).info()).LoggingDriver).toBe('none');
    const { out } = await run('echo out; echo err >&2', { placement: onNode2 });
    expect([out.stdout(), out.stderr()]).toEqual(['out\n', 'err\n']);
  });

  it('reports a run whose service was removed by hand as lost', async () => {
    const ref = await executor.create(runSpec(await images.script('sleep 1000')), never);
    const { ended } = await executor.start(ref, () => undefined);
    await manager.getService(ref).remove();
    await expect(ended).rejects.toMatchObject({ kind: 'lost' });
  });

  it('keeps the runs of two daemons on one swarm apart', async () => {
    const other = testSwarmExecutor();
    const ref = await executor.create(runSpec(await images.script('true')), never);
    expect(await other.executor.list()).toEqual([]);
    await other.tidy();
    expect((await executor.list()).map((found) => found.ref)).toContain(ref);
    await executor.remove(ref);
  });

  it('removes 300 runs that a daemon left, by the label of its instance', async () => {
    const gone = testSwarmExecutor();
    const image = await images.script('true');
    await gone.executor.prepare(image, () => undefined, never);
    const files = [{ path: '/_svc_msg', source: { bytes: Buffer.from('x') }, variable: 'MSG_FILE' }];
    for (let batch = 0; batch < 30; batch += 1)
      await Promise.all(
        Array.from({ length: 10 }, (_, i) => gone.executor.create(runSpec(image, i === 0 ? { files } : {}), never)),
      );
    expect(await gone.executor.list()).toHaveLength(300);
    await gone.tidy();
    const filters = { label: [`${INSTANCE_LABEL}=${gone.instanceId}`] };
    expect([await manager.listServices({ filters }), await manager.listConfigs({ filters })]).toEqual([[], []]);
  });

  it('an engine that is no manager is not available, and the reason says what to do', async () => {
    const worker = testSwarmExecutor({ dockerHost: `unix://${swarmLab().folder}/2/docker.sock` });
    expect(await worker.executor.probe(never)).toMatchObject({
      available: false,
      reason: expect.stringContaining('is a worker of its swarm, not a manager'),
    });
    await worker.executor.close({ removeAll: false });
  });
});

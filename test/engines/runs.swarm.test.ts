// What the Swarm executor does beyond the contract of executors, on a real swarm.
import { expect, it } from 'vitest';
import { INSTANCE_LABEL } from '../../daemon/executor/docker/labels.ts';
import { collect, runSpec } from '../ports/executor.suite.ts';
import { describeIf } from '../support/runner/requirements.ts';
import { engineOf, swarmLab, swarmRequirement, testSwarmExecutor } from '../support/swarm/swarm.ts';
import { ON_NODE_2, swarmRuns } from '../support/swarm/swarm-runs.ts';

const never = new AbortController().signal;

describeIf(swarmRequirement(), 'runs of a swarm', () => {
  const { manager, images, executor, instanceId, run } = swarmRuns();

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

  it('a run reports its node, and a constraint selects the node', async () => {
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

  it('the output of a run arrives even if the log driver of its node cannot be read', async () => {
    expect((await engineOf(2).info()).LoggingDriver).toBe('none');
    const { out } = await run('echo out; echo err >&2', ON_NODE_2);
    expect([out.stdout(), out.stderr()]).toEqual(['out\n', 'err\n']);
  });

  it('a run whose service was removed manually is reported as lost', async () => {
    const ref = await executor.create(runSpec(await images.script('sleep 1000')), never);
    const { ended } = await executor.start(ref, () => undefined);
    await manager.getService(ref).remove();
    await expect(ended).rejects.toMatchObject({ kind: 'lost' });
  });

  it('the runs of two daemons on one swarm are separate', async () => {
    const other = testSwarmExecutor();
    const ref = await executor.create(runSpec(await images.script('true')), never);
    expect(await other.executor.list()).toEqual([]);
    await other.tidy();
    expect((await executor.list()).map((found) => found.ref)).toContain(ref);
    await executor.remove(ref);
  });

  it('300 runs left by a daemon are removed by the label of its instance', async () => {
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

  it('a manager names what actors lack on a swarm', async () => {
    const limitations = expect.arrayContaining(['results are sent over HTTP only', 'privileged actors are refused']);
    expect(await executor.probe(never)).toMatchObject({ available: true, limitations });
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

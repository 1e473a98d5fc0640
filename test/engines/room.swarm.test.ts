// Runs on a real swarm that wait for free capacity on its nodes, and runs that no node can ever hold.
import { expect, it } from 'vitest';
import { collect, runSpec } from '../ports/executor.suite.ts';
import { describeIf } from '../support/runner/requirements.ts';
import { engineOf, swarmRequirement, testSwarmExecutor } from '../support/swarm/swarm.ts';
import { LIMITS, ON_NODE_2, swarmRuns } from '../support/swarm/swarm-runs.ts';

const never = new AbortController().signal;

describeIf(swarmRequirement(), 'room on a swarm', () => {
  const { manager, images, executor, instanceId } = swarmRuns();

  it.each([
    [
      'more processors than any node has',
      { limits: { ...LIMITS, nanoCpus: 900e9 } },
      'no node of the swarm is large enough',
    ],
    [
      'a placement that fits no node',
      { placement: ['node.labels.gpu==true'] },
      'the placement of the actor is "node.labels',
    ],
  ])('the swarm refuses a run with %s, and reports the reason', async (_, over, message) => {
    const ref = await executor.create(runSpec(await images.script('true'), over), never);
    await expect(executor.start(ref, () => undefined)).rejects.toMatchObject({
      kind: 'never',
      message: expect.stringContaining(message),
    });
    await executor.remove(ref);
  });

  it('a run that gets no capacity in time is refused, can be started again, and stops waiting at a halt', async () => {
    const nanoCpus = Number((await engineOf(2).info()).NCPU) * 1e9;
    const over = { ...ON_NODE_2, limits: { ...LIMITS, nanoCpus } };
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
  });

  it('a run that waits for capacity survives a daemon restart, and starts when capacity is free', async () => {
    const nanoCpus = Number((await engineOf(2).info()).NCPU) * 1e9;
    const over = { ...ON_NODE_2, limits: { ...LIMITS, nanoCpus } };
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
  });
});

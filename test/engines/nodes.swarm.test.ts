// A real swarm whose nodes are drained, restarted and killed: no run is run twice, and each end is known or named lost.
import { expect, it } from 'vitest';
import { type Ended, type Executor, ExecutorError, type Running } from '../../daemon/ports/executor.ts';
import { processesWith } from '../support/engine/process-harness.ts';
import { describeIf } from '../support/runner/requirements.ts';
import { engineOf, killEngine, startEngine, stopEngine, swarmRequirement } from '../support/swarm/swarm.ts';
import { swarmRuns } from '../support/swarm/swarm-runs.ts';

const never = new AbortController().signal;
const on = (node: string) => ({ placement: [`node.hostname==${node}`] });
/** Ends with exit code 0 when its engine stops. */
const POLITE = `trap 'exit 0' TERM; echo ready; while :; do sleep 0.1; done`;
/** Seconds that a run sleeps. No other process of the machine has this number in its command line. */
const LASTING = '1000.7305';

/** The end of a run, or why it is lost. Attaches again after an outage of the manager, as the daemon does. */
const endOf = async (executor: Executor, ref: string, { ended }: Running): Promise<Ended | ExecutorError> => {
  try {
    return await ended;
  } catch (error) {
    if (!(error instanceof ExecutorError)) throw error;
    if (error.kind !== 'unavailable') return error;
    await expect.poll(async () => (await executor.probe(never)).available).toBe(true);
    return endOf(executor, ref, await executor.reattach(ref, () => undefined));
  }
};

describeIf(swarmRequirement(), 'nodes of a swarm', () => {
  const { manager, executor, instanceId, start } = swarmRuns();

  const setAvailability = async (hostname: string, Availability: 'active' | 'drain') => {
    const nodes = await manager.listNodes();
    const { ID, Version, Spec } = nodes.find((node) => node.Description.Hostname === hostname);
    await manager.getNode(ID).update({ _query: { version: Version.Index }, _body: { ...Spec, Availability } });
  };

  const tasksOf = async (ref: string): Promise<{ ID: string; NodeID?: string }[]> =>
    manager.listTasks({ filters: { service: [ref] } });

  it('a run on a node that is drained ends as interrupted, with its output, and is not run elsewhere', async () => {
    const { ref, out, running } = await start(`trap 'echo bye; exit 9' TERM; echo ready; while :; do sleep 0.1; done`);
    await out.until('ready');
    await setAvailability(running.node ?? '', 'drain');
    const ended = await running.ended;
    await setAvailability(running.node ?? '', 'active');
    expect(ended).toMatchObject({
      exitCode: 9,
      outOfMemory: false,
      interrupted: expect.stringContaining('was drained'),
    });
    expect(out.stdout()).toBe('ready\nbye\n');
    expect(await tasksOf(ref)).toHaveLength(1);
    await executor.remove(ref);
  });

  it('a new token for joining the swarm changes nothing for its nodes', async () => {
    const swarm = await manager.swarmInspect();
    await manager.swarmUpdate({
      _query: { version: swarm.Version.Index, rotateWorkerToken: true },
      _body: swarm.Spec,
    });
    const { running, ref } = await start('true', on('node2'));
    expect((await running.ended).exitCode).toBe(0);
    await executor.remove(ref);
  });

  it('a restarted manager repeats no ended run, and a run in progress continues', async () => {
    const failed = await start('echo once; exit 4');
    expect((await failed.running.ended).exitCode).toBe(4);
    const beside = await start('echo ready; while [ ! -e /tmp/never ]; do sleep 0.2; done', on('node2'));
    await beside.out.until('ready');
    killEngine(1);
    await startEngine(1);
    await expect.poll(async () => (await executor.probe(never)).available).toBe(true);
    const next = await start('true', on('node2'));
    expect((await next.running.ended).exitCode).toBe(0);
    expect(await tasksOf(failed.ref)).toHaveLength(1);
    expect(await tasksOf(beside.ref)).toHaveLength(1);
    await executor.stop(beside.ref, 0);
    expect((await beside.running.ended).exitCode).toBe(143);
    for (const { ref } of [failed, beside, next]) await executor.remove(ref);
  });

  it.each([
    [1, 'manager'],
    [2, 'worker'],
  ])(
    'a run that exits with 0 when the engine of node %i, the %s, stops is lost',
    async (number) => {
      const { ref, out, running } = await start(POLITE, on(`node${number}`));
      await out.until('ready');
      const ended = endOf(executor, ref, running);
      await stopEngine(number);
      await startEngine(number);
      expect(await ended).toMatchObject({
        kind: 'lost',
        // A busy machine can take so long to start that Swarm marks the node as down.
        message: expect.stringMatching(new RegExp(`node "node${number}" (lost the container|down)`)),
      });
      expect(await tasksOf(ref)).toHaveLength(1);
      await executor.remove(ref);
    },
    120_000,
  );

  it('a run that exits with 0 when its killed engine starts again is interrupted', async () => {
    const { ref, out, running } = await start(POLITE, on('node2'));
    await out.until('ready');
    killEngine(2);
    await startEngine(2);
    expect(await endOf(executor, ref, running)).toMatchObject({
      exitCode: 0,
      interrupted: expect.stringContaining('on the node "node2" because its engine went down'),
    });
    await executor.remove(ref);
  });

  it('a run on a node that dies is lost, and is not run on the other one', async () => {
    const { ref, out, running } = await start('echo ready; sleep 1000', on('node2'));
    await out.until('ready');
    killEngine(2);
    try {
      await expect(running.ended).rejects.toMatchObject({
        kind: 'lost',
        message: expect.stringContaining('calls the node "node2" down'),
      });
      expect(await tasksOf(ref)).toHaveLength(1);
      expect(await executor.nodes?.()).toContainEqual(expect.objectContaining({ name: 'node2', available: false }));
      await executor.remove(ref);
    } finally {
      await startEngine(2);
    }
    const left = async () =>
      (await engineOf(2).listContainers({ filters: { label: [`actorctl.instance=${instanceId}`] } })).length;
    // The node removes the container of a service that is gone.
    await expect.poll(left).toBe(0);
  });
});

describeIf(swarmRequirement(), 'a worker whose manager is stopped', () => {
  // A manager starts again within 15 seconds.
  const { executor, start } = swarmRuns({ registrationMs: 500 });

  it('the exit code of a run that ended during an outage is reported', async () => {
    const { ref, out, running } = await start(`echo ready; sleep ${LASTING}; exit 0`, on('node2'));
    await out.until('ready');
    await stopEngine(1);
    for (const pid of processesWith(`sleep\0${LASTING}`, 'cmdline')) process.kill(pid);
    await expect.poll(() => processesWith(LASTING, 'cmdline')).toEqual([]);
    await startEngine(1);
    const ended = await endOf(executor, ref, running);
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(ended).not.toHaveProperty('interrupted');
    await executor.remove(ref);
  });
});

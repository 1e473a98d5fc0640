// A manager that is demoted while runs are in progress. The swarm is this file's own, because the roles of its nodes change.
import { afterAll, expect, it } from 'vitest';
import { describeIf } from '../support/runner/requirements.ts';
import { bringUpSwarm } from '../support/swarm/bring-up.ts';
import { engineOf, swarmRequirement } from '../support/swarm/swarm.ts';
import { ON_NODE_2, swarmRuns } from '../support/swarm/swarm-runs.ts';

const never = new AbortController().signal;
/** A change of roles waits for elections. */
const SLOW = { interval: 200 };

const requirement = swarmRequirement();
const down = requirement.available ? bringUpSwarm(2) : () => undefined;

describeIf(requirement, 'the roles of nodes', () => {
  // The last hook: the runs are removed before.
  afterAll(down);
  const { manager, executor, create, start } = swarmRuns();

  it('a demoted manager cannot serve, its runs continue, and their ends are recorded once it is a manager again', async () => {
    const setRole = async (by: number, hostname: string, Role: 'manager' | 'worker') => {
      const change = async () => {
        const nodes = await engineOf(by).listNodes();
        const { ID, Version, Spec } = nodes.find((node) => node.Description.Hostname === hostname);
        await engineOf(by)
          .getNode(ID)
          .update({ _query: { version: Version.Index }, _body: { ...Spec, Role } });
        return true;
      };
      // Swarm updates the node record meanwhile, and a leader transfers leadership before it leaves.
      await expect.poll(() => change().catch(() => false), SLOW).toBe(true);
    };
    const isManager = async (node: number) => (await engineOf(node).info()).Swarm.ControlAvailable as boolean;
    const waiting = await create('exit 6', ON_NODE_2);
    const { ref, out, running } = await start('echo ready; while [ ! -e /go ]; do sleep 0.2; done; exit 5', ON_NODE_2);
    await out.until('ready');
    await setRole(1, 'node2', 'manager');
    await expect.poll(() => isManager(2), SLOW).toBe(true);
    await setRole(2, 'node1', 'worker');
    await expect.poll(() => isManager(1), SLOW).toBe(false);

    await expect(executor.start(waiting, () => undefined)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await executor.probe(never)).toMatchObject({
      available: false,
      reason: expect.stringContaining('is a worker of its swarm, not a manager'),
    });
    const filters = { label: [`actorctl.execution`], name: [ref] };
    const [container] = await engineOf(2).listContainers({ filters });
    const exec = await engineOf(2)
      .getContainer(container?.Id ?? '')
      .exec({ Cmd: ['/bin/sh', '-c', ': > /go'] });
    await exec.start({});

    await setRole(2, 'node1', 'manager');
    await expect.poll(() => isManager(1), SLOW).toBe(true);
    await setRole(1, 'node2', 'worker');
    await expect.poll(() => isManager(2), SLOW).toBe(false);
    expect((await running.ended).exitCode).toBe(5);
    expect(await manager.listTasks({ filters: { service: [ref] } })).toHaveLength(1);
    const next = await executor.start(waiting, () => undefined);
    expect((await next.ended).exitCode).toBe(6);
    for (const each of [ref, waiting]) await executor.remove(each);
  });
});

// Starts on a swarm that wait for a node: a halt that came first, and tasks that a node accepts at the last moment.
import { describe, expect, it } from 'vitest';
import { createSwarmRuns } from '../../../daemon/executor/swarm/swarm-runs.ts';
import { STOPPED, type SwarmTask } from '../../../daemon/executor/swarm/task-state.ts';
import { createTaskWatch } from '../../../daemon/executor/swarm/task-watch.ts';

type Inputs = Parameters<typeof createSwarmRuns>[0];
type Watched = Parameters<typeof createTaskWatch>[0];

const AT = '2026-01-01T00:00:00Z';
const waiting: SwarmTask = {
  ID: 't1',
  Version: { Index: 1 },
  CreatedAt: AT,
  UpdatedAt: AT,
  ServiceID: 's1',
  DesiredState: 'running',
  Status: { Timestamp: AT, State: 'pending', Err: 'no suitable node (insufficient resources on 1 node)' },
};
const never: SwarmTask = { ...waiting, DesiredState: 'shutdown' };

/** A swarm of one service. `afterStop` is its task once the service was stopped. */
const swarmOf = (
  before: SwarmTask,
  afterStop: SwarmTask | undefined,
  { nodeStates = ['ready'], constraints = [] as readonly string[] } = {},
) => {
  let looks = 0;
  let service = {
    ID: 's1',
    Version: { Index: 1 },
    Spec: {
      Name: 'run',
      Mode: { Replicated: { Replicas: 1 } },
      TaskTemplate: { Placement: { Constraints: constraints } },
    },
  };
  const isStopped = () => JSON.stringify(service).includes(STOPPED);
  const tasks = () => [isStopped() ? afterStop : before].filter((task) => task !== undefined);
  const calls = {
    service: async () => service,
    update: async (_: unknown, Spec: typeof service.Spec) => {
      service = { ...service, Spec };
      return true;
    },
    tasksOf: async () => tasks(),
    tasks: async () => tasks(),
    nodes: async () => {
      const look = Math.min(looks++, nodeStates.length - 1);
      return [{ ID: 'n1', UpdatedAt: `${AT} ${look}`, Status: { State: nodeStates[look] } }];
    },
    log: async () => Promise.reject(new Error('no log')),
  };
  const logger = { debug: () => undefined, warn: () => undefined };
  const connection = { closed: new AbortController().signal, lossCount: () => 0, whenAvailable: async () => undefined };
  const inputs = { connection, calls, logger } as unknown as Watched;
  const watch = createTaskWatch({ ...inputs, nodeDownMs: 1 });
  return {
    ...createSwarmRuns({ ...(inputs as unknown as Inputs), watch, stopGraceMs: 100, startMs: 150 }),
    looks: () => looks,
    /** The task from now on. */
    end: (task: SwarmTask): void => {
      before = task;
    },
  };
};

const sink = () => undefined;

describe('a start that waits for a node', () => {
  it.each(['start', 'reattach'] as const)('ends if it was halted before %s was called', async (method) => {
    const asked = swarmOf(waiting, never)[method]('run', sink, AbortSignal.abort());
    await expect(asked).rejects.toMatchObject({ kind: 'start', message: expect.stringContaining('was stopped') });
  });

  it('is followed if it was halted but is running', async () => {
    const running = { ...waiting, NodeID: 'n1', Status: { Timestamp: AT, State: 'running' } };
    const { node } = await swarmOf(running, undefined).reattach('run', sink, AbortSignal.abort());
    expect(node).toBe('n1');
  });

  it('is returned if no node accepted it', async () => {
    await expect(swarmOf(waiting, never).start('run', sink)).rejects.toMatchObject({ kind: 'full' });
  });

  it('is not returned if a node accepted it at the last moment and does not respond', async () => {
    const taken = { ...never, NodeID: 'n1', Status: { Timestamp: AT, State: 'starting' } };
    await expect(swarmOf(waiting, taken, { nodeStates: ['down'] }).start('run', sink)).rejects.toMatchObject({
      kind: 'lost',
    });
  });

  it.each([
    ['start', 'was stopped', AbortSignal.abort()],
    ['unavailable', 'makes no task', new AbortController().signal],
  ])('ends as %s if Swarm creates no second task for it', async (kind, message, halted) => {
    const runs = swarmOf(never, never, { constraints: [STOPPED] });
    const asked = runs.start('run', sink, halted);
    await expect(asked).rejects.toMatchObject({ kind, message: expect.stringContaining(message) });
  });

  it.each([
    ['start', 'was stopped', [STOPPED]],
    ['lost', 'cannot start the container: shutdown', []],
  ])(
    'of a previous daemon ends as %s if its task was shut down before it started',
    async (kind, message, constraints) => {
      const shut = { ...never, NodeID: 'n1', Status: { Timestamp: AT, State: 'shutdown', Message: 'shutdown' } };
      const taken = swarmOf(shut, shut, { constraints }).reattach('run', sink);
      await expect(taken).rejects.toMatchObject({ kind, message: expect.stringContaining(message) });
    },
  );

  it('does not count as a run that exited if its container was only created', async () => {
    const created = { ContainerStatus: { ContainerID: 'c1', ExitCode: 0 } };
    const shut = { ...never, NodeID: 'n1', Status: { Timestamp: AT, State: 'shutdown', ...created } };
    const running = await swarmOf(waiting, shut).start('run', sink, new AbortController().signal);
    expect((await running.ended).interrupted).toContain('after the daemon had given up the start');
  });

  it('does not count as lost if its node is down only once', async () => {
    const container = { ContainerID: 'c1', ExitCode: 7 };
    const running = {
      ...waiting,
      NodeID: 'n1',
      Status: { Timestamp: AT, State: 'running', ContainerStatus: container },
    };
    const swarm = swarmOf({ ...running, DesiredState: 'shutdown' }, undefined, {
      nodeStates: ['down', 'ready', 'down', 'ready'],
    });
    const run = await swarm.reattach('run', sink);
    await expect.poll(swarm.looks).toBeGreaterThan(4);
    swarm.end({ ...running, Status: { ...running.Status, State: 'failed' } });
    expect((await run.ended).exitCode).toBe(7);
  });
});

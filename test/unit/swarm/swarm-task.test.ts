// How the state of a run is read from its Swarm task.
import { describe, expect, it } from 'vitest';
import {
  describeNode,
  hopelessWait,
  processorsOf,
  STOPPED,
  type SwarmNode,
  type SwarmTask,
  stageOf,
  taskOfRun,
  whyNotStarted,
} from '../../../daemon/executor/swarm/task-state.ts';

const T0 = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number): string => new Date(T0 + seconds * 1000).toISOString();

const task = (State: string, over: Partial<SwarmTask['Status']> = {}, rest: Partial<SwarmTask> = {}): SwarmTask => ({
  ID: 't1',
  Version: { Index: 1 },
  CreatedAt: at(0),
  UpdatedAt: at(10),
  ServiceID: 's1',
  NodeID: 'n1',
  DesiredState: 'shutdown',
  Status: { Timestamp: at(9), State, ContainerStatus: { ContainerID: 'c1', ExitCode: 0 }, ...over },
  ...rest,
});
const exit = (ExitCode: number) => ({ ContainerStatus: { ContainerID: 'c1', ExitCode } });
const node: SwarmNode = {
  ID: 'n1',
  UpdatedAt: at(-100),
  Spec: { Availability: 'active' },
  Description: { Hostname: 'node1', Resources: { NanoCPUs: 4e9 } },
  Status: { State: 'ready' },
};

describe('the stage of a task', () => {
  it.each([
    ['new', {}, 'waiting'],
    ['pending', {}, 'waiting'],
    ['preparing', {}, 'waiting'],
    ['starting', {}, 'waiting'],
    ['running', {}, 'running'],
    ['complete', {}, 'over'],
    ['failed', exit(3), 'over'],
    ['shutdown', exit(143), 'over'],
    ['rejected', { Err: 'No such image: x', ContainerStatus: { ContainerID: '' } }, 'never started'],
    ['failed', { ...exit(127), Err: 'starting container failed: exec: "/no": no such file' }, 'never started'],
    ['shutdown', { ContainerStatus: { ContainerID: '' } }, 'never started'],
    // Its node may have started it before it was cut off and removed.
    ['orphaned', { ContainerStatus: { ContainerID: '' } }, 'over'],
  ] as const)('a task that is %s with %o is %s', (state, status, stage) => {
    expect(stageOf(task(state, status))).toBe(stage);
  });

  it('a waiting task without a node that should end was never started', () => {
    const { NodeID: _, ...unassigned } = task('pending');
    expect(stageOf(unassigned)).toBe('never started');
    expect(stageOf({ ...unassigned, DesiredState: 'running' })).toBe('waiting');
  });

  it('a task created by a stop is not the run, and neither is an abandoned task', () => {
    const { NodeID: _, ...pending } = task('pending');
    const placeholder = {
      ...pending,
      ID: 't2',
      CreatedAt: at(5),
      DesiredState: 'running',
      Spec: { Placement: { Constraints: ['node.labels.a==1', STOPPED] } },
    };
    const started = { ...task('running'), ID: 't3', CreatedAt: at(6) };
    expect(taskOfRun([pending, placeholder])?.ID).toBe('t1');
    expect(taskOfRun([placeholder])).toBeUndefined();
    expect(taskOfRun([pending, placeholder, started])?.ID).toBe('t3');
  });

  it('the first task of a service is its run', () => {
    const second = { ...task('pending'), ID: 't2', CreatedAt: at(5) };
    expect(taskOfRun([second, task('complete')])?.ID).toBe('t1');
    expect(taskOfRun([])).toBeUndefined();
  });
});

describe('a task that waits for a node', () => {
  const waitsFor = (why: string, over: { nanoCpus?: number; placement?: string[] } = {}, nodes = [node, node]) =>
    hopelessWait(why, { nanoCpus: 0, placement: [], ...over }, nodes);

  it.each([
    ['', {}],
    ['pending task scheduling', {}],
    ['no suitable node (insufficient resources on 2 nodes)', { nanoCpus: 4e9 }],
    ['no suitable node (1 node not available for new tasks; insufficient resources on 1 node)', {}],
    [
      'no suitable node (1 node not available for new tasks; scheduling constraints not satisfied on 1 node)',
      { placement: ['node.hostname==node2'] },
    ],
    ['no suitable node (insufficient resources on 1 node; scheduling constraints not satisfied on 1 node)', {}],
  ])('for which Swarm reports "%s" keeps waiting', (why, over) => expect(waitsFor(why, over)).toBeUndefined());

  it('with a placement that fits no node is hopeless, and the reason names the placement', () => {
    const why = 'no suitable node (scheduling constraints not satisfied on 2 nodes)';
    expect(waitsFor(why, { placement: ['node.labels.gpu==true'] })).toBe(
      `no node of the swarm can run it: Swarm says "${why}", and the placement of the actor is "node.labels.gpu==true"`,
    );
    expect(waitsFor('no suitable node (unsupported platform on 2 nodes)')).toContain('unsupported platform');
  });

  it('with more processors than the largest node has is hopeless, even while that node is away', () => {
    const small = { ...node, Description: { Hostname: 'node2', Resources: { NanoCPUs: 2e9 } } };
    expect(waitsFor('', { nanoCpus: 4.5e9 }, [small, node])).toBe(
      'no node of the swarm is large enough: the run asks for 4.5 processors, and the largest node has 4',
    );
    expect(waitsFor('', { nanoCpus: 4e9 }, [small, { ...node, Status: { State: 'down' } }])).toBeUndefined();
    expect(waitsFor('', { nanoCpus: 4e9 }, [])).toBeUndefined();
  });
});

describe('messages about tasks and nodes', () => {
  it('a refused image names the node and the registry, any other refusal the node', () => {
    const rejected = task('rejected', { Err: 'No such image: r/x:1' });
    expect(whyNotStarted(rejected, node, 'r/x:1').message).toMatch(
      /^the node "node1" cannot pull the image r\/x:1: No such.*--registry/,
    );
    const failed = task('failed', { Err: 'starting container failed: x' });
    expect(whyNotStarted(failed, node, 'r/x:1')).toEqual({
      kind: 'start',
      message: 'the node "node1" cannot start the container: starting container failed: x',
    });
  });

  it.each([
    ['unable to find user ana: no matching entries in passwd file', 'never', /^the node "node1" .*ana.*Correct USER/],
    ['exec /run: argument list too long', 'size', /^The variables of this execution are larger/],
  ])('a task that failed with %j can %s start', (said, kind, message) => {
    const failed = task('failed', { Err: `starting container failed: ${said}` });
    expect(whyNotStarted(failed, node, 'r/x:1')).toEqual({ kind, message: expect.stringMatching(message) });
  });

  it.each([
    [{}, { available: true, detail: 'ready' }],
    [{ Spec: { Availability: 'drain' } }, { available: false, detail: 'drained' }],
    [{ Spec: { Availability: 'pause' } }, { available: false, detail: 'paused' }],
    [
      { Status: { State: 'down', Message: 'heartbeat failure' } },
      { available: false, detail: 'down (heartbeat failure)' },
    ],
  ])('a node with %o is %o', (over, expected) => {
    expect(describeNode({ ...node, ...over })).toEqual({ name: 'node1', ...expected });
  });

  it('counts the processors of the nodes that take work', () => {
    expect(processorsOf([node, node, { ...node, Spec: { Availability: 'drain' } }])).toBe(8);
  });
});

// Whether it is known how a run ended: every state of a container and of a Swarm task, with what happened to its engine.
import { describe, expect, it } from 'vitest';
import { type EndEvidence, interruptionOf, networkEvidence } from '../../../daemon/executor/engine/container-end.ts';
import { causeOfEnd, endOf, type SeenEnd } from '../../../daemon/executor/swarm/task-end.ts';
import type { SwarmNode, SwarmTask } from '../../../daemon/executor/swarm/task-state.ts';

describe('the end of a container', () => {
  const watched: EndEvidence = {
    status: 'exited',
    exitCode: 0,
    isOurs: false,
    wasSignalled: false,
    wasWatched: true,
    network: 'gone',
  };
  const missed = { ...watched, wasWatched: false };

  it.each([
    ['that was watched', watched],
    ['that was watched, in the words of Podman', { ...watched, status: 'stopped' }],
    ['with any exit code', { ...watched, exitCode: 137 }],
    ['that was missed by a daemon while the engine ran on', { ...missed, network: 'kept' }],
    ['that was missed, before the engine stopped', { ...missed, network: 'stopped later' }],
    ['by a stop of ours', { ...watched, isOurs: true, wasSignalled: true, exitCode: 143 }],
    ['by a stop of ours, beside a stop of the engine', { ...missed, isOurs: true, network: 'stopped with it' }],
    ['by a limit, removed by somebody since', { ...missed, isOurs: true, status: 'removing' }],
  ] as const)('%s is known', (_, evidence) => expect(interruptionOf(evidence)).toBeUndefined());

  it.each([
    ['by a signal of the engine', { ...watched, wasSignalled: true }, 'because it went down or somebody asked it to'],
    ['by a signal, seen before a gap', { ...missed, wasSignalled: true, network: 'kept' }, 'somebody asked it to'],
    ['that was missed while the engine went down', { ...missed, network: 'stopped with it' }, 'went down while'],
    ['that was missed, without any trace of the engine', missed, 'was not watched when the container ended'],
    [
      'of a container that is being removed',
      { ...missed, status: 'removing', network: 'kept' },
      'reports the container status "removing"',
    ],
    ['of a container that could not be removed', { ...watched, status: 'dead' }, 'reports the container status "dead"'],
    ['in a state that no engine has today', { ...watched, status: 'frozen' }, 'reports the container status "frozen"'],
  ] as const)('%s is an interruption, whatever the exit code', (_, evidence, why) => {
    for (const exitCode of [0, 3, 137, 143, 255]) {
      const text = interruptionOf({ ...evidence, exitCode });
      expect(text).toContain(why);
      expect(text).toContain(`(the exit code was ${exitCode})`);
    }
  });

  it.each([
    ['runs on', { running: true, startedAt: 10, finishedAt: 0 }, 'kept'],
    ['was started again since', { running: true, startedAt: 2_000, finishedAt: 1_001 }, 'stopped with it'],
    [
      'was started again since, after a second stop',
      { running: true, startedAt: 9_000, finishedAt: 8_000 },
      'stopped with it',
    ],
    ['was started and stopped again since', { running: false, startedAt: 7_000, finishedAt: 9_000 }, 'stopped with it'],
    ['stopped a moment before', { running: false, startedAt: 10, finishedAt: 990 }, 'stopped with it'],
    ['stopped within the time of a stop', { running: false, startedAt: 10, finishedAt: 1_500 }, 'stopped with it'],
    ['stopped later', { running: false, startedAt: 10, finishedAt: 1_501 }, 'stopped later'],
    ['has no end that the engine knows', { running: false, startedAt: 10, finishedAt: Number.NaN }, 'stopped with it'],
    ['is gone', undefined, 'gone'],
  ] as const)('at 1000 whose network container %s', (_, network, evidence) => {
    expect(networkEvidence(1_000, network, 500)).toBe(evidence);
  });
});

const T0 = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number): string => new Date(T0 + seconds * 1000).toISOString();

const task = (
  State: string,
  ExitCode: number | undefined,
  Err = '',
  { said = 99, updated = 100 }: { said?: number; updated?: number } = {},
): SwarmTask => ({
  ID: 't1',
  Version: { Index: 1 },
  CreatedAt: at(0),
  UpdatedAt: at(updated),
  ServiceID: 's1',
  NodeID: 'n1',
  DesiredState: 'shutdown',
  Status: {
    Timestamp: at(said),
    State,
    Err,
    ContainerStatus: { ContainerID: 'c1', ...(ExitCode !== undefined && { ExitCode }) },
  },
});
const exited = (code: number, times?: { said?: number; updated?: number }): SwarmTask =>
  code === 0 ? task('complete', 0, '', times) : task('failed', code, `task: non-zero exit (${code})`, times);
const nodeOf = (updated: number): SwarmNode => ({
  ID: 'n1',
  UpdatedAt: at(updated),
  Description: { Hostname: 'node1' },
  Status: { State: 'ready' },
});
const quiet: SeenEnd = { node: nodeOf(-100), wasStopped: false };
const stopped: SeenEnd = { ...quiet, wasStopped: true };
/** The node registered again at that second. */
const back = (second: number): SeenEnd => ({ ...quiet, node: nodeOf(second) });

describe('the end of a task', () => {
  it.each([
    ['exit code 0', exited(0), quiet],
    ['any other exit code', exited(3), quiet],
    ['SIGKILL without a request', exited(137), quiet],
    ['a stop', task('shutdown', 143), stopped],
    ['a stop that found the process gone', exited(0), stopped],
    ['a stop during which the engine lost the container', task('failed', 0, 'No such container: x'), stopped],
    ['an exit long before the node came back', exited(0, { said: 19, updated: 44 }), back(44)],
    ['an exit long after the node came back', exited(0), back(20)],
    ['an exit, and the node was changed long after', exited(5), back(200)],
    ['an exit on a node that has left since', exited(0), { ...quiet, node: undefined }],
  ] as const)('by %s is known', (_, given, seen) => {
    const cause = causeOfEnd(given, seen);
    expect(cause).toEqual({ kind: 'known' });
    if (cause.kind === 'known') expect(endOf(given, seen, cause)).not.toHaveProperty('interrupted');
  });

  it.each([
    ['a drained node', task('shutdown', 0), quiet, 'was drained'],
    ['a removed node', task('orphaned', undefined), { ...stopped, node: undefined }, 'was removed from the swarm'],
    ['a start that was given up', task('shutdown', 0), { ...stopped, wasGivenUp: true }, 'had given up the start'],
    ['exit code 0 when its node came back', exited(0, { said: 99 }), back(100), 'its engine went down'],
    ['any other exit code when its node came back', exited(3, { said: 99 }), back(100), 'its engine went down'],
    ['SIGTERM when its node came back', exited(143, { said: 86 }), back(100), 'its engine went down'],
    ['exit code 0 just after its node came back', exited(0), back(90), 'its engine went down'],
    ['exit code 0 when a node with a wrong clock came back', exited(0, { said: -3600 }), back(99), 'engine went down'],
    ['words that are not those of an exit', task('failed', 143, 'unhealthy container'), quiet, '"unhealthy container"'],
    [
      'an exit code that its words contradict',
      task('failed', 4, 'task: non-zero exit (3)'),
      quiet,
      'non-zero exit (3)',
    ],
    ['a state that says nothing of an exit', task('remove', 9), quiet, 'and gave this reason: "remove"'],
    ['a refusal after its container had run', task('rejected', 9, 'busy'), quiet, 'gave this reason: "busy"'],
  ] as const)('by %s is an interruption', (_, given, seen, why) => {
    const cause = causeOfEnd(given, seen);
    expect(cause).toMatchObject({ kind: 'interrupted', why: expect.stringContaining(why) });
    if (cause.kind === 'interrupted')
      expect(endOf(given, seen, cause)).toMatchObject({
        outOfMemory: false,
        interrupted: expect.stringContaining(why),
      });
  });

  it.each([
    ['a container that its engine removed', task('failed', 0, 'No such container: x')],
    ['a failure with exit code 0', task('failed', 0)],
    ['a completion with a fault', task('complete', 0, 'cannot read the exit code')],
    ['a completion without an exit code', task('complete', undefined)],
  ] as const)('of %s is lost, because not even the exit code is known', (_, given) => {
    expect(causeOfEnd(given, quiet)).toMatchObject({ kind: 'lost', why: expect.stringContaining('node "node1"') });
  });

  const known = { kind: 'known' } as const;

  it('counts SIGKILL as out of memory only if no other sender is possible', () => {
    expect(endOf(exited(137), quiet, known).outOfMemory).toBe(true);
    expect(endOf(exited(3), quiet, known).outOfMemory).toBe(false);
    expect(endOf(task('shutdown', 137), stopped, known).outOfMemory).toBe(false);
    expect(endOf(exited(137), back(100), { kind: 'interrupted', why: '' }).outOfMemory).toBe(false);
  });

  it.each([
    ['right', 99, 99],
    ['an hour ahead', 3_699, 100],
    ['an hour behind', -3_501, 100],
  ])('with a clock of the node that is %s, the times are those of the manager', (_, said, finished) => {
    const { startedAt, finishedAt } = endOf(exited(0, { said }), quiet, known);
    expect([startedAt, finishedAt]).toEqual([T0, T0 + finished * 1000]);
  });

  it('names the node and the exit code in the final state', () => {
    expect(endOf(exited(3), quiet, known).finalState).toMatchObject({ Node: 'node1', ExitCode: 3 });
    expect(endOf(exited(3), { ...quiet, node: undefined }, known).finalState).toMatchObject({ Node: 'n1' });
  });
});

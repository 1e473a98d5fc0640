// How a run ended, from its Swarm task. Pure: the task and its node as the manager describes them go in.
import type { Ended } from '../../ports/executor.ts';
import { nodeName, type SwarmNode, type SwarmTask } from './task-state.ts';

/** Exit code of a container whose main process got SIGKILL. */
const KILLED = 137;
/**
 * A node whose engine starts again registers at the manager within this time of the ends that it caused: those of its
 * stop, and those of containers that outlived it and that the new engine stops.
 */
const REGISTRATION_MS = 15_000;

export interface SeenEnd {
  readonly registrationMs?: number | undefined;
  /** The node that ran the task; undefined if it has left the swarm. */
  readonly node: SwarmNode | undefined;
  readonly wasStopped: boolean;
  /** Nobody wanted that stop: the start was given up, and a node had taken the task after all. */
  readonly wasGivenUp?: boolean;
}

/** Whether it is known how the process of a task ended. */
export type TaskCause =
  /** By itself, by its limits, or by a stop of this instance. */
  | { readonly kind: 'known' }
  /** Its engine ended it. */
  | { readonly kind: 'interrupted'; readonly why: string }
  /** Not even its exit code is known. */
  | { readonly kind: 'lost'; readonly why: string };

/** When the task ended, as its node says; undefined if the clock of the node is wrong. */
const saidEnd = ({ CreatedAt, UpdatedAt, Status }: SwarmTask): number | undefined => {
  const said = Date.parse(Status.Timestamp);
  return said >= Date.parse(CreatedAt) && said <= Date.parse(UpdatedAt) ? said : undefined;
};

/** The node may have ended the task together with its engine: it changed its record during the run, when the task ended. */
const isNearRegistration = (task: SwarmTask, { node, registrationMs = REGISTRATION_MS }: SeenEnd): boolean => {
  const registered = Date.parse(node?.UpdatedAt ?? '');
  if (!(registered > Date.parse(task.CreatedAt))) return false;
  const end = saidEnd(task) ?? Date.parse(task.UpdatedAt);
  return Math.abs(end - registered) < registrationMs;
};

/** Swarm reports a process that ended in these words only. Any other words are those of an engine that lost it. */
const endedByItself = ({ State, Err = '', ContainerStatus }: SwarmTask['Status']): boolean => {
  const code = ContainerStatus?.ExitCode;
  return State === 'complete'
    ? code === 0 && Err === ''
    : State === 'failed' && Err === `task: non-zero exit (${code})`;
};

/** @param task one that ran and is over */
export const causeOfEnd = (task: SwarmTask, seen: SeenEnd): TaskCause => {
  const { node, wasStopped, wasGivenUp = false } = seen;
  const { State, Err, Message, ContainerStatus } = task.Status;
  if (State === 'orphaned') return { kind: 'interrupted', why: 'because the node was removed from the swarm' };
  if (State === 'shutdown' && wasGivenUp)
    return { kind: 'interrupted', why: 'because it took the run when its start had just been given up' };
  if (wasStopped) return { kind: 'known' };
  if (State === 'shutdown') return { kind: 'interrupted', why: 'because the node was drained or left' };
  if (endedByItself(task.Status))
    return isNearRegistration(task, seen)
      ? { kind: 'interrupted', why: 'because its engine went down' }
      : { kind: 'known' };
  const said = Err || Message || State;
  return ContainerStatus?.ExitCode
    ? { kind: 'interrupted', why: `for a reason of its own: "${said}"` }
    : { kind: 'lost', why: `the engine of the node "${nodeName(node, task.NodeID)}" lost the container: ${said}` };
};

/**
 * The end of a run. Times are the manager's, because the clock of a node can be wrong: the node's time of the end counts
 * only if it lies between those of the manager.
 */
export const endOf = (task: SwarmTask, seen: SeenEnd, cause: Exclude<TaskCause, { kind: 'lost' }>): Ended => {
  const { Status } = task;
  const startedAt = Date.parse(task.CreatedAt);
  const exitCode = Status.ContainerStatus?.ExitCode ?? KILLED;
  const name = nodeName(seen.node, task.NodeID);
  return {
    exitCode,
    startedAt,
    finishedAt: saidEnd(task) ?? Math.max(startedAt, Date.parse(task.UpdatedAt)),
    // Swarm does not report why a container got SIGKILL. Nobody else but the kernel sends it on its own.
    outOfMemory: exitCode === KILLED && !seen.wasStopped && cause.kind === 'known',
    finalState: {
      Status: Status.State,
      ExitCode: exitCode,
      Error: Status.Err ?? '',
      Node: name,
      Task: task.ID,
      ContainerID: Status.ContainerStatus?.ContainerID ?? '',
    },
    ...(cause.kind === 'interrupted' && {
      interrupted: `Swarm ended the container on the node "${name}" ${cause.why} (the exit code was ${exitCode})`,
    }),
  };
};

// Determines how a run ended from its Swarm task. Pure: its inputs are the manager's descriptions of the task and its
// node.
import type { Ended } from '../../ports/executor.ts';
import { nodeName, type SwarmNode, type SwarmTask } from './task-state.ts';

/** Exit code of a container whose main process got SIGKILL. */
const KILLED = 137;
/**
 * Time within which a node whose engine restarts registers at the manager, after the ends that it caused: those of its
 * stop, and those of containers that outlived the engine and that the new engine stops.
 */
const REGISTRATION_MS = 15_000;

export interface SeenEnd {
  readonly registrationMs?: number | undefined;
  /** The node that ran the task. Undefined if it has left the swarm. */
  readonly node: SwarmNode | undefined;
  readonly wasStopped: boolean;
  /** True if the start was given up, but a node had accepted the task after all. Nobody requested that stop. */
  readonly wasGivenUp?: boolean;
}

/** Whether it is known how the process of a task ended: */
export type TaskCause =
  /** The process ended on its own, by its limits, or by a stop of this instance. */
  | { readonly kind: 'known' }
  /** The engine ended the process. */
  | { readonly kind: 'interrupted'; readonly why: string }
  /** Not even the exit code is known. */
  | { readonly kind: 'lost'; readonly why: string };

/** When the task ended, according to its node. Undefined if the node's clock is wrong. */
const saidEnd = ({ CreatedAt, UpdatedAt, Status }: SwarmTask): number | undefined => {
  const said = Date.parse(Status.Timestamp);
  return said >= Date.parse(CreatedAt) && said <= Date.parse(UpdatedAt) ? said : undefined;
};

/**
 * True if the node may have ended the task together with its engine: the node's record changed during the run, when the
 * task ended.
 */
const isNearRegistration = (task: SwarmTask, { node, registrationMs = REGISTRATION_MS }: SeenEnd): boolean => {
  const registered = Date.parse(node?.UpdatedAt ?? '');
  if (!(registered > Date.parse(task.CreatedAt))) return false;
  const end = saidEnd(task) ?? Date.parse(task.UpdatedAt);
  return Math.abs(end - registered) < registrationMs;
};

/**
 * Swarm reports a process that ended only with this text. Any other text comes from an engine that lost the process.
 */
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
    return { kind: 'interrupted', why: 'because it accepted the run after the daemon had given up the start' };
  if (wasStopped) return { kind: 'known' };
  if (State === 'shutdown') return { kind: 'interrupted', why: 'because the node was drained or left' };
  if (endedByItself(task.Status))
    return isNearRegistration(task, seen)
      ? { kind: 'interrupted', why: 'because its engine went down' }
      : { kind: 'known' };
  const said = Err || Message || State;
  return ContainerStatus?.ExitCode
    ? { kind: 'interrupted', why: `and gave this reason: "${said}"` }
    : { kind: 'lost', why: `the engine of the node "${nodeName(node, task.NodeID)}" lost the container: ${said}` };
};

/**
 * The end of a run. Times are the manager's, because a node's clock can be wrong: the node's end time counts only if it
 * lies between two times of the manager.
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
    // Swarm does not report why a container got SIGKILL. Without a request, only the kernel sends it.
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

// Reads the state of a run from its Swarm task. Pure: its input is the manager's description of the task.
import { engineStartFault, type StartFault } from '../../domain/executions/start-fault.ts';
import type { EngineNode } from '../../ports/executor.ts';
import { loginAdvice } from '../images/pull-advice.ts';

/** The fields of a task that matter here. @see https://docs.docker.com/reference/api/engine/version/v1.41/#tag/Task */
export interface SwarmTask {
  readonly ID: string;
  readonly Version: { readonly Index: number };
  readonly CreatedAt: string;
  readonly UpdatedAt: string;
  readonly ServiceID: string;
  readonly NodeID?: string;
  readonly DesiredState: string;
  readonly Spec?: { readonly Placement?: { readonly Constraints?: readonly string[] } };
  readonly Status: {
    readonly Timestamp: string;
    readonly State: string;
    readonly Message?: string;
    readonly Err?: string;
    readonly ContainerStatus?: { readonly ContainerID?: string; readonly ExitCode?: number };
  };
}

export interface SwarmNode {
  readonly ID: string;
  readonly UpdatedAt: string;
  readonly Spec?: { readonly Availability?: string };
  readonly Description?: { readonly Hostname?: string; readonly Resources?: { readonly NanoCPUs?: number } };
  readonly Status?: { readonly State?: string; readonly Message?: string };
}

const WAITING = ['new', 'allocated', 'pending', 'assigned', 'accepted', 'preparing', 'ready', 'starting'];

/**
 * - `waiting`: not started yet
 * - `running`
 * - `never started`: over, and certainly nothing ran
 * - `over`: ran and ended
 */
export type TaskStage = 'waiting' | 'running' | 'never started' | 'over';

/** The node's message if the engine refused to start the container, which means that no actor code ran. */
const NOT_STARTED = /^starting container failed/;

export const stageOf = ({ Status, DesiredState, NodeID }: SwarmTask): TaskStage => {
  // The scheduler assigns no node to a task that shall end.
  if (WAITING.includes(Status.State)) return DesiredState === 'shutdown' && !NodeID ? 'never started' : 'waiting';
  if (Status.State === 'running') return 'running';
  // The node was removed from the swarm. The container may have run, or may still run, whatever the manager reports.
  if (Status.State === 'orphaned') return 'over';
  const container = Status.ContainerStatus?.ContainerID ?? '';
  if (container === '' || (Status.State === 'failed' && NOT_STARTED.test(Status.Err ?? ''))) return 'never started';
  return 'over';
};

/** A constraint that no node satisfies. A service that is updated with it stops its task and starts no other. */
export const STOPPED = 'node.id==stopped-by-actorctl';

/**
 * The task of a run: the first one that started, else the newest. A service has several tasks after a stop, which
 * requests a task that no node can run, and after a second start of a run that was stopped before it started.
 */
export const taskOfRun = (tasks: readonly SwarmTask[]): SwarmTask | undefined => {
  const own = tasks
    .filter(({ Spec }) => !Spec?.Placement?.Constraints?.includes(STOPPED))
    .sort((a, b) => Date.parse(a.CreatedAt) - Date.parse(b.CreatedAt));
  return own.find((task) => stageOf(task) !== 'never started') ?? own.at(-1);
};

export const nodeName = (node: SwarmNode | undefined, id: string | undefined): string =>
  node?.Description?.Hostname || id || 'unknown';

export const describeNode = (node: SwarmNode): EngineNode => {
  const availability = node.Spec?.Availability ?? 'active';
  const state = node.Status?.State ?? 'unknown';
  const isReady = state === 'ready';
  const why = node.Status?.Message ? ` (${node.Status.Message})` : '';
  return {
    name: nodeName(node, node.ID),
    available: isReady && availability === 'active',
    detail: !isReady
      ? `${state}${why}`
      : availability === 'active'
        ? 'ready'
        : availability === 'drain'
          ? 'drained'
          : 'paused',
  };
};

export const processorsOf = (nodes: readonly SwarmNode[]): number =>
  nodes
    .filter((node) => describeNode(node).available)
    .reduce((sum, { Description }) => sum + (Description?.Resources?.NanoCPUs ?? 0) / 1e9, 0);

/** The scheduler's phrases about nodes that may become free or come back. */
const MAY_CHANGE = /insufficient resources|not available for new tasks/;

/**
 * Why no node of the swarm can ever run a task that waits for one. Undefined if waiting may help.
 * @param why what the scheduler says of the task
 * @param wants what the task asks for: billionths of a processor, and constraints on its node
 */
export const hopelessWait = (
  why: string,
  wants: { readonly nanoCpus: number; readonly placement: readonly string[] },
  nodes: readonly SwarmNode[],
): string | undefined => {
  const largest = Math.max(0, ...nodes.map(({ Description }) => Description?.Resources?.NanoCPUs ?? 0));
  if (nodes.length > 0 && wants.nanoCpus > largest)
    return `no node of the swarm is large enough: the run asks for ${wants.nanoCpus / 1e9} processors, and the largest node has ${largest / 1e9}`;
  if (!/^no suitable node/.test(why) || MAY_CHANGE.test(why)) return undefined;
  const placement =
    wants.placement.length === 0 ? '' : `, and the placement of the actor is "${wants.placement.join(', ')}"`;
  return `no node of the swarm can run it: Swarm says "${why}"${placement}`;
};

const REACH = '. Every node must reach the registry of the image; name one with "actorctl up --registry HOST:PORT"';

export const whyNotStarted = (task: SwarmTask, node: SwarmNode | undefined, image: string): StartFault => {
  const why = task.Status.Err || task.Status.Message || `its task is ${task.Status.State}`;
  const name = nodeName(node, task.NodeID);
  if (task.Status.State === 'rejected' && /image|manifest|pull/i.test(why)) {
    const advice = loginAdvice(why, image, { found: false }) || REACH;
    return { kind: 'start', message: `the node "${name}" cannot pull the image ${image}: ${why}${advice}` };
  }
  const { kind, message } = engineStartFault(why);
  return { kind, message: kind === 'size' ? message : `the node "${name}" cannot start the container: ${message}` };
};

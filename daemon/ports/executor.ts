// Port of executors: they run an actor for one message, and report on their runs after a crash.
import type { Dialect } from '../../src/contract/dialect.ts';
import type { OutputLimits, RunOutputs } from './runs/outputs.ts';
import type { OpenShell, ShellRequest } from './runs/shell.ts';

/** What a container engine can do for runs. */
export interface EngineMeans {
  /** True if limits of memory and processes take effect. */
  readonly limitsResources: boolean;
  readonly limitsProcessors: boolean;
  /** True if runs can reach the API. */
  readonly reachesApi: boolean;
  readonly hasResultSocket: boolean;
  /** True if a run finds the secret value of `NAME` in the file that `NAME_FILE` names. */
  readonly secretsAreFiles: boolean;
}

/** A read-only file of a run. */
export interface RunFile {
  /**
   * Absolute path inside the run. The process executor puts the file into the run folder and its real path into
   * `variable`.
   */
  readonly path: string;
  readonly source: { readonly bytes: Uint8Array } | { readonly file: string };
  /** Environment variable with the path of the file as the run sees it. The executor sets it. */
  readonly variable: string;
}

export interface RunLimits {
  /** Memory limit in bytes. A run that exceeds it is killed (out of memory). */
  readonly memoryBytes: number;
  /** Maximum number of processes and threads. */
  readonly pids: number;
  /**
   * Maximum bytes that a container may write to its own files, without volumes. A run that exceeds it is killed (out of
   * disk). Processes have no such limit. No limit if absent.
   */
  readonly diskBytes?: number;
  /** CPU limit in billionths of a CPU (1e9 = one core). No limit if absent. */
  readonly nanoCpus?: number;
}

export interface RunSpec {
  readonly executionId: string;
  readonly actorId: string;
  readonly workerId: string;
  /** Container image reference, or `file:///absolute/folder`. */
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Names of environment variables with secrets. An executor whose engine shows variables to others passes these as
   * files.
   */
  readonly secretVariables?: readonly string[];
  readonly files: readonly RunFile[];
  readonly limits: RunLimits;
  readonly privileged: boolean;
  /** For `legacy`, whatever the executor adds also has its name of the hosted platform. `modern` if absent. */
  readonly dialect?: Dialect;
  /** Constraints on the node, like `node.labels.gpu==true`. An executor that has only this machine ignores them. */
  readonly placement?: readonly string[];
  /** Absolute path of a unix datagram socket on this machine. Every datagram that the run sends there is a result. */
  readonly resultSocket?: string;
  /**
   * Present if the run may return a result in a file, and with `state` (JSON text) also its next state in a file that
   * begins with this state. The executor makes the files and sets `_svc_result_file` and `_svc_state_file`, if runs can
   * reach files of this machine.
   */
  readonly outputs?: { readonly state?: string };
  /** Present if a person uses the run: another program than that of the image, with input. */
  readonly shell?: { readonly image: string; readonly command: readonly string[]; readonly terminal: boolean };
}

/**
 * Receives the output of a run in order. Never blocks.
 * @param leftOut bytes of output that the executor has left out before `data`. None if absent
 */
export type LogSink = (stream: 'stdout' | 'stderr', data: Uint8Array, leftOut?: number) => void;

/** How a run ended, as reported by the engine. Figures that the engine does not report are absent. */
export interface Ended {
  readonly exitCode: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly outOfMemory: boolean;
  readonly outOfDisk?: boolean;
  readonly cpuNs?: number;
  readonly ioBytes?: number;
  /** `State` of the container in Docker, or the equivalent of another executor. */
  readonly finalState: Readonly<Record<string, unknown>>;
  /** The engine's message when the engine itself stopped during the run. */
  readonly interrupted?: string;
  /** The engine's id of the image. */
  readonly imageId?: string;
}

export interface Running {
  /** Start time in ms since the epoch, as the engine reports it, accurate to some ms. Undefined if not reported yet. */
  readonly startedAt: number | undefined;
  /** Name of the cluster node that runs it. Absent if there is only this machine. */
  readonly node?: string;
  /**
   * Resolves when the run has ended and the sink has all output. Waits while the engine is unavailable. Rejects with
   * `lost`.
   */
  readonly ended: Promise<Ended>;
  /**
   * Resolves after `ended`, once the results that the run sent are stored. Never rejects. If absent, there is nothing
   * to wait for.
   */
  readonly settled?: Promise<void>;
}

/**
 * An object of this instance in the engine, found by its label: a run, or a pause container, which holds a worker's
 * network.
 */
export interface Found {
  readonly ref: string;
  readonly kind: 'run' | 'pause';
  readonly executionId: string;
  readonly workerId: string;
  readonly state: 'created' | 'running' | 'ended';
}

export type EngineStatus =
  | {
      readonly available: true;
      readonly description: string;
      readonly endpoint?: string;
      readonly apiVersion?: string;
      readonly limitations?: readonly string[];
    }
  | { readonly available: false; readonly reason: string };

export interface EngineNode {
  readonly name: string;
  readonly available: boolean;
  /** The node's state as the cluster reports it, such as `ready`, `drained` or `down`. */
  readonly detail: string;
}

/**
 * - `unavailable`: the engine does not respond; try again later
 * - `image`: the image cannot be used or built; the message is the engine's
 * - `pull`: the image, or the base image of a build, cannot be pulled; the message has the cause and the fix
 * - `start`: the run cannot be created or started; try again a few times; the message is the engine's
 * - `never`: no run of the actor can be started until the actor, its image or its folder is changed; the message has the
 *   cause and the fix
 * - `size`: this run can never be started, because it is too large; other runs of the actor can
 * - `full`: the run was not started, because the cluster has no room for it now; try again later
 * - `lost`: the engine no longer knows the run
 */
export type ExecutorErrorKind = 'unavailable' | 'image' | 'pull' | 'start' | 'never' | 'size' | 'full' | 'lost';

/** The kinds of errors after which the run certainly has not started. */
const NOT_STARTED: readonly ExecutorErrorKind[] = ['start', 'never', 'size', 'full'];

export class ExecutorError extends Error {
  readonly kind: ExecutorErrorKind;
  constructor(kind: ExecutorErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExecutorError';
    this.kind = kind;
  }
}

export const neverStarted = (error: unknown): boolean =>
  error instanceof ExecutorError && NOT_STARTED.includes(error.kind);

/** Tracks whether an engine can have objects of this data folder. */
export interface EngineUse {
  happened(): boolean;
  /** Must resolve before the first call that can create an object. Cheap once recorded. */
  record(): Promise<void>;
}

/** Runs actors. Every promise settles within a limited time, and every method may throw ExecutorError. */
export interface Executor {
  takes(image: string): boolean;
  /** Minimum memory limit with which a run can start, in bytes. 0 if any is accepted. */
  readonly leastMemoryBytes: number;
  /** Checks whether the engine responds, with a time limit. Results are cached for about a second. Never throws. */
  probe(signal: AbortSignal): Promise<EngineStatus>;
  /** The nodes of the cluster. Absent if there is only this machine. @throws ExecutorError unavailable */
  nodes?(): Promise<readonly EngineNode[]>;
  /**
   * Why runs of an image cannot start, as a sentence, if that is known without a download. Undefined if nothing is known
   * against it. Absent if only `prepare` can find out.
   */
  imageFault?(image: string): Promise<string | undefined>;
  /** Pulls the image if it is missing and checks that it defines a command. @throws ExecutorError image, pull, unavailable */
  prepare(image: string, onProgress: (text: string) => void, signal: AbortSignal): Promise<void>;
  /**
   * What runs can use. Undefined while no engine responds. Absent if runs have everything. Never throws.
   */
  means?(): Promise<EngineMeans | undefined>;
  /** The address at which a run reaches the daemon's API, for an actor of that dialect. Undefined if it cannot. */
  apiServer(dialect: Dialect): Promise<string | undefined>;
  /**
   * Creates a run without starting it. Returns its reference, which stays valid after a daemon restart.
   * @param warn receives what the engine reports about options of the run that have no effect
   */
  create(spec: RunSpec, signal: AbortSignal, warn?: (text: string) => void): Promise<string>;
  /**
   * Starts a created run; a second call has no effect. `sink` receives all output from the first byte. When `halted`
   * fires, a start that is waiting for a node is given up.
   * @throws ExecutorError start, never, size, full, lost, unavailable
   */
  start(ref: string, sink: LogSink, halted?: AbortSignal): Promise<Running>;
  /**
   * After a restart: follows a run that is running or has ended. `sink` receives all its output again from the first
   * byte. A run that waits for a node of a cluster keeps waiting, until `halted` fires. @throws ExecutorError start, lost,
   * unavailable
   */
  reattach(ref: string, sink: LogSink, halted?: AbortSignal): Promise<Running>;
  /**
   * Stops the run with all its children: SIGTERM, and SIGKILL after `graceMs` (0: SIGKILL at once). Resolves when the
   * run is over. Ignores unknown and ended runs. A stop in progress does not block another one: the earliest SIGKILL
   * counts. A cluster may have a fixed grace period for every stop.
   */
  stop(ref: string, graceMs: number): Promise<void>;
  /**
   * What an ended run has left in its output files. Can be called again until `remove`, by a later daemon too. Absent if
   * runs never have such files.
   */
  outputs?(ref: string, limits: OutputLimits): Promise<RunOutputs>;
  /** Opens a shell in a run like `spec`. Absent if the executor cannot. @throws ExecutorError */
  openShell?(spec: RunSpec, request: ShellRequest, signal: AbortSignal): Promise<OpenShell>;
  /** Removes a run or pause container, and kills it if it is running. Ignores an unknown one. */
  remove(ref: string): Promise<void>;
  list(): Promise<readonly Found[]>;
  /** Releases the resources of a worker that runs nothing any more, such as its network namespace. */
  closeWorker(workerId: string): Promise<void>;
  /** Calls `listener` when the engine becomes available (true) or unavailable (false). Returns the unsubscribe. */
  onAvailability(listener: (available: boolean) => void): () => void;
  /**
   * Closes the executor. Runs continue. With `removeAll`, also removes everything of this instance; nothing of it may
   * be running then.
   */
  close(options: { readonly removeAll: boolean }): Promise<void>;
}

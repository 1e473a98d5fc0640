// The port of executors: they run one actor for one message, and can be asked about it after a crash.

/** A file that the run finds read-only at `path`; `content` is bytes or a file of this machine. */
export interface RunFile {
  /** Absolute path inside the run. The process executor puts it below the run folder and tells where (see `RunSpec.environment`). */
  readonly path: string;
  readonly source: { readonly bytes: Uint8Array } | { readonly file: string };
  /** Variable that names the file inside the run; the executor sets it to the path the run really sees. */
  readonly variable: string;
}

export interface RunLimits {
  /** Bytes; the run is killed above it (out of memory). */
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly pids: number;
  /** Nano-CPUs (1e9 = one core); absent = no limit. */
  readonly nanoCpus?: number;
}

export interface RunSpec {
  readonly executionId: string;
  readonly actorId: string;
  readonly workerId: string;
  /** Container image reference, or `file:///absolute/folder`. */
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly files: readonly RunFile[];
  readonly limits: RunLimits;
  readonly privileged: boolean;
  /** Absolute path of a unix datagram socket of this machine; what the run sends there are its results. */
  readonly resultSocket?: string;
}

/** Takes the output of a run, in the order in which it came. Never blocks; what is beyond the cap it drops itself. */
export type LogSink = (stream: 'stdout' | 'stderr', data: Uint8Array) => void;

/** How a run ended, as the engine tells it; figures it cannot tell are absent. */
export interface Ended {
  readonly exitCode: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly outOfMemory: boolean;
  readonly cpuNs?: number;
  readonly ioBytes?: number;
  /** Docker's `State` of the container or its like. */
  readonly finalState: Readonly<Record<string, unknown>>;
  /** Set when the engine itself went down under the run, in its own words. */
  readonly interrupted?: string;
}

export interface Running {
  /** ms since the epoch, from the engine. */
  readonly startedAt: number;
  /**
   * Resolves when the run has ended and all its output was handed to the sink.
   * While the engine is away it waits for it to come back. Rejects with ExecutorError `lost` when the engine no longer knows the run.
   */
  readonly ended: Promise<Ended>;
}

/** A run or a helper of this instance that exists in the engine, found by label. */
export interface Found {
  readonly ref: string;
  readonly kind: 'run' | 'holder';
  readonly executionId: string;
  readonly workerId: string;
  readonly state: 'created' | 'running' | 'ended';
}

export type EngineStatus =
  | { readonly available: true; readonly description: string; readonly endpoint?: string; readonly apiVersion?: string }
  | { readonly available: false; readonly reason: string };

/**
 * - `unavailable`: no engine answers; try again later
 * - `image`: the image cannot be had, in the engine's own words
 * - `start`: the run cannot be created or started, in the engine's own words
 * - `lost`: the engine no longer knows the run
 */
export type ExecutorErrorKind = 'unavailable' | 'image' | 'start' | 'lost';

export class ExecutorError extends Error {
  readonly kind: ExecutorErrorKind;
  constructor(kind: ExecutorErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExecutorError';
    this.kind = kind;
  }
}

/** Every promise here is bounded in time; every method may throw ExecutorError. */
export interface Executor {
  /** Whether this executor runs that image. */
  takes(image: string): boolean;
  /** Dials the engine (bounded, cached for about a second). Never throws. */
  probe(signal: AbortSignal): Promise<EngineStatus>;
  /** Makes the image present (pulls it if absent) and checks that it has something to run. @throws ExecutorError image, unavailable */
  prepare(image: string, onProgress: (text: string) => void, signal: AbortSignal): Promise<void>;
  /** The address under which a run reaches the daemon's API; undefined when a run cannot. */
  apiServer(): Promise<string | undefined>;
  /** Creates the run without starting it; returns its ref, which stays valid over a restart of the daemon. @throws ExecutorError start, image, unavailable */
  create(spec: RunSpec, signal: AbortSignal): Promise<string>;
  /** Starts a created run. Starting twice starts once. `sink` gets all its output from the first byte. @throws ExecutorError start, lost, unavailable */
  start(ref: string, sink: LogSink): Promise<Running>;
  /** After a restart: takes up a run that is running or has ended; `sink` gets its whole output again from the first byte. @throws ExecutorError lost, unavailable */
  reattach(ref: string, sink: LogSink): Promise<Running>;
  /** SIGTERM, and SIGKILL after `graceMs` (0: at once), to the run with all its children. Resolves when the signals are sent and it is over. Unknown or ended: nothing. */
  stop(ref: string, graceMs: number): Promise<void>;
  /** Removes the run or holder, killing it if it still runs. Unknown: nothing. */
  remove(ref: string): Promise<void>;
  /** Everything of this instance that the engine has. @throws ExecutorError unavailable */
  list(): Promise<readonly Found[]>;
  /** The worker runs nothing any more: frees what it held (its standing network namespace). */
  closeWorker(workerId: string): Promise<void>;
  /** Called with `true` when an engine has (re)appeared, `false` when it went away. Returns the unsubscribe. */
  onAvailability(listener: (available: boolean) => void): () => void;
  /** Lets go of connections and timers; runs go on. With `removeAll`, also removes whatever is left of this instance: nothing of it runs any more. */
  close(options: { readonly removeAll: boolean }): Promise<void>;
}

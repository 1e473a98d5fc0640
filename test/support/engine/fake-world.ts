// A container engine in memory that survives every daemon of a test. Its images are scripts, and a test can cause any
// failure of the engine.
import type { Ended, EngineMeans, Found, LogSink, RunSpec } from '../../../daemon/ports/executor.ts';

/** The inputs and outputs of a script. */
export interface ScriptIo {
  readonly spec: RunSpec;
  /** The variables of the run, including those that name files. */
  readonly environment: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, Buffer>;
  /** Fires at SIGTERM. */
  readonly terminated: AbortSignal;
  out(text: string | Uint8Array): void;
  err(text: string): void;
  /** The output files, which the script may change. */
  readonly returned: FakeOutputs;
}

export interface FakeOutputs {
  result: string;
  /** Undefined for a stateless actor. */
  state: string | undefined;
}

/**
 * Resolves to the exit code. An exception kills the run: `outOfMemory` as out of memory, any other without a reason.
 */
export type Script = (io: ScriptIo) => Promise<number>;

export const outOfMemory = Symbol('out of memory');

export interface FakeRun {
  readonly ref: string;
  readonly spec: RunSpec;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly returned: FakeOutputs;
  readonly output: ['stdout' | 'stderr', Buffer][];
  readonly sinks: Set<LogSink>;
  readonly term: AbortController;
  readonly ended: Promise<Ended>;
  readonly end: (ended: Omit<Ended, 'startedAt' | 'finishedAt' | 'finalState'>) => void;
  state: Found['state'];
  startedAt: number;
}

/** The engine itself, which survives every daemon. */
export interface FakeWorld {
  /** The images by name. `null` is an image that can be created but not started. */
  readonly images: Map<string, Script | null>;
  readonly runs: Map<string, FakeRun>;
  /** The workers that have a pause container. */
  readonly networks: Set<string>;
  /** Executions in the order of their real starts. An execution that started twice is listed twice. */
  readonly starts: string[];
  /** Maximum number of simultaneous runs, per actor and in total (under the key `all`). */
  readonly peak: Map<string, number>;
  available: boolean;
  /** What it can do for runs; undefined: everything. */
  means: EngineMeans | undefined;
  /** What it reports when a run is created. */
  warnings: readonly string[];
  /** Name of the node that runs everything; undefined as on a single machine. */
  node: string | undefined;
  /** When the results of its runs are stored; undefined: at their end. */
  settled: Promise<void> | undefined;
  /** Errors for the named steps: a returned error is thrown, a returned promise is awaited. */
  readonly faults: {
    prepare?: (image: string, onProgress: (text: string) => void, signal: AbortSignal) => Promise<void>;
    create?: (spec: RunSpec) => Error | undefined | Promise<Error | undefined>;
    start?: (spec: RunSpec, halted?: AbortSignal) => Error | undefined | Promise<Error | undefined>;
    /** Called after the run has started, so that only the response of the start is lost. */
    started?: (spec: RunSpec) => Error | undefined;
  };
  /** Makes the engine unavailable or available. Runs are not affected. */
  setAvailable(available: boolean): void;
  /** Makes the engine die together with its runs. */
  interrupt(words: string): void;
  /** Removes all runs without the executor, as another user of the engine could. */
  forget(): void;
  /** The existing runs and networks. */
  leftovers(): string[];
}

/** The engine as seen by its executors. */
export interface World extends FakeWorld {
  readonly listeners: Set<(available: boolean) => void>;
}

export const createFakeWorld = (): FakeWorld => {
  const listeners = new Set<(available: boolean) => void>();
  const world: World = {
    images: new Map(),
    runs: new Map(),
    networks: new Set(),
    starts: [],
    peak: new Map(),
    available: true,
    means: undefined,
    warnings: [],
    node: undefined,
    settled: undefined,
    faults: {},
    listeners,
    setAvailable(available) {
      world.available = available;
      for (const listener of listeners) listener(available);
    },
    interrupt(words) {
      for (const run of world.runs.values()) {
        if (run.state === 'running') run.end({ exitCode: 255, outOfMemory: false, interrupted: words });
      }
    },
    forget: () => world.runs.clear(),
    leftovers: () => [...world.runs.keys(), ...world.networks],
  };
  return world;
};

/** Resolves when the signal fires. */
export const fired = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Scripts for tests of the engine. `gated` runs until the test releases its message. */
export const scripts = {
  hello: async ({ out, environment }) => {
    out(`hello ${environment['MSG'] ?? ''}\n`);
    return 0;
  },
  failing: async ({ err }) => {
    err('failing\n');
    return 3;
  },
  untilTerm: async ({ out, terminated }) => {
    out('ready\n');
    await fired(terminated);
    return 143;
  },
  forever: async ({ out }) => {
    out('ready\n');
    await new Promise(() => undefined);
    return 0;
  },
} as const satisfies Record<string, Script>;

// An engine in memory that outlives every daemon: its images are scripts, and everything that can go wrong outside can be made to.
import type { Ended, Found, LogSink, RunSpec } from '../../../daemon/ports/executor.ts';

/** What a script sees of its run. */
export interface ScriptIo {
  readonly spec: RunSpec;
  /** The variables of the run, those that name files included. */
  readonly environment: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, Buffer>;
  /** Fires at SIGTERM. */
  readonly terminated: AbortSignal;
  out(text: string | Uint8Array): void;
  err(text: string): void;
}

/** Resolves to the exit code; what it throws kills the run: `outOfMemory` or nothing special. */
export type Script = (io: ScriptIo) => Promise<number>;

export const outOfMemory = Symbol('out of memory');

export interface FakeRun {
  readonly ref: string;
  readonly spec: RunSpec;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly output: ['stdout' | 'stderr', Buffer][];
  readonly sinks: Set<LogSink>;
  readonly term: AbortController;
  readonly ended: Promise<Ended>;
  readonly end: (ended: Omit<Ended, 'startedAt' | 'finishedAt' | 'finalState'>) => void;
  state: Found['state'];
  startedAt: number;
}

/** The engine itself: outlives every daemon. */
export interface FakeWorld {
  /** Images that are there, by name; `null`: can be created, not started. */
  readonly images: Map<string, Script | null>;
  readonly runs: Map<string, FakeRun>;
  readonly holders: Set<string>;
  /** Executions in the order in which they really started; more than once if they did. */
  readonly starts: string[];
  /** Most runs at the same time, per actor and in all (under the key `all`). */
  readonly peak: Map<string, number>;
  available: boolean;
  /** Thrown by the step when it answers an error; awaited when it answers a promise. */
  readonly faults: {
    prepare?: (image: string, onProgress: (text: string) => void, signal: AbortSignal) => Promise<void>;
    create?: (spec: RunSpec) => Error | undefined | Promise<Error | undefined>;
    start?: (spec: RunSpec) => Error | undefined;
    /** After the run has started: the answer is lost. */
    started?: (spec: RunSpec) => Error | undefined;
  };
  /** The engine goes away, or comes back; runs are not touched. */
  setAvailable(available: boolean): void;
  /** The engine dies under its runs. */
  interrupt(words: string): void;
  /** Somebody else removes all runs. */
  forget(): void;
  /** Runs and holders that are there. */
  leftovers(): string[];
}

/** The world as its executors see it. */
export interface World extends FakeWorld {
  readonly listeners: Set<(available: boolean) => void>;
}

export const createFakeWorld = (): FakeWorld => {
  const listeners = new Set<(available: boolean) => void>();
  const world: World = {
    images: new Map(),
    runs: new Map(),
    holders: new Set(),
    starts: [],
    peak: new Map(),
    available: true,
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
    leftovers: () => [...world.runs.keys(), ...world.holders],
  };
  return world;
};

/** Resolves when the signal fires. */
export const fired = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Scripts for tests of the engine; `gated` runs until its message is let through. */
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

// Runs every mutant in one worker thread. Vitest starts a thread for each run, which is ten times slower than the tests
// of a mutant.
import type { Plugin } from 'vitest/config';
import { type PoolOptions, type PoolWorker, ThreadsPoolWorker } from 'vitest/node';

type Listener = Parameters<PoolWorker['on']>[1];
type Request = Parameters<PoolWorker['send']>[0];
type Config = Extract<Request, { type: 'start' }>['context']['config'];

/** Set while the thread lives. */
let thread: ThreadsPoolWorker | undefined;

const startThread = async (options: PoolOptions): Promise<ThreadsPoolWorker> => {
  const started = new ThreadsPoolWorker(options);
  await started.start();
  started.on('exit', () => {
    thread = undefined;
  });
  return started;
};

/** One run in the thread. Modules are fresh in every test file, because vitest resets them when `isolate` is on. */
class Run implements PoolWorker {
  readonly name = 'reused-thread';
  private readonly listeners: [string, Listener][] = [];
  private readonly options: PoolOptions;
  private config: Config | undefined;
  private isFirst = false;

  constructor(options: PoolOptions) {
    this.options = options;
  }

  async start(): Promise<void> {
    this.isFirst = thread === undefined;
    thread ??= await startThread(this.options);
  }

  async stop(): Promise<void> {
    for (const [event, listener] of this.listeners.splice(0)) thread?.off(event, listener);
  }

  on(event: string, listener: Listener): void {
    this.listeners.push([event, listener]);
    thread?.on(event, listener);
  }

  off(event: string, listener: Listener): void {
    thread?.off(event, listener);
  }

  /** The thread itself is asked to start once and never to stop. Each run brings its own configuration, which names its tests. */
  send(request: Request): void {
    if (request.type === 'start') this.config = request.context.config;
    if (request.type === 'stop') this.answer('stopped');
    else if (request.type === 'start' && !this.isFirst) this.answer('started');
    else if (request.type === 'run') thread?.send(this.configured(request));
    else thread?.send(request);
  }

  /** The thread spreads the context of a run over that of its start. */
  private configured(request: Extract<Request, { type: 'run' }>): Request {
    return { ...request, context: Object.assign(request.context, { config: this.config }) };
  }

  deserialize(data: unknown): unknown {
    return data;
  }

  private answer(type: 'started' | 'stopped'): void {
    for (const [event, listener] of [...this.listeners]) {
      if (event === 'message') listener({ type, __vitest_worker_response__: true });
    }
  }
}

/** Replaces the pool that Stryker asks for. */
export const keptThread = (): Plugin => ({
  name: 'reused-thread',
  configureVitest: ({ project }) => {
    const poolRunner = {
      name: 'reused-thread',
      createPoolWorker: (options: PoolOptions): PoolWorker => new Run(options),
    };
    Object.assign(project.config, { pool: poolRunner.name, poolRunner });
  },
});

// An executor over the container engine in memory. Each daemon of a test creates its own at its start.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Ended,
  type Executor,
  ExecutorError,
  type Found,
  type LogSink,
  type RunSpec,
} from '../../../daemon/ports/executor.ts';
import type { Output } from '../../../daemon/ports/runs/outputs.ts';
import { type FakeRun, type FakeWorld, outOfMemory, type Script, type World } from './fake-world.ts';

const MISSING = 'fake engine: no such image: ';

let serial = 0;

const createRun = (spec: RunSpec, files: FakeRun['files']): FakeRun => {
  serial += 1;
  let settle: (ended: Ended) => void = () => undefined;
  const ended = new Promise<Ended>((resolve) => {
    settle = resolve;
  });
  const run: FakeRun = {
    ref: `fake-${serial}`,
    spec,
    files,
    returned: { result: '', state: spec.outputs?.state },
    output: [],
    sinks: new Set(),
    term: new AbortController(),
    ended,
    end(how) {
      if (run.state === 'ended') return;
      run.state = 'ended';
      const finishedAt = Math.max(run.startedAt, Date.now());
      settle({ ...how, startedAt: run.startedAt, finishedAt, finalState: { ExitCode: how.exitCode } });
    },
    state: 'created',
    startedAt: 0,
  };
  return run;
};

const note = (world: FakeWorld, spec: RunSpec): void => {
  const running = [...world.runs.values()].filter((run) => run.state === 'running');
  const ofActor = running.filter((run) => run.spec.actorId === spec.actorId).length;
  world.starts.push(spec.executionId);
  world.peak.set('all', Math.max(world.peak.get('all') ?? 0, running.length));
  world.peak.set(spec.actorId, Math.max(world.peak.get(spec.actorId) ?? 0, ofActor));
};

const emit = (run: FakeRun, stream: 'stdout' | 'stderr', data: Buffer): void => {
  if (run.state !== 'running') return;
  run.output.push([stream, data]);
  for (const sink of run.sinks) sink(stream, data);
};

const execute = async (run: FakeRun, script: Script): Promise<void> => {
  const environment = {
    ...run.spec.environment,
    ...Object.fromEntries(run.spec.files.map(({ variable, path }) => [variable, path])),
  };
  try {
    const exitCode = await script({
      spec: run.spec,
      environment,
      files: run.files,
      returned: run.returned,
      terminated: run.term.signal,
      out: (text) => emit(run, 'stdout', Buffer.from(text)),
      err: (text) => emit(run, 'stderr', Buffer.from(text)),
    });
    run.end({ exitCode, outOfMemory: false });
  } catch (error) {
    run.end({ exitCode: 137, outOfMemory: error === outOfMemory });
  }
};

/** Creates an executor over that engine, as a daemon does at its start. */
export const createFakeExecutor = (
  given: FakeWorld,
  {
    read = () => Promise.resolve(Buffer.alloc(0)),
    takes = () => true,
  }: {
    /** Reads a file of this machine that a run gets. */
    readonly read?: (file: string) => Promise<Buffer>;
    readonly takes?: (image: string) => boolean;
  } = {},
): Executor => {
  const world = given as World;
  const reach = async (): Promise<void> => {
    await sleep(0);
    if (!world.available) throw new ExecutorError('unavailable', 'the fake engine does not answer');
  };
  const known = (ref: string): FakeRun => {
    const run = world.runs.get(ref);
    if (run === undefined) throw new ExecutorError('lost', `the fake engine knows no run ${ref}`);
    return run;
  };
  const attach = (run: FakeRun, sink: LogSink) => {
    for (const [stream, data] of run.output) sink(stream, data);
    run.sinks.add(sink);
    const { node, settled } = world;
    return {
      startedAt: run.startedAt,
      ended: run.ended,
      ...(node !== undefined && { node }),
      ...(settled !== undefined && { settled }),
    };
  };

  return {
    takes,
    leastMemoryBytes: 0,
    async probe() {
      return world.available
        ? { available: true, description: 'fake engine', endpoint: 'memory' }
        : { available: false, reason: 'the fake engine does not answer' };
    },
    async nodes() {
      await reach();
      return world.node === undefined ? [] : [{ name: world.node, available: true, detail: 'ready' }];
    },
    async prepare(image, onProgress, signal) {
      await reach();
      await world.faults.prepare?.(image, onProgress, signal);
      if (!world.images.has(image)) throw new ExecutorError('image', MISSING + image);
    },
    means: async () => world.means,
    apiServer: async () => (world.means?.reachesApi === false ? undefined : 'http://172.30.0.1:8722'),
    async create(spec, _signal, warn) {
      await reach();
      const fault = await world.faults.create?.(spec);
      if (fault !== undefined) throw fault;
      if (!world.images.has(spec.image)) throw new ExecutorError('image', MISSING + spec.image);
      const files = new Map<string, Buffer>();
      for (const { path, source } of spec.files) {
        files.set(path, 'bytes' in source ? Buffer.from(source.bytes) : await read(source.file));
      }
      for (const text of world.warnings) warn?.(text);
      const run = createRun(spec, files);
      world.networks.add(spec.workerId);
      world.runs.set(run.ref, run);
      return run.ref;
    },
    async start(ref, sink, halted) {
      await reach();
      const run = known(ref);
      const script = world.images.get(run.spec.image);
      const fault = run.state === 'created' ? await world.faults.start?.(run.spec, halted) : undefined;
      if (run.state === 'created') {
        if (fault !== undefined) throw fault;
        if (script == null) throw new ExecutorError('never', 'fake engine: no such file or directory');
        run.state = 'running';
        run.startedAt = Date.now();
        note(world, run.spec);
        execute(run, script).catch((error: unknown) => run.end(brokenBy(error)));
      }
      const lostAnswer = world.faults.started?.(run.spec);
      if (lostAnswer !== undefined) throw lostAnswer;
      return attach(run, sink);
    },
    async reattach(ref, sink) {
      await reach();
      return attach(known(ref), sink);
    },
    async stop(ref, graceMs) {
      await reach();
      const run = world.runs.get(ref);
      if (run?.state !== 'running') return;
      if (graceMs > 0) {
        run.term.abort();
        const grace = new AbortController();
        await Promise.race([run.ended, sleep(graceMs, undefined, { signal: grace.signal }).catch(() => undefined)]);
        grace.abort();
      }
      run.end({ exitCode: 137, outOfMemory: false });
    },
    async outputs(ref, limits) {
      await reach();
      const run = world.runs.get(ref);
      if (run === undefined) return {};
      const { returned, spec } = run;
      const { result, state = spec.outputs?.state } = returned;
      const output = (text: string, limit: number): Output =>
        text.length > limit ? { fault: `the file has more than ${limit} bytes` } : { bytes: Buffer.from(text) };
      return {
        ...(result !== '' && { result: output(result, limits.resultBytes) }),
        ...(state !== undefined && state !== spec.outputs?.state && { state: output(state, limits.stateBytes) }),
      };
    },
    async remove(ref) {
      await reach();
      world.runs.get(ref)?.end({ exitCode: 137, outOfMemory: false });
      world.runs.delete(ref);
      if (ref.startsWith('pause-')) world.networks.delete(ref.slice('pause-'.length));
    },
    async list() {
      await reach();
      const runs = [...world.runs.values()].map(
        ({ ref, spec: { executionId, workerId }, state }): Found => ({
          ref,
          kind: 'run',
          executionId,
          workerId,
          state,
        }),
      );
      const networks = [...world.networks].map(
        (workerId): Found => ({
          ref: `pause-${workerId}`,
          kind: 'pause',
          executionId: '',
          workerId,
          state: 'running',
        }),
      );
      return [...runs, ...networks];
    },
    async closeWorker(workerId) {
      await reach();
      world.networks.delete(workerId);
    },
    onAvailability(listener) {
      world.listeners.add(listener);
      return () => world.listeners.delete(listener);
    },
    async close({ removeAll }) {
      if (removeAll) world.networks.clear();
    },
  };
};

const brokenBy = (error: unknown): Omit<Ended, 'startedAt' | 'finishedAt' | 'finalState'> => ({
  exitCode: 255,
  outOfMemory: false,
  interrupted: String(error),
});

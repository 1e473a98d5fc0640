// The runs that the runner owns: created, started once, followed, stopped, removed.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ended, ExecutorError, type Found, type LogSink } from '../../ports/executor.ts';
import { spawnRun } from './child.ts';
import { type EndRecord, outputFile, writeEndRecord } from './end-record.ts';
import { type Breach, breach } from './limits.ts';
import { createOutput, type Output } from './output.ts';
import { type Kin, killAll, measure, processesOf, signalAll } from './processes.ts';
import type { RunOrder } from './protocol.ts';
import { createSweep } from './sweep.ts';

interface Run {
  readonly ref: string;
  readonly executionId: string;
  readonly workerId: string;
  readonly folder: string;
  readonly output: Output;
  readonly followers: Set<LogSink>;
  /** Its processes at the last look. */
  readonly seen: Map<number, string>;
  /** Absent for a run of an earlier runner: what it was to do went with that one, so nothing can be started twice. */
  readonly order: RunOrder | undefined;
  /** The one attempt to start it; what comes later gets the outcome of this one. */
  launched: Promise<void> | undefined;
  startedAt: number | undefined;
  pid: number | undefined;
  /** Why we killed it, if one of its limits was the reason. */
  exceeded: Breach | undefined;
  /** Resolves with the end once all output was handed to the followers; undefined until started. */
  end: Promise<Ended> | undefined;
  ended: Ended | undefined;
  /** Resolves when, after the end, no process is left and the end is on disk. */
  settled: Promise<void>;
}

export interface Following {
  readonly startedAt: number;
  readonly ended: Promise<Ended>;
}

export interface Runs {
  create(order: RunOrder): void;
  /** Starts it, unless that has been done before, and follows it. @throws ExecutorError lost, start */
  start(ref: string, follower: LogSink): Promise<Following>;
  /** Hands the output so far, from its first byte, to the follower at once, and then the rest as it comes. @throws ExecutorError lost, start */
  follow(ref: string, follower: LogSink): Following;
  unfollow(follower: LogSink): void;
  /** Resolves when it is over. */
  stop(ref: string, graceMs: number): Promise<void>;
  /** Kills it, and removes its folder. */
  remove(ref: string): Promise<void>;
  list(): Found[];
  /** Runs that were created and not started. */
  planned(): number;
  /** Runs that go on, or whose end is not on disk yet. */
  busy(): number;
  /** Kills everything that runs. */
  killEverything(): Promise<void>;
}

// Limits are held by looking, not by the kernel (that would take a cgroup of our own): a run can be above them for as long as this.
const LOOK_MS = 250;

/** `known`: runs that ended under a runner before this one. */
export const createRuns = (options: {
  readonly runsFolder: string;
  readonly outputCapBytes: number;
  readonly known: readonly EndRecord[];
}): Runs => {
  const runs = new Map<string, Run>();
  const settling = new Set<Run>();
  let looking: NodeJS.Timeout | undefined;
  const sweep = createSweep();

  const enter = (ids: RunOrder | EndRecord, from: { order: RunOrder } | { ended: Ended }): void => {
    const { ref, executionId, workerId } = ids;
    const folder = join(options.runsFolder, ref);
    const ended = 'ended' in from ? from.ended : undefined;
    runs.set(ref, {
      ref,
      executionId,
      workerId,
      folder,
      output: createOutput(join(folder, outputFile), options.outputCapBytes, ended !== undefined),
      followers: new Set(),
      seen: new Map(),
      order: 'order' in from ? from.order : undefined,
      launched: undefined,
      startedAt: ended?.startedAt,
      pid: undefined,
      exceeded: undefined,
      end: ended && Promise.resolve(ended),
      ended,
      settled: Promise.resolve(),
    });
  };
  for (const record of options.known) enter(record, { ended: record.ended });

  const stateOf = (run: Run): Found['state'] =>
    run.ended !== undefined ? 'ended' : run.startedAt !== undefined ? 'running' : 'created';
  const running = () => [...runs.values()].filter((run) => stateOf(run) === 'running');
  const kin = ({ executionId, pid, seen }: Run): Kin => ({ executionId, session: pid, seen });

  const look = (): void => {
    const watched = running();
    const found = processesOf(watched.map(kin));
    for (const run of watched) {
      if (run.order === undefined || run.exceeded !== undefined) continue;
      run.exceeded = breach(run.order, measure(found.get(run.executionId) ?? []));
      if (run.exceeded === undefined) continue;
      void killAll([kin(run)]);
    }
  };
  const keepLooking = (): void => {
    if (running().length === 0) {
      clearInterval(looking);
      looking = undefined;
    } else looking ??= setInterval(look, LOOK_MS);
  };

  const known = (ref: string): Run => {
    const run = runs.get(ref);
    if (run === undefined) throw new ExecutorError('lost', `The run ${ref} is not known to the runner.`);
    return run;
  };

  const settle = async (run: Run, ended: Ended): Promise<void> => {
    settling.add(run);
    await sweep(kin(run));
    // From here on its number may be given to a process that is none of ours.
    run.pid = undefined;
    try {
      await writeEndRecord(
        run.folder,
        { ref: run.ref, executionId: run.executionId, workerId: run.workerId, ended },
        run.output.descriptor(),
      );
    } catch (error) {
      // Known in memory and told to the daemon; lost only if both go down now.
      console.error(`the end of ${run.ref} cannot be kept: ${String(error)}`);
    }
    run.output.close();
    settling.delete(run);
  };

  const launch = async (run: Run, order: RunOrder): Promise<void> => {
    const child = await spawnRun(order, (stream, data) => {
      const kept = run.output.keep(stream, data);
      if (kept !== undefined) for (const follower of run.followers) follower(stream, kept);
    });
    run.startedAt = child.startedAt;
    run.pid = child.pid;
    run.end = child.over.then(({ exitCode, finishedAt, signal }) => {
      const time = (ms: number) => new Date(ms).toISOString();
      const outOfMemory = run.exceeded?.what === 'memory';
      const ended: Ended = {
        exitCode,
        startedAt: child.startedAt,
        finishedAt,
        outOfMemory,
        finalState: {
          Status: 'exited',
          ExitCode: exitCode,
          ...(signal === undefined ? {} : { Signal: signal }),
          OOMKilled: outOfMemory,
          Error: run.exceeded?.words ?? '',
          Pid: child.pid,
          StartedAt: time(child.startedAt),
          FinishedAt: time(finishedAt),
        },
      };
      run.ended = ended;
      run.settled = settle(run, ended);
      keepLooking();
      return ended;
    });
    keepLooking();
  };

  const follow: Runs['follow'] = (ref, follower) => {
    const run = known(ref);
    if (run.startedAt === undefined || run.end === undefined) {
      throw new ExecutorError('start', `The run ${ref} has not been started.`);
    }
    run.output.replay(follower);
    if (run.ended === undefined) run.followers.add(follower);
    return { startedAt: run.startedAt, ended: run.end };
  };

  return {
    create: (order) => {
      if (runs.has(order.ref)) throw new ExecutorError('start', `The run ${order.ref} exists already.`);
      enter(order, { order });
    },
    start: async (ref, follower) => {
      const run = known(ref);
      if (run.order !== undefined) run.launched ??= launch(run, run.order);
      await run.launched;
      return follow(ref, follower);
    },
    follow,
    unfollow: (follower) => {
      for (const run of runs.values()) run.followers.delete(follower);
    },
    stop: async (ref, graceMs) => {
      const run = runs.get(ref);
      // Whoever started it has been told of a failure.
      await run?.launched?.catch(() => undefined);
      if (run?.end === undefined || run.ended !== undefined) return;
      if (graceMs > 0) {
        signalAll(kin(run), 'SIGTERM');
        let timer: NodeJS.Timeout | undefined;
        const grace = new Promise<void>((resolve) => {
          timer = setTimeout(resolve, graceMs);
        });
        await Promise.race([run.end, grace]);
        clearTimeout(timer);
      }
      if (run.ended === undefined) await killAll([kin(run)]);
      await run.end;
      await run.settled;
    },
    remove: async (ref) => {
      const run = runs.get(ref);
      if (run === undefined) return;
      // Whoever started it has been told of a failure.
      await run.launched?.catch(() => undefined);
      if (run.end !== undefined) {
        if (run.ended === undefined) await killAll([kin(run)]);
        await run.end;
        await run.settled;
      }
      runs.delete(ref);
      await rm(run.folder, { recursive: true, force: true, maxRetries: 3 });
    },
    list: () =>
      [...runs.values()].map((run) => ({
        ref: run.ref,
        kind: 'run',
        executionId: run.executionId,
        workerId: run.workerId,
        state: stateOf(run),
      })),
    planned: () => [...runs.values()].filter((run) => stateOf(run) === 'created').length,
    busy: () => running().length + settling.size,
    killEverything: () => killAll(running().map(kin)),
  };
};

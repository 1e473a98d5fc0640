// The runs of the runner: creates, starts, follows, stops and removes them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '../../../src/local/folders/remove-tree.ts';
import { type Ended, ExecutorError, type Found, type LogSink } from '../../ports/executor.ts';
import { spawnRun } from './child.ts';
import { type EndRecord, endedOf, outputFile, writeEndRecord } from './end-record.ts';
import { createLimitWatch, processesOfRun } from './limit-watch.ts';
import type { ExceededLimit } from './limits.ts';
import { createOutput, type Output } from './output.ts';
import { killAll, signalAll } from './processes.ts';
import type { RunOrder } from './protocol.ts';
import { createSweep } from './sweep.ts';

interface Run {
  readonly ref: string;
  readonly executionId: string;
  readonly workerId: string;
  readonly folder: string;
  readonly output: Output;
  readonly followers: Set<LogSink>;
  /** The processes found at the last search, with their start times. */
  readonly seen: Map<number, string>;
  /**
   * The daemon's order for the run. Absent for a run of an earlier runner, whose order is lost, so that the run cannot
   * be started again.
   */
  readonly order: RunOrder | undefined;
  /** The only attempt to start the run. Later calls get its outcome. */
  launched: Promise<void> | undefined;
  startedAt: number | undefined;
  pid: number | undefined;
  exceeded: ExceededLimit | undefined;
  stopping: boolean;
  /** Resolves with the end after all output was passed to the followers. Undefined until the run is started. */
  end: Promise<Ended> | undefined;
  ended: Ended | undefined;
  /** True once the run is to be removed. The daemon then has the end on disk. */
  removing: boolean;
  removal: Promise<void> | undefined;
  /** Resolves after the end, when no process is left and the end is on disk. */
  settled: Promise<void>;
}

export interface FollowedRun {
  readonly startedAt: number;
  readonly ended: Promise<Ended>;
}

export interface Runs {
  create(order: RunOrder): void;
  /** Starts the run, unless it was started before, and follows it. @throws ExecutorError lost, start */
  start(ref: string, follower: LogSink): Promise<FollowedRun>;
  /**
   * Passes the whole output to the follower: the existing part at once, the rest as it arrives.
   * @throws ExecutorError
   */
  follow(ref: string, follower: LogSink): FollowedRun;
  unfollow(follower: LogSink): void;
  /** Resolves when the run has ended. */
  stop(ref: string, graceMs: number): Promise<void>;
  remove(ref: string): Promise<void>;
  list(): Found[];
  planned(): number;
  /** Number of runs that are running or whose end is not on disk yet. */
  busy(): number;
  /** Kills all runs, because the runner ends. Their ends count as interrupted. */
  killEverything(): Promise<void>;
}

/** Time (ms) in which pids cannot wrap around and reach the pid of a run that took less time. */
const SHORT_MS = 1000;

export const createRuns = (options: {
  readonly runsFolder: string;
  readonly outputCapBytes: number;
  readonly endedRuns: readonly EndRecord[];
}): Runs => {
  const runs = new Map<string, Run>();
  const settling = new Set<Run>();
  const sweep = createSweep();
  let ending = false;
  const add = (ids: RunOrder | EndRecord, from: { order: RunOrder } | { ended: Ended }): void => {
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
      stopping: false,
      end: ended && Promise.resolve(ended),
      ended,
      removing: false,
      removal: undefined,
      settled: Promise.resolve(),
    });
  };
  for (const record of options.endedRuns) add(record, { ended: record.ended });

  const stateOf = (run: Run): Found['state'] =>
    run.ended !== undefined ? 'ended' : run.startedAt !== undefined ? 'running' : 'created';
  const running = () => [...runs.values()].filter((run) => stateOf(run) === 'running');
  const scheduleChecks = createLimitWatch(running);

  const existingRun = (ref: string): Run => {
    const run = runs.get(ref);
    if (run === undefined) throw new ExecutorError('lost', `The runner does not know the run ${ref}.`);
    return run;
  };
  const settle = async (run: Run, ended: Ended): Promise<void> => {
    settling.add(run);
    const isShort = ended.finishedAt - ended.startedAt < SHORT_MS;
    await sweep({ ...processesOfRun(run), ...(isShort && run.pid !== undefined && { after: run.pid }) });
    // From here on, the kernel may reuse the pid for another process.
    run.pid = undefined;
    try {
      if (!run.removing)
        await writeEndRecord(
          run.folder,
          { ref: run.ref, executionId: run.executionId, workerId: run.workerId, ended },
          run.output.descriptor(),
        );
    } catch (error) {
      // The end is in memory and was sent to the daemon. It is lost only if both processes end now.
      console.error(`cannot store the end of ${run.ref}: ${String(error)}`);
    }
    run.output.close();
    settling.delete(run);
  };

  const launch = async (run: Run, order: RunOrder): Promise<void> => {
    const pass: LogSink = (...piece) => run.followers.forEach((follower) => void follower(...piece));
    const child = await spawnRun(order, (stream, data) => {
      const kept = run.output.keep(stream, data);
      if (kept !== undefined) pass(stream, kept);
    });
    run.startedAt = child.startedAt;
    run.pid = child.pid;
    run.end = child.over.then((exit) => {
      run.output.end(pass);
      const isOurs = run.exceeded !== undefined || run.stopping || run.removing;
      const ended: Ended = {
        ...endedOf(child, exit, run.exceeded),
        ...(ending &&
          !isOurs && {
            interrupted: `The runner of processes was stopped, and the process with it (the exit code was ${exit.exitCode})`,
          }),
      };
      run.ended = ended;
      run.settled = settle(run, ended);
      scheduleChecks();
      return ended;
    });
    scheduleChecks();
  };

  const follow: Runs['follow'] = (ref, follower) => {
    const run = existingRun(ref);
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
      // A runner that starts meanwhile deletes the folders of unknown runs.
      if (!existsSync(join(options.runsFolder, order.ref)))
        throw new ExecutorError(
          'unavailable',
          `The folder of the run ${order.ref} was deleted when an earlier runner ended.`,
        );
      add(order, { order });
    },
    start: async (ref, follower) => {
      const run = existingRun(ref);
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
      // A failed launch is reported to the caller of `start`, not to the caller of `stop`.
      await run?.launched?.catch(() => undefined);
      if (run?.end === undefined || run.ended !== undefined) return;
      run.stopping = true;
      if (graceMs > 0) {
        signalAll(processesOfRun(run), 'SIGTERM');
        let timer: NodeJS.Timeout | undefined;
        const grace = new Promise<void>((resolve) => {
          timer = setTimeout(resolve, graceMs);
        });
        await Promise.race([run.end, grace]);
        clearTimeout(timer);
      }
      if (run.ended === undefined) await killAll([processesOfRun(run)]);
      await run.end;
      await run.settled;
    },
    remove: async (ref) => {
      const run = runs.get(ref);
      if (run === undefined) return;
      await run.launched?.catch(() => undefined);
      run.removing = true;
      if (run.end !== undefined) {
        if (run.ended === undefined) await killAll([processesOfRun(run)]);
        await run.end;
        await run.settled;
      }
      // A caller that did not wait for the response asks again, so only one removal runs at a time.
      run.removal ??= removeTree(run.folder).finally(() => {
        run.removal = undefined;
      });
      await run.removal;
      // The run is forgotten only after its removal, so that a failed removal can be repeated.
      runs.delete(ref);
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
    killEverything: () => {
      ending = true;
      return killAll(running().map(processesOfRun));
    },
  };
};

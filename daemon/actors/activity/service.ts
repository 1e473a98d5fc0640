// Reads the current activity of the actors that a caller may read.
import { ACTIVITY_ROWS } from '../../../src/contract/actors/activity.ts';
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import { type Hour, hasFailed, hourUntil } from '../../domain/executions/activity.ts';
import type { ActorRecord, ExecutionRecord } from '../../domain/records/actor-records.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { EngineReport } from '../../ports/scheduler.ts';
import { canRead } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { createPause } from '../pause.ts';

type Activity = ResultOf<Operations['utilization.activity']>;
type Row = Activity['running'][number];

/** Maximum number of executions read for one response. */
const MOST = 100_000;
/** Number of executions older than the last hour that are still read, to include failures and long runs. */
const OLDER = 2_000;
/** Time (ms) that an engine has to respond. After that, its last known response is used. */
const ENGINE_MS = 1_000;

const rowOf = (execution: ExecutionRecord, actors: ReadonlyMap<string, ActorRecord>): Row => {
  const { id, actorId, status, reason, statusMessage, exitCode, lastStderr, startedAt, finishedAt } = execution;
  return {
    id,
    actorId,
    actorName: actors.get(actorId)?.name ?? '',
    status,
    reason,
    statusMessage,
    exitCode,
    lastStderr,
    ...(startedAt !== undefined && { startTime: toWireTime(startedAt) }),
    ...(finishedAt !== undefined && { finishTime: toWireTime(finishedAt) }),
  };
};

const tally = (values: Iterable<string>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

export const activityService = (deps: Pick<ActorsDependencies, 'store' | 'scheduler' | 'clock' | 'about'>) => {
  const { store, scheduler, clock, about } = deps;
  let reports: readonly EngineReport[] = [];

  /** An engine that does not respond delays the response by at most one second. */
  const engines = async (): Promise<Activity['engines']> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ENGINE_MS);
    });
    const asked = scheduler.engines().then(
      (found) => {
        reports = found;
      },
      () => undefined,
    );
    await Promise.race([asked, limit]);
    clearTimeout(timer);
    return reports.map(({ name, available, detail }) => ({ name, available, detail }));
  };

  const read = async (
    ids: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly hour: Hour; readonly failures: readonly ExecutionRecord[] }> => {
    const hour = hourUntil(clock.now());
    const failures: ExecutionRecord[] = [];
    const pause = createPause(signal);
    let older = 0;
    let count = 0;
    for (const execution of store.each('executions', 'actor', ids, { newestFirst: true })) {
      if (pause.isDue()) await pause.take();
      hour.add(execution);
      if (hasFailed(execution)) failures.push(execution);
      // Only ended executions count as old: executions received before a waiting or running one may have ended later.
      if (execution.finishedAt !== undefined && hour.isBefore(execution.finishedAt)) older += 1;
      count += 1;
      if (older >= OLDER || count >= MOST) break;
    }
    // The order of their ends, which is that of the column.
    failures.sort((a, b) => (b.finishedAt ?? 0) - (a.finishedAt ?? 0));
    return { hour, failures: failures.slice(0, ACTIVITY_ROWS) };
  };

  return {
    show: async (caller: Caller, signal: AbortSignal): Promise<Activity> => {
      const readable = store.by('actors', 'tenant', caller.tenant).filter((actor) => canRead(actor, caller));
      const actors = new Map(readable.map((actor) => [actor.id, actor]));
      const ids = [...actors.keys()];
      const [{ hour, failures }, states, disk] = await Promise.all([read(ids, signal), engines(), about.disk()]);
      const running = store
        .by('executions', 'running', 'yes')
        .filter(({ actorId }) => actors.has(actorId))
        .toReversed();
      const waitingOf = new Map(ids.map((id) => [id, store.countBy('messages', 'actor', id)]));
      const runningOf = tally(running.map(({ actorId }) => actorId));
      const busy = ids.filter(
        (id) => (waitingOf.get(id) ?? 0) > 0 || runningOf[id] !== undefined || hour.actors.has(id),
      );
      return {
        daemon: { version: about.version, instance: about.instance, startTime: toWireTime(about.startedAt) },
        engines: states,
        disk: disk ?? null,
        writable: store.status().writable,
        actors: Object.entries(tally(readable.map(({ status }) => status))).map(([status, count]) => ({
          status,
          count,
        })),
        executions: store.countBy('executions', 'actor', ids),
        waiting: [...waitingOf.values()].reduce((sum, count) => sum + count, 0),
        running: running.slice(0, ACTIVITY_ROWS).map((execution) => rowOf(execution, actors)),
        runningCount: running.length,
        failures: failures.map((execution) => rowOf(execution, actors)),
        minutes: hour.minutes.map(({ at, ended, failed }) => ({ time: toWireTime(at), ended, failed })),
        busy: busy.map((id) => ({
          id,
          waiting: waitingOf.get(id) ?? 0,
          running: runningOf[id] ?? 0,
          recent: hour.actors.get(id)?.recent ?? [],
          ended: hour.actors.get(id)?.ended ?? 0,
          failed: hour.actors.get(id)?.failed ?? 0,
        })),
      };
    },
  };
};

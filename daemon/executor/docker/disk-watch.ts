// Kills containers that exceed their disk limit. Few engines can enforce such a limit themselves.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../ports/logger.ts';
import type { CallOptions, Connection } from '../engine/connection.ts';
import { engineMessage } from '../engine/engine-error.ts';
import { readField } from '../read-field.ts';

export interface WatchedDisk {
  /** True if the watch has killed the container. */
  readonly exceeded: () => boolean;
  /** True if the container has exceeded its disk limit, even if it was not killed for that. Measures it now. */
  readonly isOver: () => Promise<boolean>;
  /** Must be called when the container has ended. */
  readonly stop: () => void;
}

export type DiskWatch = ReturnType<typeof createDiskWatch>;

/** Default minimum time between two measurements of a container. */
const LOOK_MS = 5_000;
/**
 * The engine reads every file that a container wrote, so measurements may take only one part in this many of the time.
 */
const SHARE = 20;
const KILL_MS = 30_000;
/** Time limit of one measurement, for containers with millions of files. */
const MEASURE_MS = 10 * 60_000;
/** Time (ms) after which a measurement no longer delays those of other containers and continues in parallel. */
const TURN_MS = 2_000;
/**
 * Maximum number of slow measurements that continue in parallel. Beyond it, a measurement is cut off at the end of its
 * turn.
 */
const MOST_SLOW = 4;

interface Watched {
  readonly limitBytes: number;
  /** Fires when the container has ended. */
  readonly over: AbortController;
  exceeded: boolean;
  /** Earliest time of the next measurement, on the `performance` clock. */
  dueAt: number;
  /** True if the last measurement took longer than other containers should have to wait. */
  isSlow: boolean;
  warned: boolean;
}

/** Measures one container after another, and does nothing while none is watched. Only slow measurements overlap. */
export const createDiskWatch = (inputs: {
  readonly connection: Connection;
  readonly logger: Logger;
  readonly lookMs?: number | undefined;
  readonly measureMs?: number;
  readonly turnMs?: number;
  /** Bytes that the run has written elsewhere, which count too. */
  readonly besides?: ((ref: string) => Promise<number>) | undefined;
}) => {
  const { connection, logger, lookMs = LOOK_MS, measureMs = MEASURE_MS, turnMs = TURN_MS, besides } = inputs;
  const watched = new Map<string, Watched>();
  const slow = new Set<Promise<void>>();
  let looking = false;

  /** Bytes that the container has written. Undefined if the engine does not report them. */
  const written = async (ref: string, limits?: CallOptions): Promise<number | undefined> => {
    const found: unknown = await connection.call((docker, abortSignal) => {
      // The library's types lack `size`.
      const options = { size: true, abortSignal };
      return docker.getContainer(ref).inspect(options);
    }, limits);
    const bytes = readField(found, 'SizeRw');
    if (typeof bytes !== 'number') return undefined;
    return bytes + ((await besides?.(ref)) ?? 0);
  };

  const look = async (ref: string, run: Watched, limitMs: number): Promise<void> => {
    const begun = performance.now();
    run.dueAt = Number.POSITIVE_INFINITY;
    try {
      const signal = AbortSignal.any([connection.closed, run.over.signal]);
      const bytes = await written(ref, { timeoutMs: limitMs, signal });
      run.isSlow = performance.now() - begun >= turnMs;
      if (bytes === undefined || bytes <= run.limitBytes || watched.get(ref) !== run) return;
      run.exceeded = true;
      logger.warn({ ref, bytes, limitBytes: run.limitBytes }, 'a container exceeded its disk limit; killing it');
      await connection.call((docker) => docker.getContainer(ref).kill(), { timeoutMs: KILL_MS });
    } catch (error) {
      // The container has ended or the engine is unavailable. A running container is measured again.
      logger.debug({ ref, why: engineMessage(error) }, 'cannot measure the disk use of a container');
      // If all parallel places are taken, the container gets one later.
      run.isSlow = true;
      // Timers can fire a little early.
      if (run.warned || run.over.signal.aborted || performance.now() - begun < 0.9 * measureMs) return;
      run.warned = true;
      logger.warn({ ref, why: engineMessage(error) }, 'the disk limit of a container may not be enforced');
    } finally {
      const now = performance.now();
      // The pause between rounds is enough after a quick measurement, so only slow ones need a later time.
      run.dueAt = now - begun < turnMs ? now : now + (now - begun) * SHARE;
    }
  };

  /** Returns the duration of the measurement in ms, or 0 if it continues in parallel. */
  const lookInTurn = async (ref: string, run: Watched, limitMs: number): Promise<number> => {
    const begun = performance.now();
    const turn = new AbortController();
    const measured = look(ref, run, limitMs).finally(() => {
      slow.delete(measured);
      turn.abort();
    });
    slow.add(measured);
    await pause(turnMs, undefined, { signal: turn.signal, ref: false }).catch(() => undefined);
    if (slow.has(measured)) return 0;
    return performance.now() - begun;
  };

  const keepLooking = async (): Promise<void> => {
    let wait = lookMs;
    try {
      while (watched.size > 0) {
        await pause(wait, undefined, { signal: connection.closed, ref: false });
        let spent = 0;
        for (const [ref, run] of [...watched]) {
          const isFull = slow.size >= MOST_SLOW;
          if (watched.get(ref) !== run || run.dueAt > performance.now() || (isFull && run.isSlow)) continue;
          spent += await lookInTurn(ref, run, isFull ? turnMs : measureMs);
        }
        wait = Math.max(lookMs, spent * SHARE);
      }
    } finally {
      // This runs in the same step as the loop's check, so a watch that begins later starts a new loop.
      looking = false;
    }
  };

  const begin = (): void => {
    if (looking) return;
    looking = true;
    keepLooking().catch((error: unknown) => {
      if (!connection.closed.aborted) throw error;
    });
  };

  return {
    watch: (ref: string, limitBytes: number): WatchedDisk => {
      const run: Watched = {
        limitBytes,
        over: new AbortController(),
        exceeded: false,
        dueAt: 0,
        isSlow: false,
        warned: false,
      };
      watched.set(ref, run);
      begin();
      return {
        exceeded: () => run.exceeded,
        isOver: async () => {
          try {
            return ((await written(ref)) ?? 0) > limitBytes;
          } catch (error) {
            logger.debug({ ref, why: engineMessage(error) }, 'cannot measure the disk use of a container');
            return false;
          }
        },
        stop: () => {
          run.over.abort();
          if (watched.get(ref) === run) watched.delete(ref);
        },
      };
    },
  };
};

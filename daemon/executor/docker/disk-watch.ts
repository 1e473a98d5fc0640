// Ends containers that write more to their own files than they may. Few engines can limit this by themselves.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../ports/logger.ts';
import type { CallOptions, Connection } from '../engine/connection.ts';
import { engineMessage } from '../engine/engine-error.ts';
import { readField } from '../read-field.ts';

export interface WatchedDisk {
  /** True if the watch has killed the container. */
  readonly exceeded: () => boolean;
  /** True if the container has written more than it may, also if it was not killed for it. Measures it now. */
  readonly isOver: () => Promise<boolean>;
  /** Must be called when the container has ended. */
  readonly stop: () => void;
}

export type DiskWatch = ReturnType<typeof createDiskWatch>;

/** The default of the shortest time between two measurements of a container. */
const LOOK_MS = 5_000;
/** The engine reads every file that a container wrote, so measuring may take one part in so many of the time. */
const SHARE = 20;
const KILL_MS = 30_000;
/** How long the engine may take for a container with millions of files. */
const MEASURE_MS = 10 * 60_000;
/** A measurement that takes longer goes on beside those of the other containers. */
const TURN_MS = 2_000;
/** So many measurements may go on that way. Meanwhile those of other containers have no more time than a turn. */
const MOST_SLOW = 4;

interface Watched {
  readonly limitBytes: number;
  /** Fires when the container has ended. */
  readonly over: AbortController;
  exceeded: boolean;
  /** When it may be measured again, on the clock of `performance`. */
  dueAt: number;
  /** Its last measurement took longer than those of the others should wait. */
  isSlow: boolean;
  warned: boolean;
}

/** Measures one container after the other, and none while none is watched. Only slow measurements overlap. */
export const createDiskWatch = (inputs: {
  readonly connection: Connection;
  readonly logger: Logger;
  readonly lookMs?: number | undefined;
  readonly measureMs?: number;
  readonly turnMs?: number;
}) => {
  const { connection, logger, lookMs = LOOK_MS, measureMs = MEASURE_MS, turnMs = TURN_MS } = inputs;
  const watched = new Map<string, Watched>();
  const slow = new Set<Promise<void>>();
  let looking = false;

  /** Bytes that the container has written; undefined if the engine cannot tell. */
  const written = async (ref: string, limits?: CallOptions): Promise<number | undefined> => {
    const found: unknown = await connection.call((docker, abortSignal) => {
      // The types of the library do not know `size`.
      const options = { size: true, abortSignal };
      return docker.getContainer(ref).inspect(options);
    }, limits);
    const bytes = readField(found, 'SizeRw');
    return typeof bytes === 'number' ? bytes : undefined;
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
      logger.warn({ ref, bytes, limitBytes: run.limitBytes }, 'a container wrote more than it may; killing it');
      await connection.call((docker) => docker.getContainer(ref).kill(), { timeoutMs: KILL_MS });
    } catch (error) {
      // It has ended, or the engine is away. It is measured again as long as it runs.
      logger.debug({ ref, why: engineMessage(error) }, 'cannot measure the files of a container');
      // With all places taken, it gets one later.
      run.isSlow = true;
      // Timers can be a little early.
      if (run.warned || run.over.signal.aborted || performance.now() - begun < 0.9 * measureMs) return;
      run.warned = true;
      logger.warn({ ref, why: engineMessage(error) }, 'the limit of the files of a container may not be enforced');
    } finally {
      const now = performance.now();
      // The pause of the loop is for the quick ones.
      run.dueAt = now - begun < turnMs ? now : now + (now - begun) * SHARE;
    }
  };

  /** Returns the milliseconds that the measurement took; 0 if it goes on beside the others. */
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
      // In the same step as the check of the loop: a watch that begins later starts a new loop.
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
            logger.debug({ ref, why: engineMessage(error) }, 'cannot measure the files of a container');
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

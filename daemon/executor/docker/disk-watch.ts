// Ends containers that write more to their own files than they may. Few engines can limit this by themselves.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../ports/logger.ts';
import type { Connection } from '../engine/connection.ts';
import { engineMessage } from '../engine/engine-error.ts';
import { readField } from '../read-field.ts';

/** A container that is being watched. */
export interface WatchedDisk {
  /** True if the watch has killed the container. */
  readonly exceeded: () => boolean;
  /** True if the container has written more than it may, also if it was not killed for it. Measures it now. */
  readonly isOver: () => Promise<boolean>;
  /** Must be called when the container has ended. */
  readonly stop: () => void;
}

export interface DiskWatch {
  watch(ref: string, limitBytes: number): WatchedDisk;
}

/** The default of the shortest time between two measurements of a container. */
const LOOK_MS = 5_000;
/** The engine reads every file that a container wrote, so measuring may take one part in so many of the time. */
const SHARE = 20;
const KILL_MS = 30_000;

/** Measures one container at a time, and none while none is watched. */
export const createDiskWatch = (inputs: {
  readonly connection: Connection;
  readonly logger: Logger;
  /** Milliseconds; default 5 seconds. */
  readonly lookMs?: number | undefined;
}): DiskWatch => {
  const { connection, logger, lookMs = LOOK_MS } = inputs;
  const watched = new Map<string, { readonly limitBytes: number; exceeded: boolean }>();
  let looking = false;

  /** Bytes that the container has written; undefined if the engine cannot tell. */
  const written = async (ref: string): Promise<number | undefined> => {
    const found: unknown = await connection.call((docker, abortSignal) => {
      // The types of the library do not know `size`.
      const options = { size: true, abortSignal };
      return docker.getContainer(ref).inspect(options);
    });
    const bytes = readField(found, 'SizeRw');
    return typeof bytes === 'number' ? bytes : undefined;
  };

  const look = async (ref: string, run: { readonly limitBytes: number; exceeded: boolean }): Promise<void> => {
    try {
      const bytes = await written(ref);
      if (bytes === undefined || bytes <= run.limitBytes || watched.get(ref) !== run) return;
      run.exceeded = true;
      logger.warn({ ref, bytes, limitBytes: run.limitBytes }, 'a container wrote more than it may; killing it');
      await connection.call((docker) => docker.getContainer(ref).kill(), { timeoutMs: KILL_MS });
    } catch (error) {
      // It has ended, or the engine is away. It is measured again as long as it runs.
      logger.debug({ ref, why: engineMessage(error) }, 'cannot measure the files of a container');
    }
  };

  const keepLooking = async (): Promise<void> => {
    let wait = lookMs;
    try {
      while (watched.size > 0) {
        await pause(wait, undefined, { signal: connection.closed, ref: false });
        const begun = performance.now();
        for (const [ref, run] of [...watched]) if (watched.get(ref) === run) await look(ref, run);
        wait = Math.max(lookMs, (performance.now() - begun) * SHARE);
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
    watch: (ref, limitBytes) => {
      const run = { limitBytes, exceeded: false };
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
          if (watched.get(ref) === run) watched.delete(ref);
        },
      };
    },
  };
};

// Notices the end of the process for whose lifetime the daemon runs.
import { existsSync } from 'node:fs';
import { setTimeout as elapse } from 'node:timers/promises';
import { hasLostStarter } from '../../src/local/daemon/starter.ts';

/** Interval (ms) between two checks. No event reports the end of a process that is not a child. */
const LOOK_MS = 500;

/**
 * Resolves when the process that the file names has ended. Without the file it never resolves, unless the instance has
 * a temporary home: then that home was removed.
 */
export const starterEnds = async (starterFile: string, isTemporaryHome: boolean): Promise<void> => {
  const isOver = (): boolean => hasLostStarter(starterFile) || (isTemporaryHome && !existsSync(starterFile));
  while (!isOver()) await elapse(LOOK_MS, undefined, { ref: false });
};

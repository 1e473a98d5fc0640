// Notices the end of the process for whose lifetime the daemon runs.
import { setTimeout as elapse } from 'node:timers/promises';
import { hasLostStarter } from '../../src/local/daemon/starter.ts';

/** Interval (ms) between two checks. No event reports the end of a process that is not a child. */
const LOOK_MS = 500;

/** Resolves when the process that the file names has ended. Never resolves without the file. */
export const starterEnds = async (starterFile: string): Promise<void> => {
  while (!hasLostStarter(starterFile)) await elapse(LOOK_MS, undefined, { ref: false });
};

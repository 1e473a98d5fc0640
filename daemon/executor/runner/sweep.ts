// Kills the remaining processes of runs that have ended.
import { setTimeout as sleep } from 'node:timers/promises';
import { killAll, type RunProcesses } from './processes.ts';

const SWEEP_MS = 5;

/** A search of all processes takes milliseconds, so one search serves all runs that end within a few milliseconds. */
export const createSweep = (): ((run: RunProcesses) => Promise<void>) => {
  let next: { readonly batch: RunProcesses[]; readonly done: Promise<void> } | undefined;
  return (run) => {
    const batch = next?.batch ?? [];
    batch.push(run);
    next ??= {
      batch,
      done: sleep(SWEEP_MS).then(() => {
        next = undefined;
        return killAll(batch);
      }),
    };
    return next.done;
  };
};

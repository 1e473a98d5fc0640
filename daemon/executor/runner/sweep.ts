// Kills what ended runs have left behind.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kin, killAll } from './processes.ts';

const SWEEP_MS = 5;

/**
 * A sweep over all processes takes milliseconds: it comes shortly after the end was told, once for all runs that ended meanwhile.
 * The promise resolves when nothing of that run is left.
 */
export const createSweep = (): ((run: Kin) => Promise<void>) => {
  let next: { readonly batch: Kin[]; readonly done: Promise<void> } | undefined;
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

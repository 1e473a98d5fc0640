// Benchmark: the store with a million executions, in a process of its own.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { daemonNodeFlags } from '../../../src/local/daemon/node-flags.ts';
import type { Outcome } from '../figures.ts';
import { startWith } from '../floors/bare-process.ts';

const PROCESS = fileURLToPath(new URL('./million-process.ts', import.meta.url));

/** A million executions: cost of reads and writes, stalls, memory and loading. */
export const million = async (): Promise<Outcome> => {
  const measuring = await startWith(daemonNodeFlags(availableParallelism()), PROCESS);
  try {
    return (await measuring.ask({})) as Outcome;
  } finally {
    await measuring.stop();
  }
};

// Benchmark: the store with a million executions, in a process of its own.
import { fileURLToPath } from 'node:url';
import type { Outcome } from '../figures.ts';
import { startWith } from '../floors/bare-process.ts';

const PROCESS = fileURLToPath(new URL('./million-process.ts', import.meta.url));

/** A million executions: cost of reads and writes, stalls, memory and loading. */
export const million = async (): Promise<Outcome> => {
  const measuring = await startWith([], PROCESS);
  try {
    return (await measuring.ask({})) as Outcome;
  } finally {
    await measuring.stop();
  }
};

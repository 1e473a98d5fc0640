// Reads many records without holding up other work.
import { setImmediate } from 'node:timers/promises';
import { slicesOf } from '../domain/records/slices.ts';

/**
 * Reads records in slices, and gives the event loop a turn before it passes one on and at the end, also without any
 * record. Rejects when the signal fires.
 */
export const readInSlices = async function* <R>(
  records: Iterable<R>,
  signal: AbortSignal,
): AsyncGenerator<readonly R[]> {
  const turn = async (): Promise<void> => {
    await setImmediate();
    signal.throwIfAborted();
  };
  for (const slice of slicesOf(records)) {
    await turn();
    yield slice;
  }
  await turn();
};

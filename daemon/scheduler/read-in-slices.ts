// Reads many records without delaying other work.
import { setImmediate } from 'node:timers/promises';
import { slicesOf } from '../domain/records/slices.ts';

/** Gives other work a turn of the event loop before each slice and at the end. Rejects when the signal fires. */
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

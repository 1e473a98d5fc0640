// Reads many records without holding up other work.
import { setImmediate } from 'node:timers/promises';
import { SLICE } from '../domain/records/slices.ts';

/** Reads records in slices, and gives the event loop a turn before it passes one on. Rejects when the signal fires. */
export const readInSlices = async function* <R>(
  records: Iterable<R>,
  signal: AbortSignal,
): AsyncGenerator<readonly R[]> {
  let slice: R[] = [];
  const turn = async (): Promise<void> => {
    await setImmediate();
    signal.throwIfAborted();
  };
  for (const record of records) {
    slice.push(record);
    if (slice.length < SLICE) continue;
    await turn();
    yield slice;
    slice = [];
  }
  await turn();
  yield slice;
};

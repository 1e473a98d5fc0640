// Executions written as the engine writes them, many of them together.
import type { EventRecord } from '../../../daemon/domain/records/event-records.ts';
import type { Store } from '../../../daemon/ports/store.ts';
import { temporaryHome } from '../daemon.ts';
import { executionOf, openBenchStore } from '../records.ts';

/** Executions that are written first, in another store: V8 compiles code while it is new, which takes long turns. */
const WARM = 20_000;
/** Executions written together, as by requests that arrive at the same time. */
const TOGETHER = 200;

const eventOf = (number: number, now: number): EventRecord => ({
  number: number + 1,
  serial: number + 1,
  tenant: 'DEV',
  actorId: executionOf(number, now).actorId,
  owner: 'ann',
  type: 'EXECUTION_COMPLETE',
  at: now,
  executionId: executionOf(number, now).id,
  exitCode: 0,
  status: 'COMPLETE',
});

/** Writes each execution three times, as the engine does, the last time with its event. */
export const writeExecutions = async (store: Store, count: number): Promise<void> => {
  for (let first = 0; first < count; first += TOGETHER) {
    const now = Date.now();
    const numbers = Array.from({ length: Math.min(TOGETHER, count - first) }, (_, at) => first + at);
    for (const status of ['SUBMITTED', 'RUNNING', 'COMPLETE'] as const) {
      await Promise.all(
        numbers.map((number) =>
          store.transact((tx) => {
            tx.put('executions', { ...executionOf(number, now), status });
            if (status === 'COMPLETE') tx.put('events', eventOf(number, now));
          }),
        ),
      );
    }
  }
};

/** Lets V8 compile the code of writing before it is measured. */
export const warmUpWrites = async (): Promise<void> => {
  const home = temporaryHome();
  const store = await openBenchStore(home.folder);
  await writeExecutions(store, WARM);
  await store.close();
  home.remove();
};

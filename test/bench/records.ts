// Execution records like those of a busy daemon, and stores filled with them.
import type { ExecutionRecord } from '../../daemon/domain/records/actor-records.ts';
import type { Logger } from '../../daemon/ports/logger.ts';
import type { Store } from '../../daemon/ports/store.ts';
import { openStore } from '../../daemon/store/store.ts';

/** A logger that discards its lines, because the loggers of the tests keep every line. */
const silent = (): void => undefined;
export const noLogger: Logger = { debug: silent, info: silent, warn: silent, error: silent };

/** Fewer than the daemon keeps per actor. */
export const PER_ACTOR = 5_000;
const BATCH = 500;

export const executionOf = (number: number, now: number): ExecutionRecord => ({
  id: `E${String(number).padStart(12, '0')}`,
  actorId: `A${String(Math.floor(number / PER_ACTOR)).padStart(12, '0')}`,
  tenant: 'DEV',
  sequence: number,
  executor: 'bench',
  status: 'COMPLETE',
  reason: 'exited',
  receivedAt: now,
  workerId: 'Wabcdefghijkl',
  runRef: `actorctl-default-E${number}-0123456789ab`,
  startedAt: now,
  finishedAt: now,
  exitCode: 0,
  finalState: { Status: 'exited', Running: false, OOMKilled: false, Pid: 0, ExitCode: 0, Error: '' },
  cpuNs: 12_345_678,
  ioBytes: 0,
});

/** @param checkpointFloor size of the journal in bytes below which no checkpoint starts */
export const openBenchStore = (folder: string, checkpointFloor?: number): Promise<Store> =>
  openStore({
    folder,
    clock: { now: Date.now },
    logger: noLogger,
    ...(checkpointFloor !== undefined && { checkpointFloor }),
  });

/** Puts `count` executions into the store. */
export const fill = async (store: Store, count: number): Promise<void> => {
  const now = Date.now();
  for (let first = 0; first < count; first += BATCH) {
    await store.transact((tx) => {
      for (let number = first; number < Math.min(count, first + BATCH); number += 1) {
        tx.put('executions', executionOf(number, now));
      }
    });
  }
};

// Data folders that are filled before their daemon starts: many actors and executions without running any.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { ExecutionRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { Logger } from '../../../daemon/ports/logger.ts';
import type { Store } from '../../../daemon/ports/store.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { actorRecord, executionRecord } from '../service/records.ts';

const BATCH = 500;
const silent = (): void => undefined;
const noLogger: Logger = { debug: silent, info: silent, warn: silent, error: silent };

/** Opens the store of the default instance of a home, lets `write` fill it, and closes it. */
export const prepareData = async (home: string, write: (store: Store) => Promise<void>): Promise<void> => {
  const folder = path.join(home, 'data', 'default');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const store = await openStore({ folder, clock: { now: Date.now }, logger: noLogger });
  await write(store);
  await store.close();
};

/** The id of an actor that `fillStore` writes. */
export const preparedActor = (number: number): string => `A${String(number).padStart(12, '0')}`;

/** The id of an execution that `fillStore` writes. A higher number is a later one. */
export const preparedExecution = (number: number): string => `E${String(number).padStart(12, '0')}`;

interface Amounts {
  /** User who owns the actors. */
  readonly owner: string;
  readonly actors: number;
  readonly executions: number;
}

/** Writes actors that are ready, and ended executions of theirs in turn: one a second until now, every tenth failed. */
export const fillStore = async (store: Store, { owner, actors, executions }: Amounts): Promise<void> => {
  const now = Date.now();
  const execution = (number: number): ExecutionRecord => {
    const receivedAt = now - (executions - number) * 1_000;
    return executionRecord(preparedExecution(number), {
      actorId: preparedActor(number % actors),
      sequence: number + 1,
      executor: owner,
      status: 'COMPLETE',
      reason: 'exited',
      receivedAt,
      startedAt: receivedAt + 20,
      finishedAt: receivedAt + 20 + (number % 90) * 10,
      exitCode: number % 10 === 9 ? 1 : 0,
      finalState: { Status: 'exited', Running: false, ExitCode: number % 10 === 9 ? 1 : 0 },
    });
  };
  await store.transact((tx) => {
    for (let number = 0; number < actors; number += 1) {
      const name = `actor-${String(number).padStart(3, '0')}`;
      const times = { createdAt: now, updatedAt: now };
      const permissions = { [owner]: 'UPDATE' } as const;
      const id = preparedActor(number);
      tx.put('actors', actorRecord(id, { name, owner, permissions, image: 'none/none', status: 'READY', ...times }));
    }
  });
  for (let first = 0; first < executions; first += BATCH) {
    await store.transact((tx) => {
      for (let number = first; number < Math.min(executions, first + BATCH); number += 1) {
        tx.put('executions', execution(number));
      }
    });
  }
};

// Pruning: what it deletes and counts, how little at once, and what a failure in between leaves.
import { expect, it, onTestFinished } from 'vitest';
import type { ExecutionRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { DeliveryRecord, EventRecord } from '../../../daemon/domain/records/event-records.ts';
import { SLICE } from '../../../daemon/domain/records/slices.ts';
import type { Store } from '../../../daemon/ports/store.ts';
import { createBackgroundTasks } from '../../../daemon/scheduler/background-tasks.ts';
import { createPruning } from '../../../daemon/scheduler/prune.ts';
import { openLogs } from '../../../daemon/store/logs/logs.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { actorRecord, executionRecord } from '../../support/service/records.ts';
import { handClock, rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';

const BEFORE = 1_000;

/** An execution that was received and ended at the time of its number. */
const ended = (number: number, changes: Partial<ExecutionRecord> = {}): ExecutionRecord =>
  executionRecord(`e${number}`, {
    ...{ actorId: 'a', sequence: number, status: 'COMPLETE', receivedAt: number, finishedAt: number },
    ...changes,
  });

const event = (number: number, at = number): EventRecord => ({
  ...{ tenant: 'DEV', number, serial: number, at },
  ...{ actorId: 'a', owner: 'ana', type: 'NOTICE' },
});

const delivery = (sequence: number, eventNumber: number, changes: Partial<DeliveryRecord> = {}): DeliveryRecord => ({
  ...{ id: `d${sequence}`, tenant: 'DEV', sequence, serial: sequence, eventNumber, eventSerial: eventNumber },
  ...{ actorId: 'a', owner: 'ana', url: 'https://example.org/', status: 'DELIVERED', createdAt: eventNumber },
  ...changes,
});

interface Filled {
  readonly executions?: readonly ExecutionRecord[];
  readonly events?: readonly EventRecord[];
  readonly deliveries?: readonly DeliveryRecord[];
}

/** A store with a log of each execution. `refuseAfter` transactions it refuses the next. */
const filled = async ({ executions = [], events = [], deliveries = [] }: Filled) => {
  const folder = temporaryFolder();
  const options = { folder, clock: handClock(BEFORE * 10), logger: rememberingLogger() };
  const store = await openStore(options);
  const logs = await openLogs(options);
  onTestFinished(() => store.close());
  await store.transact((tx) => {
    tx.put('actors', actorRecord('a'));
    tx.put('serials', { tenant: 'DEV', events: 0, deliveries: 0, users: 0 });
    for (const record of executions) tx.put('executions', record);
    for (const record of events) tx.put('events', record);
    for (const record of deliveries) tx.put('deliveries', record);
  });
  for (const { id } of executions) {
    const log = logs.open(id);
    log.write('stdout', Buffer.from('hello\n'));
    await log.close();
  }
  let refuseAfter = Number.POSITIVE_INFINITY;
  /** The number of deletions of each transaction, and the turns of the event loop between two. */
  const sizes: number[] = [];
  const transact: Store['transact'] = (decide) => {
    if (sizes.length >= refuseAfter) return Promise.reject(new Error('full'));
    let deletions = 0;
    return store.transact((tx) => {
      const value = decide({
        ...tx,
        delete(collection, key) {
          deletions += 1;
          tx.delete(collection, key);
        },
      });
      sizes.push(deletions);
      return value;
    });
  };
  const closing = new AbortController();
  const { signal } = closing;
  const tasks = createBackgroundTasks({ logger: options.logger, signal });
  const pruning = createPruning({ store: { ...store, transact }, logs, signal, tasks });
  const left = () => ({
    executions: [...store.all('executions')].map(({ id }) => id),
    events: [...store.all('events')].filter(({ retired }) => !retired).map(({ number }) => number),
    deliveries: [...store.all('deliveries')].map(({ id }) => id),
  });
  return {
    store,
    logs,
    pruning,
    sizes,
    left,
    tasks,
    closing,
    refuseAfter(count: number) {
      refuseAfter = count;
    },
  };
};

const signal = new AbortController().signal;

it('pruning deletes and counts ended records before the given time, and keeps running and pending ones', async () => {
  const { pruning, left, logs } = await filled({
    executions: [
      ended(1),
      executionRecord('e2', { actorId: 'a', sequence: 2, status: 'RUNNING', receivedAt: 2 }),
      executionRecord('e3', { actorId: 'a', sequence: 3, status: 'SUBMITTED', receivedAt: 3 }),
      ended(4, { finishedAt: BEFORE }),
      ended(5, { status: 'ERROR' }),
      ended(BEFORE + 1),
    ],
    events: [event(1), event(2), event(3), event(4, BEFORE)],
    deliveries: [
      delivery(1, 1),
      delivery(2, 2, { status: 'WAITING' }),
      delivery(3, 2, { status: 'FAILED' }),
      delivery(4, 4, { createdAt: BEFORE }),
    ],
  });
  const counted = await pruning.count(BEFORE, signal);
  expect([counted.executions.count, counted.events.count, counted.deliveries.count]).toEqual([2, 2, 2]);
  const logBytes = (await logs.size('e1')) + (await logs.size('e5'));
  expect(counted.executions.bytes).toBeGreaterThan(logBytes);
  expect(logBytes).toBeGreaterThan(0);

  await pruning.prune(BEFORE, signal);
  expect(left()).toEqual({ executions: ['e2', 'e3', 'e4', 'e1001'], events: [4], deliveries: ['d2', 'd4'] });
  expect(await Promise.all(['e1', 'e5', 'e4', 'e2'].map((id) => logs.read(id)))).toEqual([
    '',
    '',
    'hello\n',
    'hello\n',
  ]);
  const nothing = { count: 0, bytes: 0 };
  expect(await pruning.count(BEFORE, signal)).toEqual({ executions: nothing, events: nothing, deliveries: nothing });
});

it('pruning deletes in slices, and yields to the event loop before each', async () => {
  const many = Array.from({ length: 250 }, (_, index) => index + 1);
  const { pruning, sizes, left } = await filled({
    executions: many.map((n) => ended(n)),
    events: many.map((n) => event(n)),
  });
  let turns = 0;
  let over = false;
  const count = (): void => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  await pruning.prune(BEFORE, signal);
  over = true;
  expect(left()).toEqual({ executions: [], events: [], deliveries: [] });
  expect(sizes.length).toBeGreaterThanOrEqual(6);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(SLICE);
  expect(turns).toBeGreaterThanOrEqual(sizes.length);
});

it('pruning that the disk interrupts leaves complete records, and the next run deletes the rest', async () => {
  const many = Array.from({ length: 250 }, (_, index) => ended(index + 1));
  const { pruning, left, logs, refuseAfter, store } = await filled({ executions: many });
  refuseAfter(1);
  await expect(pruning.prune(BEFORE, signal)).rejects.toThrow('full');
  expect(left().executions).toHaveLength(150);
  expect(await logs.read('e250')).toBe('hello\n');
  refuseAfter(Number.POSITIVE_INFINITY);
  await pruning.prune(BEFORE, signal);
  expect(left().executions).toEqual([]);
  expect(await Promise.all(many.map(({ id }) => logs.size(id)))).toEqual(many.map(() => 0));
  expect([...store.all('totals')].map(({ executions }) => executions)).toEqual([250]);
});

it('pruning stops when the engine closes or the caller disconnects', async () => {
  const { pruning, left, closing, tasks } = await filled({ executions: [ended(1)] });
  await expect(pruning.prune(BEFORE, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  closing.abort(new Error('closed'));
  await expect(pruning.prune(BEFORE, signal)).rejects.toThrow('closed');
  await tasks.settled();
  expect(left().executions).toEqual(['e1']);
});

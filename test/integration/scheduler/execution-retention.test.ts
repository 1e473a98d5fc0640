// The deletion of expired executions and logs: what is retained, and how few records it reads.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ExecutionRetention } from '../../../daemon/domain/events/retention.ts';
import type { ExecutionRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { Logs } from '../../../daemon/ports/logs.ts';
import type { Store } from '../../../daemon/ports/store.ts';
import { deleteExpiredExecutions } from '../../../daemon/scheduler/execution-retention.ts';
import { createLogRetention } from '../../../daemon/scheduler/log-retention.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { actorRecord, executionRecord } from '../../support/service/records.ts';
import { handClock, rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';

/** An execution of actor `a` that was received and ended at the time of its number. */
const ended = (number: number, changes: Partial<ExecutionRecord> = {}): ExecutionRecord =>
  executionRecord(`e${number}`, {
    ...{ actorId: 'a', sequence: number, status: 'COMPLETE', receivedAt: number, finishedAt: number },
    ...changes,
  });

/** @param executions in the order in which they were received; their actors are stored as well */
const filled = async (executions: readonly ExecutionRecord[], logEx?: number) => {
  const store = await openStore({ folder: temporaryFolder(), clock: handClock(), logger: rememberingLogger() });
  onTestFinished(() => store.close());
  await store.transact((tx) => {
    for (const { actorId, tenant } of executions) {
      tx.put('actors', actorRecord(actorId, { tenant, ...(logEx !== undefined && { logEx }) }));
    }
    for (const execution of executions) tx.put('executions', execution);
  });
  const clock = handClock();
  let read = 0;
  const deleted: string[] = [];
  const count = function* <R>(records: Iterable<R>): Iterable<R> {
    for (const record of records) {
      read += 1;
      yield record;
    }
  };
  const counting: Store = {
    ...store,
    each: (...query) => count(store.each(...query)),
    page: (...query) => [...count(store.page(...query))],
    get(...query) {
      if (query[0] === 'executions') read += 1;
      return store.get(...query);
    },
  };
  const logs = {
    async delete(ids: readonly string[]) {
      deleted.push(...ids);
    },
  } as unknown as Logs;
  return {
    store,
    context: { store: counting, logs, clock, signal: new AbortController().signal },
    /** What happened since the last call. */
    done() {
      const result = { read, deleted: deleted.splice(0) };
      read = 0;
      return result;
    },
  };
};

const ids = (store: Store): string[] => [...store.all('executions')].map(({ id }) => id);

describe('executions', () => {
  const rule = { perActor: 100, total: 100, ageMs: 1_000 };
  const kept = async (executions: readonly ExecutionRecord[], now: number, by: Partial<ExecutionRetention> = {}) => {
    const { store, context, done } = await filled(executions);
    context.clock.set(now);
    await deleteExpiredExecutions({ ...context, settings: { executionRetention: { ...rule, ...by } } });
    const left = ids(store);
    const gone = executions.map(({ id }) => id).filter((id) => !left.includes(id));
    expect(done().deleted.toSorted()).toEqual(gone.toSorted());
    return left;
  };

  it('within the limits are all retained', async () => {
    expect(await kept([ended(1), ended(2)], 10)).toEqual(['e1', 'e2']);
  });

  it('of an actor beyond the limit are deleted, oldest first, and unfinished ones do not count', async () => {
    const all = [ended(1), ended(2, { status: 'ERROR' }), ended(3, { status: 'RUNNING' }), ended(4), ended(5)];
    expect(await kept([...all, ended(6, { actorId: 'b' })], 10, { perActor: 2 })).toEqual(['e3', 'e4', 'e5', 'e6']);
  });

  it('of a tenant beyond the limit are deleted, oldest first, and none of another tenant', async () => {
    const other = ended(0, { actorId: 'd', tenant: 'OTHER' });
    const all = [other, ended(1), ended(2, { actorId: 'b' }), ended(3, { actorId: 'c', status: 'CANCELLED' })];
    expect(await kept(all, 10, { total: 2 })).toEqual(['e0', 'e2', 'e3']);
  });

  it('that ended too long ago are deleted, even if an earlier one ended later', async () => {
    const purged = executionRecord('e3', { actorId: 'a', sequence: 3, status: 'CANCELLED', receivedAt: 3 });
    const all = [ended(1, { finishedAt: 500 }), ended(2, { finishedAt: 499 }), purged, ended(501)];
    expect(await kept(all, 1_500)).toEqual(['e1', 'e501']);
  });

  it('are deleted in slices', async () => {
    const all = Array.from({ length: 250 }, (_, index) => ended(index + 1));
    expect(await kept(all, 10, { perActor: 10 })).toEqual(all.slice(240).map(({ id }) => id));
    expect(await kept(all, 5_000)).toEqual([]);
  });

  it.each([30, 3_000])('are not read if none of %i has expired, except one per actor', async (count) => {
    const all = Array.from({ length: count }, (_, index) => ended(index + 1, { actorId: `actor${index % 3}` }));
    const { context, done } = await filled(all);
    await deleteExpiredExecutions({
      ...context,
      settings: { executionRetention: { ...rule, perActor: 1e9, total: 1e9 } },
    });
    expect(done()).toEqual({ read: 3, deleted: [] });
  });
});

describe('logs', () => {
  const settings = { logRetention: { defaultMs: 1_000, capMs: 2_000 } };

  it('are deleted once, when they expire, and later sweeps read only what may have expired since', async () => {
    const all = Array.from({ length: 3_000 }, (_, index) => ended(index + 1));
    const { context, done } = await filled(all);
    const sweep = createLogRetention({ ...context, settings });
    const sweepAt = async (now: number) => {
      context.clock.set(now);
      await sweep();
      return done();
    };
    expect(await sweepAt(900)).toEqual({ read: 1, deleted: [] });
    expect((await sweepAt(3_500)).deleted).toHaveLength(2_500);
    const { read, deleted } = await sweepAt(3_502);
    expect(deleted).toEqual(['e2501', 'e2502']);
    // Those two, the next one, and a search among 3000.
    expect(read).toBeLessThan(20);
    expect((await sweepAt(3_502)).deleted).toEqual([]);
  });

  it('of executions that outlasted later ones are deleted once they expire', async () => {
    const late = executionRecord('e1', { actorId: 'a', sequence: 1, status: 'RUNNING' });
    const { store, context, done } = await filled([late, ended(2), ended(3)]);
    const sweep = createLogRetention({ ...context, settings });
    context.clock.set(1_003);
    await sweep();
    expect(done().deleted).toEqual(['e2', 'e3']);
    await store.transact((tx) => tx.put('executions', ended(1, { finishedAt: 500 })));
    await sweep();
    expect(done().deleted).toEqual([]);
    context.clock.set(1_500);
    await sweep();
    expect(done().deleted).toEqual(['e1']);
    await sweep();
    expect(done().deleted).toEqual([]);
  });

  it('follow a change of their retention period, and those of a deleted actor are dropped', async () => {
    const { store, context, done } = await filled([ended(1), ended(2), ended(3)], 2);
    const sweep = createLogRetention({ ...context, settings });
    const keepFor = (seconds: number) => store.transact((tx) => tx.put('actors', actorRecord('a', { logEx: seconds })));
    context.clock.set(2_001);
    await sweep();
    expect(done().deleted).toEqual(['e1']);
    await keepFor(0);
    await sweep();
    expect(done().deleted).toEqual(['e2', 'e3']);
    await keepFor(2);
    await sweep();
    expect(done().deleted).toEqual([]);
    await store.transact((tx) => {
      tx.delete('actors', 'a');
      for (const id of ids(store)) tx.delete('executions', id);
    });
    await sweep();
    await store.transact((tx) => {
      tx.put('actors', actorRecord('a', { logEx: 0 }));
      tx.put('executions', ended(1));
    });
    await sweep();
    expect(done().deleted).toEqual(['e1']);
  });
});

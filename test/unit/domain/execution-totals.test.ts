// The totals of executions whose records were deleted.
import { describe, expect, it } from 'vitest';
import {
  figuresOf,
  noFigures,
  runtimeMs,
  sumOf,
  totalsKey,
  wholeSeconds,
  withDeletedActor,
  withDeletedExecution,
} from '../../../daemon/domain/executions/execution-totals.ts';
import { deleteExecutions } from '../../../daemon/domain/executions/stored-executions.ts';
import type { ExecutionRecord } from '../../../daemon/domain/records/actor-records.ts';
import { joinKey } from '../../../daemon/domain/records/record-key.ts';
import { memoryStore } from '../../support/store/memory-store.ts';

const NOW = 10_000;

const execution = (fields: Partial<ExecutionRecord> = {}): ExecutionRecord => ({
  id: 'X',
  actorId: 'A',
  tenant: 'DEV',
  sequence: 1,
  executor: 'ana',
  status: 'COMPLETE',
  receivedAt: 0,
  startedAt: 1_000,
  finishedAt: 3_999,
  cpuNs: 5,
  ioBytes: 6,
  ...fields,
});

describe('totals', () => {
  it('count an execution once, in milliseconds, and with zeros if it never ran', () => {
    expect(figuresOf(execution(), NOW)).toEqual({ executions: 1, runtimeMs: 2_999, cpu: 5, io: 6 });
    const { startedAt: _startedAt, cpuNs: _cpuNs, ioBytes: _ioBytes, ...cancelled } = execution();
    expect(figuresOf(cancelled, NOW)).toEqual({ executions: 1, runtimeMs: 0, cpu: 0, io: 0 });
  });

  it('count the run time of a running execution until now, and never less than 0', () => {
    const { finishedAt: _finishedAt, ...running } = execution({ status: 'RUNNING' });
    expect([runtimeMs(running, NOW), runtimeMs(running, NOW + 1_500), runtimeMs(running, 0)]).toEqual([
      9_000, 10_500, 0,
    ]);
  });

  it('of many short executions are not rounded to nothing', () => {
    const short = Array.from({ length: 8 }, () => figuresOf(execution({ finishedAt: 1_300 }), NOW));
    expect(wholeSeconds(short.reduce(sumOf, noFigures).runtimeMs)).toBe(2);
  });

  it('of an actor grow by the executions that retention deletes', () => {
    const once = withDeletedExecution(undefined, execution(), NOW);
    expect(withDeletedExecution(once, execution({ finishedAt: 2_000 }), NOW)).toEqual({
      tenant: 'DEV',
      actorId: 'A',
      actors: 0,
      actorsWithExecutions: 0,
      executions: 2,
      runtimeMs: 3_999,
      cpu: 10,
      io: 12,
    });
  });

  it('of a tenant include those of deleted actors, and count the actors that ever ran', () => {
    const idle = withDeletedActor(undefined, 'DEV', noFigures);
    expect(idle).toMatchObject({ actors: 1, actorsWithExecutions: 0 });
    expect(withDeletedActor(idle, 'DEV', figuresOf(execution(), NOW))).toEqual({
      tenant: 'DEV',
      actors: 2,
      actorsWithExecutions: 1,
      executions: 1,
      runtimeMs: 2_999,
      cpu: 5,
      io: 6,
    });
  });

  it('of a tenant and of an actor have different keys', () => {
    expect(totalsKey({ tenant: 'DEV' })).toBe(joinKey('DEV', ''));
    expect(totalsKey({ tenant: 'DEV', actorId: 'A' })).toBe(joinKey('DEV', 'A'));
    expect(sumOf(noFigures, noFigures)).toEqual(noFigures);
  });

  it('grow by every execution that is deleted, and by none without a record', async () => {
    const store = memoryStore();
    await store.transact((tx) => {
      for (const [id, actorId] of [
        ['1', 'A'],
        ['2', 'A'],
        ['3', 'B'],
        ['4', 'A'],
      ] as const)
        tx.put('executions', execution({ id, actorId }));
    });
    await store.transact((tx) => deleteExecutions(tx, ['4'], NOW));
    await store.transact((tx) => deleteExecutions(tx, ['1', 'gone', '3'], NOW));
    expect([...store.all('executions')].map(({ id }) => id)).toEqual(['2']);
    expect([...store.all('totals')]).toMatchObject([
      { actorId: 'A', executions: 2, cpu: 10 },
      { actorId: 'B', executions: 1, cpu: 5 },
    ]);
  });
});

// The hour of executions that the overview shows.
import { describe, expect, it } from 'vitest';
import { hasFailed, hourUntil } from '../../../daemon/domain/executions/activity.ts';
import type { ExecutionRecord } from '../../../daemon/domain/records/actor-records.ts';

const MINUTE = 60_000;
const NOW = 600 * MINUTE + 30_000;
const execution = (fields: Partial<ExecutionRecord>): ExecutionRecord => ({
  id: 'E',
  actorId: 'A',
  tenant: 'DEV',
  sequence: 1,
  executor: 'ana',
  status: 'COMPLETE',
  receivedAt: NOW,
  ...fields,
});

describe('the activity of the last hour', () => {
  it('has sixty minutes, the current one last', () => {
    const { minutes } = hourUntil(NOW);
    expect([minutes.length, minutes[0]?.at, minutes.at(-1)?.at]).toEqual([60, 541 * MINUTE, 600 * MINUTE]);
  });

  it('counts ends and failures in the minute of the end, and messages in the part of their arrival', () => {
    const hour = hourUntil(NOW);
    hour.add(execution({ exitCode: 0, finishedAt: NOW }));
    hour.add(execution({ exitCode: 1, finishedAt: NOW - MINUTE }));
    hour.add(execution({ status: 'RUNNING' }));
    expect(hour.minutes.slice(-2)).toEqual([
      { at: 599 * MINUTE, ended: 1, failed: 1 },
      { at: 600 * MINUTE, ended: 1, failed: 0 },
    ]);
    const recent = [...Array.from({ length: 19 }, () => 0), 3];
    expect(hour.actors.get('A')).toEqual({ recent, ended: 2, failed: 1 });
  });

  it('counts an old message that ended within the hour, and nothing before it', () => {
    const hour = hourUntil(NOW);
    hour.add(execution({ receivedAt: 0, finishedAt: NOW }));
    hour.add(execution({ receivedAt: 0, finishedAt: 0 }));
    expect(hour.minutes.reduce((sum, { ended }) => sum + ended, 0)).toBe(1);
    expect(hour.actors.get('A')).toMatchObject({ ended: 1, failed: 0 });
    expect([hour.isBefore(541 * MINUTE - 1), hour.isBefore(541 * MINUTE)]).toEqual([true, false]);
  });
});

it.each([
  [{ status: 'ERROR' }, true],
  [{ status: 'COMPLETE', exitCode: 2 }, true],
  [{ status: 'COMPLETE', exitCode: 143, reason: 'halted' }, false],
  [{ status: 'COMPLETE', exitCode: 0 }, false],
  [{ status: 'COMPLETE' }, false],
  [{ status: 'CANCELLED' }, false],
] as const)('an execution with %j has failed: %s', (fields, failed) => {
  expect(hasFailed(fields)).toBe(failed);
});

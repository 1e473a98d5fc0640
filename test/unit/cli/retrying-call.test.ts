// A call that repeats a read while the service is away: what it repeats, how long, and what ends it.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createConnectionNotes } from '../../../src/client/connection-notes.ts';
import { createReconnectDeadline } from '../../../src/client/reconnect-deadline.ts';
import { createRetryingCall, type RetryLimits } from '../../../src/client/retrying-call.ts';
import { CliFailure } from '../../../src/failure.ts';

const away = () => new CliFailure('DAEMON_NOT_RUNNING', 'no daemon');

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A call with scripted responses; the last one is repeated. */
const make = (answers: readonly (() => unknown)[], limits: RetryLimits = {}) => {
  let calls = 0;
  const notes: string[] = [];
  const run = new AbortController();
  const call = createRetryingCall(
    {
      call: (async () => {
        const answer = answers[Math.min(calls, answers.length - 1)];
        calls += 1;
        return answer?.();
      }) as never,
      connection: createConnectionNotes((line) => void notes.push(line)),
      now: Date.now,
      signal: run.signal,
      isLocal: true,
    },
    limits,
  );
  return { call, notes, interrupt: () => run.abort(), calls: () => calls };
};

const fails = (error: unknown) => () => {
  throw error;
};
const params = { params: { actorId: 'a', executionId: 'b' } };

it('a read is retried until the service is back, and the outage is reported when it begins and when it ends', async () => {
  const { call, notes, calls } = make([fails(away()), fails(away()), () => 'found']);
  const found = call('executions.show', params);
  await vi.advanceTimersByTimeAsync(0);
  expect([calls(), notes]).toEqual([1, ['-- connection lost, retrying for 60 s --']]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([await found, calls(), notes.slice(1)]).toEqual(['found', 3, ['-- reconnected after 1 s --']]);
});

it('retries stop after the time limit, with the last reason', async () => {
  const { call, notes } = make([fails(away())], { until: Date.now() + 5_000 });
  const found = call('executions.show', params);
  const refused = expect(found).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING' });
  await vi.advanceTimersByTimeAsync(10_000);
  await refused;
  expect(notes).toEqual(['-- connection lost, retrying for 5 s --']);
});

it('each retry gets only the remaining time', async () => {
  const { call, calls } = make([() => 'found', fails(away())], { until: Date.now() + 5_000 });
  expect(await call('executions.show', params)).toBe('found');
  await vi.advanceTimersByTimeAsync(4_500);
  const refused = expect(call('executions.show', params)).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING' });
  await vi.advanceTimersByTimeAsync(500);
  await refused;
  expect(calls()).toBe(3);
});

it('refused reads and writes are not retried', async () => {
  const refused = make([fails(new CliFailure('NOT_FOUND', 'no such execution'))]);
  await expect(refused.call('executions.show', params)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const sent = make([fails(away())]);
  await expect(sent.call('executions.halt', params)).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING' });
  expect([refused.calls(), sent.calls()]).toEqual([1, 1]);
});

it('retries end at once when interrupted during a pause', async () => {
  const { call, interrupt } = make([fails(away())], {});
  const found = call('executions.show', params);
  const cancelled = expect(found).rejects.toMatchObject({ code: 'CANCELLED' });
  await vi.advanceTimersByTimeAsync(300);
  interrupt();
  await vi.advanceTimersByTimeAsync(0);
  await cancelled;
});

it('a deadline without a limit never ends the attempts to reconnect', async () => {
  const { signal } = new AbortController();
  const deadline = createReconnectDeadline({
    reconnectMs: Number.POSITIVE_INFINITY,
    silenceMs: 45_000,
    signal,
    isLocal: true,
  });
  const tries = async (): Promise<string> => {
    for (let count = 0; count < 500; count += 1) await deadline.wait(away(), 45_000);
    return 'still trying';
  };
  const trying = tries();
  await vi.advanceTimersByTimeAsync(500 * 2_000);
  expect(await trying).toBe('still trying');
});

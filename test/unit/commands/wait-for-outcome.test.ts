// The outcome of an execution as text and exit codes, and the wait for it.
import { describe, expect, it } from 'vitest';
import {
  exitCodeOf,
  formatOutcome,
  hasFailed,
  isFinal,
  type Outcome,
  waitUntil,
} from '../../../src/commands/executions/wait-for-outcome.ts';

describe('the outcome of an execution', () => {
  it.each<[Outcome, { final: boolean; failed: boolean; exit: number; propagated: number; words: string }]>([
    [{ status: 'SUBMITTED' }, { final: false, failed: false, exit: 0, propagated: 0, words: 'waiting' }],
    [{ status: 'RUNNING' }, { final: false, failed: false, exit: 0, propagated: 0, words: 'running' }],
    [
      { status: 'COMPLETE', exitCode: 0, reason: 'exited' },
      { final: true, failed: false, exit: 0, propagated: 0, words: 'complete' },
    ],
    [
      { status: 'COMPLETE', exitCode: 3, reason: 'exited' },
      { final: true, failed: true, exit: 11, propagated: 3, words: 'failed, exit 3' },
    ],
    [
      { status: 'COMPLETE', exitCode: 143, reason: 'halted' },
      { final: true, failed: true, exit: 11, propagated: 143, words: 'halted  exit 143' },
    ],
    [
      { status: 'COMPLETE', exitCode: 0, reason: 'timed_out' },
      { final: true, failed: true, exit: 11, propagated: 11, words: 'timed out  exit 0' },
    ],
    [
      { status: 'COMPLETE', exitCode: 300, reason: 'exited' },
      { final: true, failed: true, exit: 11, propagated: 11, words: 'failed, exit 300' },
    ],
    [{ status: 'ERROR' }, { final: true, failed: true, exit: 10, propagated: 10, words: 'error' }],
    [{ status: 'CANCELLED' }, { final: true, failed: true, exit: 11, propagated: 11, words: 'cancelled' }],
  ])('%j', (outcome, expected) => {
    expect({
      final: isFinal(outcome),
      failed: hasFailed(outcome),
      exit: exitCodeOf(outcome),
      propagated: exitCodeOf(outcome, 'propagate'),
      words: formatOutcome(outcome),
    }).toEqual(expected);
  });
});

describe('a wait', () => {
  const now = () => Date.now();
  it('returns at once for an execution that has ended, even with no time left', async () => {
    const { signal } = new AbortController();
    await expect(
      waitUntil({ signal, now }, { read: async () => 'done', settled: () => true, until: now() }),
    ).resolves.toEqual({ state: 'done', settled: true });
  });
  it('returns the last state after its timeout, and reports that the execution has not ended', async () => {
    const { signal } = new AbortController();
    let looks = 0;
    const { settled, state } = await waitUntil(
      { signal, now },
      { read: async () => (looks += 1), settled: () => false, until: now() + 20 },
    );
    expect({ settled, state }).toEqual({ settled: false, state: looks });
    expect(looks).toBeGreaterThan(1);
  });
  it('polls again at once when notified', async () => {
    const { signal } = new AbortController();
    const hurry = new AbortController();
    let done = false;
    setTimeout(() => {
      done = true;
      hurry.abort();
    }, 5);
    const waited = await waitUntil(
      { signal, now },
      { read: async () => done, settled: (state) => state, until: now() + 60_000, hurry: hurry.signal },
    );
    expect(waited).toEqual({ state: true, settled: true });
  });
  it('ends with CANCELLED on a signal', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 5);
    await expect(
      waitUntil(
        { signal: controller.signal, now },
        { read: async () => 1, settled: () => false, until: now() + 60_000 },
      ),
    ).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

// Setup and teardown of the engine tests: a new engine for each test, closed afterwards without logged errors.
import { afterEach, expect } from 'vitest';
import type { Clock } from '../../../daemon/ports/clock.ts';
import { ExecutorError } from '../../../daemon/ports/executor.ts';
import type { SchedulerSettings } from '../../../daemon/scheduler/scheduler-settings.ts';
import { buildSchedulerHarness, type SchedulerHarness } from './scheduler-harness.ts';

/** The setup of the running test, available once `build` has resolved. */
export let harness: SchedulerHarness;

export const build = async (settings: Partial<SchedulerSettings> = {}, clock?: Clock): Promise<SchedulerHarness> => {
  harness = await buildSchedulerHarness(settings, clock);
  return harness;
};

/** Called once by a test file. Closes the setup of each test and fails the test if it logged an error. */
export const closeHarnesses = (): void => {
  afterEach(async () => {
    await harness.close();
    expect(harness.complaints).toEqual([]);
  });
};

export const statusOf = (actorId: string): string | undefined => harness.store.get('actors', actorId)?.status;
export const actorOf = (actorId: string) => harness.store.get('actors', actorId);
export const workersOf = (actorId: string) => harness.store.by('workers', 'actor', actorId);
export const startError = () => new ExecutorError('start', 'exec format error');

/** An image whose runs end when the test allows it, in any order. */
export const gated = (name = 'gated') => {
  const gates = new Map<string, () => void>();
  harness.world.images.set(name, async ({ environment, terminated }) => {
    await new Promise<void>((resolve) => {
      gates.set(environment['MSG'] ?? '', resolve);
      terminated.addEventListener('abort', () => resolve());
    });
    return terminated.aborted ? 143 : 0;
  });
  return {
    running: () => [...gates.keys()],
    let: async (message: string) => {
      await harness.until(() => gates.has(message));
      gates.get(message)?.();
      gates.delete(message);
    },
  };
};

/** Starts that the test resolves, in any order. */
export const pendingStarts = () => {
  const pending = new Map<string, (fault: Error | undefined) => void>();
  harness.world.faults.start = ({ environment: { MSG = '' } }) => new Promise((resolve) => pending.set(MSG, resolve));
  return {
    pending: () => [...pending.keys()],
    answer: async (message: string, fault: Error | undefined) => {
      await harness.until(() => pending.has(message));
      pending.get(message)?.(fault);
      pending.delete(message);
    },
  };
};

// Setup and teardown of the engine tests: a new engine for each test, closed afterwards without logged errors.
import { afterEach, expect } from 'vitest';
import type { Clock } from '../../../daemon/ports/clock.ts';
import { ExecutorError } from '../../../daemon/ports/executor.ts';
import type { SchedulerSettings } from '../../../daemon/scheduler/scheduler-settings.ts';
import { buildSchedulerHouse, type SchedulerHouse } from './scheduler-house.ts';

/** The setup of the running test, available once `build` has resolved. */
export let house: SchedulerHouse;

export const build = async (settings: Partial<SchedulerSettings> = {}, clock?: Clock): Promise<SchedulerHouse> => {
  house = await buildSchedulerHouse(settings, clock);
  return house;
};

/** Called once by a test file. Closes the setup of each test and fails the test if it logged an error. */
export const closeHouses = (): void => {
  afterEach(async () => {
    await house.close();
    expect(house.complaints).toEqual([]);
  });
};

export const statusOf = (actorId: string): string | undefined => house.store.get('actors', actorId)?.status;
export const actorOf = (actorId: string) => house.store.get('actors', actorId);
export const workersOf = (actorId: string) => house.store.by('workers', 'actor', actorId);
export const startError = () => new ExecutorError('start', 'exec format error');

/** An image whose runs end when the test allows it, in any order. */
export const gated = (name = 'gated') => {
  const gates = new Map<string, () => void>();
  house.world.images.set(name, async ({ environment, terminated }) => {
    await new Promise<void>((resolve) => {
      gates.set(environment['MSG'] ?? '', resolve);
      terminated.addEventListener('abort', () => resolve());
    });
    return terminated.aborted ? 143 : 0;
  });
  return {
    running: () => [...gates.keys()],
    let: async (message: string) => {
      await house.until(() => gates.has(message));
      gates.get(message)?.();
      gates.delete(message);
    },
  };
};

/** Starts that are answered by the test, in any order. */
export const pendingStarts = () => {
  const pending = new Map<string, (fault: Error | undefined) => void>();
  house.world.faults.start = ({ environment: { MSG = '' } }) => new Promise((resolve) => pending.set(MSG, resolve));
  return {
    pending: () => [...pending.keys()],
    answer: async (message: string, fault: Error | undefined) => {
      await house.until(() => pending.has(message));
      pending.get(message)?.(fault);
      pending.delete(message);
    },
  };
};

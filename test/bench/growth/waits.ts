// How long other clients wait while something runs.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Sample, sampleOf } from '../figures.ts';
import { longestAnswer } from '../load.ts';

const ROUNDS = 3;

/**
 * The longest time for which another client waits while `work` runs, and in as much time without it, in turn.
 * @param work resolves with its milliseconds
 */
export const waitsBeside = async (
  baseUrl: string,
  work: () => Promise<number>,
): Promise<{ readonly ours: Sample; readonly floor: Sample }> => {
  const ours: number[] = [];
  const floor: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    let ms = 0;
    const working = async (): Promise<void> => {
      ms = await work();
    };
    ours.push(await longestAnswer(baseUrl, working));
    floor.push(await longestAnswer(baseUrl, () => sleep(ms)));
  }
  return { ours: sampleOf(ours), floor: sampleOf(floor) };
};

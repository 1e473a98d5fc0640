// Long loops over records that run at the same time share the turns of the event loop.
import { describe, expect, it } from 'vitest';
import { createPause } from '../../../daemon/actors/pause.ts';

/** Counts the slices of `loops` loops with 10 pauses each in every turn of the event loop. */
const slicesByTurn = async (loops: number): Promise<readonly number[]> => {
  const slices = [0];
  let next: NodeJS.Immediate;
  const count = (): void => {
    slices.push(0);
    next = setImmediate(count);
  };
  next = setImmediate(count);
  const loop = async () => {
    const pause = createPause(new AbortController().signal);
    for (let left = 10; left > 0; left -= 1) {
      await pause.take();
      slices.push((slices.pop() ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
  clearImmediate(next);
  return slices;
};

describe('loops that pause', () => {
  it.each([1, 4, 20])('resume one at a time, even when %i of them run', async (loops) => {
    const slices = await slicesByTurn(loops);
    expect(Math.max(...slices)).toBe(1);
    expect(slices.reduce((sum, count) => sum + count, 0)).toBe(loops * 10);
  });

  it('end with an error after the signal has fired', async () => {
    const stopping = new AbortController();
    const paused = createPause(stopping.signal).take();
    stopping.abort();
    await expect(paused).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});

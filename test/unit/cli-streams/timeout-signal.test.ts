// A signal that fires after a time, also as a part of another signal that nothing else refers to.
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { timeoutSignal } from '../../../src/local/timeout-signal.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

it('a timeout signal combined with another one fires despite garbage collection', async () => {
  const fired = new Promise<unknown>((resolve) => {
    const either = AbortSignal.any([new AbortController().signal, timeoutSignal(100)]);
    either.addEventListener('abort', () => resolve(either.reason));
  });
  await pause(1);
  collectGarbage();
  expect(await fired).toMatchObject({ name: 'TimeoutError' });
});

it('a timeout signal never fires for undefined or a time beyond the timer maximum', async () => {
  const [none, long] = [timeoutSignal(undefined), timeoutSignal(2 ** 31)];
  await pause(20);
  expect([none.aborted, long.aborted]).toEqual([false, false]);
});

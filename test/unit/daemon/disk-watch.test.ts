// The watch of the files that containers write, with an engine that the test plays.
import { expect, it } from 'vitest';
import { createDiskWatch } from '../../../daemon/executor/docker/disk-watch.ts';
import type { Connection } from '../../../daemon/executor/engine/connection.ts';
import { withTimeout } from '../../../daemon/executor/engine/engine-error.ts';

const ignore = (): void => undefined;
const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Ends the watch of a container during its measurement and begins another one so many microtasks later. */
const measuredNext = (microtasks: number): Promise<string> =>
  new Promise((resolve) => {
    const closing = new AbortController();
    let begun = false;
    const beginSecond = async (): Promise<void> => {
      for (let step = 0; step < microtasks; step += 1) await Promise.resolve();
      disk.watch('second', 1);
      begun = true;
    };
    const measure = async (): Promise<unknown> => {
      if (begun) {
        closing.abort();
        resolve('second');
      } else {
        first.stop();
        void beginSecond();
      }
      return { SizeRw: 0 };
    };
    const connection = { closed: closing.signal, call: measure } as unknown as Connection;
    const disk = createDiskWatch({ connection, logger, lookMs: 1 });
    const first = disk.watch('first', 1);
  });

it('a container is measured, whenever its watch begins after the previous one ended', async () => {
  const moments = Array.from({ length: 16 }, (_, microtasks) => microtasks);
  expect(await Promise.all(moments.map(measuredNext))).toEqual(moments.map(() => 'second'));
});

/** An engine that kills, and measures each container as `measure` says. */
const watchOf = (measure: (ref: string) => Promise<unknown>, { measureMs = 60 } = {}) => {
  const killed: string[] = [];
  const warned: unknown[] = [];
  const docker = {
    getContainer: (ref: string) => ({
      inspect: () => measure(ref),
      kill: async () => void killed.push(ref),
    }),
  };
  const closing = new AbortController();
  const call = (work: (engine: unknown) => Promise<unknown>, { timeoutMs = 30_000, signal = closing.signal } = {}) =>
    withTimeout(timeoutMs, signal, () => work(docker));
  const connection = { closed: closing.signal, call } as unknown as Connection;
  const warn = ({ ref }: Readonly<Record<string, unknown>>) => void warned.push(ref);
  const times = { lookMs: 1, turnMs: 10, measureMs };
  const disk = createDiskWatch({ connection, logger: { ...logger, warn }, ...times });
  return { disk, killed, warned, close: () => closing.abort() };
};

it('five containers whose measurements hang do not delay the others', async () => {
  const { disk, killed, close } = watchOf(
    async (ref) => (ref === 'quick' ? { SizeRw: 2 } : new Promise(() => undefined)),
    {
      measureMs: 600_000,
    },
  );
  for (const ref of ['a', 'b', 'c', 'd', 'e', 'quick']) disk.watch(ref, 1);
  await expect.poll(() => killed).toEqual(['quick']);
  close();
});

it('a container whose measurement is slow is still killed for its files, and does not delay the others', async () => {
  let finish = (): void => undefined;
  const slow = new Promise<unknown>((resolve) => {
    finish = () => resolve({ SizeRw: 2 });
  });
  const { disk, killed, close } = watchOf(async (ref) => (ref === 'slow' ? slow : { SizeRw: 2 }));
  for (const ref of ['slow', 'quick']) disk.watch(ref, 1);
  await expect.poll(() => killed).toContain('quick');
  expect(killed).not.toContain('slow');
  finish();
  await expect.poll(() => killed).toContain('slow');
  close();
});

it('a container that cannot be measured in time is named in the log once, and one that has ended is not', async () => {
  const asked: string[] = [];
  const { disk, warned, close } = watchOf((ref) => {
    asked.push(ref);
    return new Promise(() => undefined);
  });
  disk.watch('endless', 1);
  const ended = disk.watch('ended', 1);
  await expect.poll(() => asked).toContain('ended');
  ended.stop();
  await expect.poll(() => asked.filter((ref) => ref === 'endless')).toHaveLength(2);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(warned).toEqual(['endless']);
  close();
});

// The watch of the files that containers write, with an engine that the test plays.
import { expect, it } from 'vitest';
import { createDiskWatch } from '../../../daemon/executor/docker/disk-watch.ts';
import type { Connection } from '../../../daemon/executor/engine/connection.ts';

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

it('a container is measured, also if its watch begins at any moment after the last one ended', async () => {
  const moments = Array.from({ length: 16 }, (_, microtasks) => microtasks);
  expect(await Promise.all(moments.map(measuredNext))).toEqual(moments.map(() => 'second'));
});

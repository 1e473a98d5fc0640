// Benchmark: how long an archive of all data takes, how long a write waits meanwhile, and how long the import takes.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createArchives } from '../../../daemon/store/archive/data-archive.ts';
import { unpackArchive } from '../../../daemon/store/archive/unpack-archive.ts';
import { openBodies } from '../../../daemon/store/bodies.ts';
import { openLogs } from '../../../daemon/store/logs/logs.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { temporaryHome } from '../daemon.ts';
import { type Outcome, sampleOf } from '../figures.ts';
import { executionOf, fill, noLogger } from '../records.ts';

const RECORDS = 100_000;
const ROUNDS = 5;

/** The longest time (ms) of a write, one after another, while `work` runs. */
const longestWrite = async (write: () => Promise<unknown>, work: () => Promise<unknown>): Promise<number> => {
  let longest = 0;
  let done = false;
  const writing = (async () => {
    while (!done) {
      const begun = performance.now();
      await write();
      longest = Math.max(longest, performance.now() - begun);
    }
  })();
  await work();
  done = true;
  await writing;
  return longest;
};

/** An archive of 100 000 executions while one client writes, and its way back. */
export const archives = async (): Promise<Outcome> => {
  const home = temporaryHome();
  const folder = path.join(home.folder, 'data');
  const clock = { now: Date.now };
  const store = await openStore({ folder, clock, logger: noLogger });
  await fill(store, RECORDS);
  const archive = createArchives({
    store,
    bodies: await openBodies({ folder }),
    logs: await openLogs({ folder, clock, logger: noLogger }),
    keyFile: '',
    instance: 'bench',
    version: '0',
    clock,
  });
  const taken = { write: [] as number[], wait: [] as number[], idle: [] as number[], unpack: [] as number[] };
  let number = 0;
  const write = () => store.transact((tx) => tx.put('executions', executionOf(number++ % RECORDS, Date.now())));
  const { signal } = new AbortController();
  const options = { withKeys: false, onProgress: () => undefined, signal };
  for (let round = 0; round < ROUNDS; round += 1) {
    const file = path.join(home.folder, `${round}.tar.gz`);
    const next = path.join(home.folder, `next-${round}`);
    for (const part of ['db', 'bodies', 'logs']) mkdirSync(path.join(next, part), { recursive: true });
    taken.idle.push(await longestWrite(write, () => new Promise((resolve) => setTimeout(resolve, 1_000))));
    const begun = performance.now();
    taken.wait.push(await longestWrite(write, () => archive.write(file, options)));
    taken.write.push(performance.now() - begun);
    const unpacking = performance.now();
    await unpackArchive(file, next, () => undefined);
    taken.unpack.push(performance.now() - unpacking);
  }
  await store.close();
  home.remove();
  return [
    {
      what: `longest write during an archive, ${RECORDS} records`,
      unit: 'ms',
      ours: sampleOf(taken.wait),
      against: 'without it',
      floor: sampleOf(taken.idle),
      goal: { of: 'figure', atMost: 50 },
    },
    {
      what: `archive of ${RECORDS} records`,
      unit: 'ms',
      ours: sampleOf(taken.write),
      goal: { of: 'figure', atMost: 5_000 },
    },
    {
      what: `unpack and check an archive, ${RECORDS} records`,
      unit: 'ms',
      ours: sampleOf(taken.unpack),
      goal: { of: 'figure', atMost: 5_000 },
    },
  ];
};

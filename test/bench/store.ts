// Benchmark: transactions per second, cost of a write with much stored data, checkpoints and loading, compared with the
// bare journal and bare parsing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { plainEnvironment, temporaryHome } from './daemon.ts';
import { inTurn, type Outcome, perSecond, type Row, sampleOf, timed } from './figures.ts';
import { openBareJournal } from './floors/bare-journal.ts';
import { longestStall } from './profiles/turns.ts';
import { executionOf, fill, openBenchStore } from './records.ts';

const ROUNDS = 12;
const ROUND_MS = 250;
const SIZES = [100, 10_000, 100_000] as const;
const MOST = 100_000;
/** Number of writes per figure of the cost per write. */
const WRITES = 25;
const COST_ROUNDS = 60;
const LOADS = 3;
/** A journal size that no run reaches, so no checkpoint starts. */
const NEVER = 2 ** 40;

const LOADER = fileURLToPath(new URL('./store-load.ts', import.meta.url));
/** The text of a record, which a bare journal has to encode as well. */
const lineOf = (number: number): string =>
  `${JSON.stringify([number, Date.now(), [['p', 'executions', executionOf(number, Date.now())]]])}\n`;

const writes = async (): Promise<readonly Row[]> => {
  const home = temporaryHome();
  const store = await openBenchStore(home.folder, NEVER);
  const journal = await openBareJournal();
  let number = 0;
  // A fixed set of records is put again and again, so the store does not grow.
  const put = () => {
    number = (number + 1) % 1_000;
    return store.transact((tx) => tx.put('executions', executionOf(number, Date.now())));
  };
  const rows: Row[] = [];
  for (const writers of [1, 64]) {
    const of = await inTurn(
      {
        ours: () => perSecond(writers, ROUND_MS, put),
        floor: () => perSecond(writers, ROUND_MS, () => journal.append(lineOf(1))),
      },
      ROUNDS,
    );
    rows.push({
      what: `decisions, ${writers} writers`,
      unit: '/s',
      ours: of.ours,
      against: 'journal alone',
      floor: of.floor,
      ...(writers > 1 && { goal: { of: 'ratio', atLeast: 0.5 } as const }),
    });
  }
  await journal.close();
  await store.close();
  home.remove();
  return rows;
};

const costs = async (): Promise<readonly Row[]> => {
  const stores = await Promise.all(
    SIZES.map(async (size) => {
      const home = temporaryHome();
      const store = await openBenchStore(home.folder, NEVER);
      await fill(store, size);
      return { size, home, store };
    }),
  );
  const of = await inTurn(
    Object.fromEntries(
      stores.map(({ size, store }) => [
        `${size}`,
        async () => {
          const ms = await timed(async () => {
            for (let number = 0; number < WRITES; number += 1) {
              await store.transact((tx) => tx.put('executions', executionOf(number % size, Date.now())));
            }
          });
          return ms / WRITES;
        },
      ]),
    ),
    COST_ROUNDS,
  );
  for (const { home, store } of stores) {
    await store.close();
    home.remove();
  }
  const [smallest] = SIZES;
  return SIZES.slice(1).flatMap((size): Row[] => {
    const [ours, floor] = [of[`${size}`], of[`${smallest}`]];
    if (ours === undefined || floor === undefined) return [];
    const what = `one write, ${size} records stored`;
    return [
      { what, unit: 'ms', ours, against: `${smallest} records stored`, floor, goal: { of: 'ratio', atMost: 1.2 } },
    ];
  });
};

/** A load of a data folder, and its window in microseconds of the monotonic clock. */
export interface Load {
  readonly ms: number;
  readonly bytes: number;
  readonly from: number;
  readonly to: number;
}

/** Loads a data folder in a process of its own, in one of the ways of `store-load.ts`. */
export const loadOnce = async (
  side: 'ours' | 'floor' | 'lines',
  folder: string,
  nodeFlags: readonly string[] = [],
): Promise<Load> => {
  const child = spawn(process.execPath, [...nodeFlags, '--import', 'tsx', LOADER, side, folder], {
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`loading ended with ${code}`);
  return JSON.parse(text) as Load;
};

const checkpointAndLoad = async (): Promise<readonly Row[]> => {
  const home = temporaryHome();
  const stalls: number[] = [];
  let store = await openBenchStore(home.folder, NEVER);
  await fill(store, MOST);
  await store.close();
  for (let round = 0; round < LOADS; round += 1) {
    store = await openBenchStore(home.folder, NEVER);
    await store.transact((tx) => tx.put('executions', executionOf(0, Date.now())));
    // Closing writes a checkpoint of the collection that has changed.
    stalls.push(await longestStall(() => store.close()));
  }
  const bytes = { ours: [] as number[], floor: [] as number[] };
  const side = (name: 'ours' | 'floor') => async () => {
    const loaded = await loadOnce(name, home.folder);
    bytes[name].push(loaded.bytes / 2 ** 20);
    return loaded.ms;
  };
  const of = await inTurn({ ours: side('ours'), floor: side('floor') }, LOADS, 0);
  home.remove();
  return [
    {
      what: `longest stall of a checkpoint, ${MOST} records`,
      unit: 'ms',
      ours: sampleOf(stalls),
      goal: { of: 'figure', atMost: 20 },
    },
    {
      what: `load, ${MOST} records`,
      unit: 'ms',
      ours: of.ours,
      against: 'parse lines into a map',
      floor: of.floor,
      goal: { of: 'ratio', atMost: 1.5 },
    },
    {
      what: `memory after the load, ${MOST} records`,
      unit: 'MiB',
      ours: sampleOf(bytes.ours),
      against: 'parse lines into a map',
      floor: sampleOf(bytes.floor),
      goal: { of: 'ratio', atMost: 1.5 },
    },
  ];
};

/** All measurements of the store without the rest of the daemon. */
export const store = async (): Promise<Outcome> => [
  ...(await writes()),
  ...(await costs()),
  ...(await checkpointAndLoad()),
];

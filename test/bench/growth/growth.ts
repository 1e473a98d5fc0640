// Benchmark: how figures grow with the number of stored executions and events, measured through the API of daemons that
// run side by side.
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchDaemon, endDaemon, residentBytes, spawnDaemon, startDaemon } from '../daemon.ts';
import { type BenchOptions, inTurn, type Outcome, type Row, type Sample, sampleOf, timed } from '../figures.ts';
import { loadOnce } from '../store.ts';
import { type GrowthHome, growthHome, keepsEverything } from './home.ts';
import { type GrowthLine, growthPlot, growthTable, originOfRecords } from './report.ts';
import { waitsBeside } from './waits.ts';

const SIZES = [100, 1_000, 10_000, 100_000];
const MILLION = 1_000_000;
/** Executions of each home that really run, unless `ACTORCTL_BENCH_REAL_RUNS` has another number. */
const REAL_RUNS = 1_000;

const ROUNDS = 15;
/** Requests of one figure. */
const CALLS = 20;
const SEARCHES = 3;
const STARTS = 3;
/** Time for the garbage collection of what the start allocated. */
const SETTLE_MS = 1_500;

interface Side {
  readonly home: GrowthHome;
  readonly daemon: BenchDaemon;
  /** Ids of executions from all parts of the list. */
  readonly ids: readonly string[];
}

/** Milliseconds of one request, over several. */
const perCall = async (call: (number: number) => Promise<unknown>): Promise<number> => {
  const ms = await timed(async () => {
    for (let number = 0; number < CALLS; number += 1) await call(number);
  });
  return ms / CALLS;
};

interface Figure {
  readonly name: string;
  readonly rounds: number;
  measure(side: Side): Promise<number>;
}

const get = (where: (side: Side, number: number) => string) => (side: Side) =>
  perCall((number) => side.daemon.call('GET', where(side, number)));

const searchByText = ({ daemon }: Side): Promise<number> =>
  timed(() => daemon.call('GET', '/actors/v2/search/executions?exactsearch=nowhere&limit=100'));

const requests: readonly Figure[] = [
  {
    name: 'message sent',
    rounds: ROUNDS,
    measure: async ({ daemon, home }) => {
      const messages = `/actors/v2/${home.idleId}/messages`;
      const ms = await perCall(() => daemon.call('POST', messages, { message: 'hello' }));
      // The mailbox is emptied because its size is limited.
      await daemon.call('DELETE', messages);
      return ms;
    },
  },
  {
    name: 'GET by id',
    rounds: ROUNDS,
    measure: get(({ ids }, number) => `/actors/v2/executions/${ids[number % ids.length]}`),
  },
  {
    name: 'first page of executions',
    rounds: ROUNDS,
    measure: get(({ home }) => `/actors/v2/${home.actorId}/executions?limit=100`),
  },
  {
    name: 'first page by status',
    rounds: ROUNDS,
    measure: get(({ home }) => `/actors/v2/${home.actorId}/executions?status=COMPLETE&limit=100`),
  },
  {
    name: 'first page of events',
    rounds: ROUNDS,
    measure: get(() => '/actors/v2/events?limit=100'),
  },
  {
    name: 'search by status',
    rounds: ROUNDS,
    measure: get(() => '/actors/v2/search/executions?status=COMPLETE&limit=100'),
  },
  {
    name: 'search by text',
    rounds: SEARCHES,
    measure: searchByText,
  },
];

/** Time from the spawn until the daemon has recovered its records and answers. */
const startOnce = async ({ folder }: GrowthHome): Promise<number> => {
  const begun = performance.now();
  const { child, baseUrl } = await spawnDaemon(folder, keepsEverything);
  while ((await fetch(`${baseUrl}/healthz`)).status !== 200) await sleep(1);
  const ms = performance.now() - begun;
  await endDaemon(child);
  return ms;
};

const sideOf = async (home: GrowthHome): Promise<Side> => {
  const { folder, credentials, actorId, size } = home;
  const daemon = await startDaemon(keepsEverything, { home: { folder, remove: home.remove }, credentials });
  const ids: string[] = [];
  for (const part of [0, 0.25, 0.5, 0.75]) {
    const where = `/actors/v2/${actorId}/executions?limit=5&skip=${Math.floor(size * part)}`;
    const { search } = await daemon.call<{ search: readonly { id: string }[] }>('GET', where);
    ids.push(...search.map(({ id }) => id));
  }
  return { home, daemon, ids };
};

type Samples = Readonly<Record<string, Sample>>;

const bySize = <T>(homes: readonly GrowthHome[], make: (home: GrowthHome) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(homes.map((home) => [String(home.size), make(home)]));

const growthRow = (
  what: string,
  samples: Samples,
  [from, to]: readonly [number, number],
  atMost: number,
): readonly Row[] => {
  const [ours, floor] = [samples[to], samples[from]];
  if (ours === undefined || floor === undefined) return [];
  const goal = { of: 'ratio', atMost } as const;
  return [{ what: `${what}, ${to} stored`, unit: 'ms', ours, against: `${from} stored`, floor, goal }];
};

interface Measured {
  readonly lines: readonly GrowthLine[];
  readonly rows: readonly Row[];
}

const measureStarts = async (homes: readonly GrowthHome[]): Promise<Measured> => {
  const starts = await inTurn(
    bySize(homes, (home) => () => startOnce(home)),
    STARTS,
    0,
  );
  const largest = homes.at(-1);
  const floors: number[] = [];
  for (let round = 0; largest !== undefined && round < STARTS; round += 1) {
    floors.push(await timed(() => loadOnce('lines', largest.db)));
  }
  const ours = starts[String(largest?.size)];
  const row: Row | undefined = ours && {
    what: `daemon start, ${largest?.size} stored`,
    unit: 'ms',
    ours,
    against: 'a process that parses the lines',
    floor: sampleOf(floors),
    goal: { of: 'ratio', atMost: 1.5 },
  };
  return { lines: [{ name: 'daemon start', unit: 'ms', samples: starts }], rows: row ? [row] : [] };
};

const measureMemory = async (sides: readonly Side[]): Promise<Measured> => {
  await sleep(SETTLE_MS);
  const weights = await Promise.all(
    sides.map(async ({ home, daemon }) => [home.size, (await residentBytes(daemon.pid)) / 2 ** 20] as const),
  );
  const samples = Object.fromEntries(weights.map(([size, mebibytes]) => [size, sampleOf([mebibytes])]));
  const [[first, least] = [0, 0]] = weights;
  const [last, most] = weights.at(-1) ?? [0, 0];
  const perExecution = ((most - least) * 2 ** 20) / (last - first);
  return {
    lines: [{ name: 'resident memory', unit: 'MiB', samples }],
    rows: [
      {
        what: `memory per execution with message and event, ${last} stored`,
        unit: 'bytes',
        ours: sampleOf([perExecution]),
        goal: { of: 'figure', atMost: 1_536 },
      },
    ],
  };
};

const measureRequests = async (sides: readonly Side[]): Promise<Measured> => {
  const sizes = sides.map(({ home }) => home.size);
  const [first = 0, second = 0] = sizes;
  const last = sizes.at(-1) ?? 0;
  const lines: GrowthLine[] = [];
  for (const { name, rounds, measure } of requests) {
    const of = Object.fromEntries(sides.map((side) => [String(side.home.size), () => measure(side)]));
    lines.push({ name, unit: 'ms', samples: await inTurn(of, rounds) });
  }
  const rows = lines.flatMap(({ name, samples }) => {
    if (name === 'search by text') return [];
    return name === 'search by status'
      ? growthRow(name, samples, [second, last], 3)
      : growthRow(name, samples, [first, last], 1.3);
  });
  const largest = sides.at(-1);
  if (largest === undefined) return { lines, rows };
  const stall: Row = {
    what: `longest wait of others in a search by text, ${last} stored`,
    unit: 'ms',
    ...(await waitsBeside(largest.daemon.baseUrl, () => searchByText(largest))),
    against: 'no search, same time',
    goal: { of: 'figure', atMost: 20 },
  };
  return { lines, rows: [...rows, stall] };
};

/** Figures at 10² to 10⁵ stored executions, or to 10⁶. */
export const growth = async ({ million = false }: BenchOptions): Promise<Outcome> => {
  if (process.platform !== 'linux') return { skipped: 'memory is read from /proc' };
  const most = Number(process.env['ACTORCTL_BENCH_REAL_RUNS'] ?? REAL_RUNS);
  const homes: GrowthHome[] = [];
  const sides: Side[] = [];
  try {
    for (const size of million ? [...SIZES, MILLION] : SIZES) {
      process.stderr.write(`  ${size} executions …\n`);
      homes.push(await growthHome(size, most));
    }
    process.stderr.write('  starts …\n');
    const starts = await measureStarts(homes);
    for (const home of homes) sides.push(await sideOf(home));
    process.stderr.write('  requests …\n');
    const memory = await measureMemory(sides);
    const answered = await measureRequests(sides);
    const lines = [...answered.lines, ...starts.lines, ...memory.lines];
    return {
      rows: [...answered.rows, ...starts.rows, ...memory.rows],
      section: { title: 'Growth', text: `${originOfRecords(homes)}\n\n${growthTable(lines)}`, plot: growthPlot(lines) },
    };
  } finally {
    for (const { daemon } of sides) await daemon.leave();
    for (const { remove } of homes) remove();
  }
};

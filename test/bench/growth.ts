// Benchmark: how the time of requests grows with the number of stored executions and events, through the API of daemons
// that run side by side, and how long one client waits while others write.
import { type BenchDaemon, startDaemon } from './daemon.ts';
import { type BenchOptions, inTurn, type Outcome, type Row, sampleOf, timed } from './figures.ts';
import { type GrowthHome, growthHome, keepsEverything } from './growth-home.ts';
import { load, longestAnswer } from './load.ts';

const SMALL = 100;
const USUAL = 10_000;
const LARGE = 100_000;
/** Executions of each home that really run. */
const REAL_RUNS = 1_000;
const ROUNDS = 15;
/** Requests of one figure. */
const CALLS = 20;
const WRITERS = 8;
const STALLS = 3;
/** Long enough for a checkpoint of the store. */
const WRITING_MS = 5_000;

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

const get = (where: (side: Side, number: number) => string) => (side: Side) =>
  perCall((number) => side.daemon.call('GET', where(side, number)));

const requests: Readonly<Record<string, (side: Side) => Promise<number>>> = {
  'list of executions': get(({ home }) => `/actors/v2/${home.actorId}/executions?limit=100`),
  'GET of an execution': get(({ ids }, number) => `/actors/v2/executions/${ids[number % ids.length]}`),
  'search by an indexed field': get(() => '/actors/v2/search/executions?status=COMPLETE&limit=100'),
  'message sent': async ({ daemon, home }) => {
    const messages = `/actors/v2/${home.idleId}/messages`;
    const ms = await perCall(() => daemon.call('POST', messages, { message: 'hello' }));
    // The mailbox is emptied because its size is limited.
    await daemon.call('DELETE', messages);
    return ms;
  },
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

/** The longest response time of one client while others emit events, which triggers a checkpoint of the store. */
const stallRow = async ({ daemon, home }: Side): Promise<Row> => {
  const shot = {
    method: 'POST',
    path: `/actors/v2/${home.idleId}/events`,
    headers: { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ event_type: 'EXECUTION_COMPLETE', exit_code: 0 }),
  };
  const longest: number[] = [];
  for (let round = 0; round < STALLS; round += 1)
    longest.push(await longestAnswer(daemon.baseUrl, () => load(daemon.baseUrl, shot, WRITERS, WRITING_MS)));
  const what = `longest wait beside ${WRITERS} writers, ${home.size} stored`;
  return { what, unit: 'ms', ours: sampleOf(longest), goal: { of: 'figure', atMost: 50 } };
};

/** Requests at 10² and 10⁴ stored executions, or 10⁵. */
export const growth = async ({ large = false }: BenchOptions): Promise<Outcome> => {
  const homes: GrowthHome[] = [];
  const sides: Side[] = [];
  try {
    for (const size of [SMALL, large ? LARGE : USUAL]) {
      process.stderr.write(`  ${size} executions …\n`);
      homes.push(await growthHome(size, REAL_RUNS));
    }
    for (const home of homes) sides.push(await sideOf(home));
    const [small, many] = sides;
    if (small === undefined || many === undefined) throw new Error('a home is missing');
    const rows: Row[] = [];
    for (const [name, measure] of Object.entries(requests)) {
      rows.push({
        what: `${name}, ${many.home.size} stored`,
        unit: 'ms',
        ...(await inTurn({ ours: () => measure(many), baseline: () => measure(small) }, ROUNDS)),
        against: `${small.home.size} stored`,
        goal: { of: 'ratio', atMost: 1.5 },
      });
    }
    return [...rows, await stallRow(many)];
  } finally {
    for (const { daemon } of sides) await daemon.leave();
    for (const { remove } of homes) remove();
  }
};

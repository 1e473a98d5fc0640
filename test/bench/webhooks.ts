// Benchmark: webhook deliveries per second, each durable before it is sent and after its response, compared with a loop
// that syncs a line before each POST.
import { fileURLToPath } from 'node:url';
import type { Posts } from './baselines/bare-posts.ts';
import { type Bare, startBare } from './baselines/bare-process.ts';
import { type BenchDaemon, startDaemon } from './daemon.ts';
import { inTurn, type Outcome, type Row } from './figures.ts';
import { type IdleActors, idleActors } from './idle-actors.ts';
import { type Sink, startSink } from './webhook-sink.ts';

interface Size {
  /** Number of actors. Each has one delivery in progress at a time. */
  readonly actors: number;
  /** Events per actor in a round, fewer than the queue limit of one receiver. */
  readonly each: number;
}

const SIZES: readonly Size[] = [
  { actors: 1, each: 900 },
  { actors: 8, each: 250 },
  { actors: 64, each: 40 },
];
const ROUNDS = 7;
/** The number of concurrent emitters. */
const EMITTERS = 16;

const POSTS = fileURLToPath(new URL('./baselines/bare-posts.ts', import.meta.url));

interface Bench {
  readonly daemon: BenchDaemon;
  readonly idle: IdleActors;
  readonly sink: Sink;
  readonly bare: Bare;
}

/** Nothing is delivered while the events are emitted, so the benchmark measures only the sending. */
const ourRate = async ({ daemon, sink }: Bench, actors: readonly string[], each: number): Promise<number> => {
  sink.hold();
  const waiting = actors.flatMap((actor) => Array.from({ length: each }, () => actor));
  const all = sink.more(waiting.length);
  const total = waiting.length;
  const emitter = async (): Promise<void> => {
    for (let actor = waiting.pop(); actor !== undefined; actor = waiting.pop())
      await daemon.call('POST', `/actors/v2/${actor}/events`, { event_type: 'EXECUTION_COMPLETE', exit_code: 0 });
  };
  await Promise.all(Array.from({ length: EMITTERS }, emitter));
  const begun = performance.now();
  sink.flow();
  await all;
  return (total * 1_000) / (performance.now() - begun);
};

const bareRate = async ({ sink, bare }: Bench, { actors: lanes, each }: Size): Promise<number> => {
  const all = sink.more(lanes * each);
  const posts: Posts = { url: sink.url, lanes, each, body: sink.last() };
  const begun = performance.now();
  await Promise.all([all, bare.ask(posts)]);
  return (lanes * each * 1_000) / (performance.now() - begun);
};

const rowFor = async (bench: Bench, size: Size): Promise<Row> => {
  const { idle, sink } = bench;
  const actors: string[] = [];
  for (let n = 0; n < size.actors; n += 1) actors.push(await idle.add(sink.url));
  const of = await inTurn(
    { ours: () => ourRate(bench, actors, size.each), baseline: () => bareRate(bench, size) },
    ROUNDS,
  );
  const what = `webhook deliveries, ${size.actors} actors`;
  return { what, unit: '/s', ...of, against: 'POST loop with the same journal', goal: { of: 'ratio', atLeast: 0.6 } };
};

/** Deliveries of 1, 8 and 64 actors. */
export const webhooks = async (): Promise<Outcome> => {
  const daemon = await startDaemon();
  const bare = await startBare(POSTS);
  const sink = await startSink();
  const idle = idleActors(daemon);
  try {
    const rows: Row[] = [];
    for (const size of SIZES) rows.push(await rowFor({ daemon, idle, sink, bare }, size));
    return rows;
  } finally {
    await bare.stop();
    await daemon.stop();
    idle.remove();
    await sink.close();
  }
};

// A process that measures the store with a million executions and as many events, next to a store with a hundred. Its
// heap holds nothing else, as that of a daemon.
import { closeSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Store } from '../../../daemon/ports/store.ts';
import { temporaryHome } from '../daemon.ts';
import { inTurn, type Outcome, type Row, sampleOf, timed } from '../figures.ts';
import { longestTurns, turnsTable } from '../profiles/turns.ts';
import { executionOf, openBenchStore, PER_ACTOR } from '../records.ts';
import { loadOnce } from '../store.ts';
import { answerOnce } from './measuring-process.ts';
import { warmUpWrites, writeExecutions } from './writes.ts';

const MOST = 1_000_000;
const FEW = 100;
const ROUNDS = 40;
const CALLS = 25;
/** Bytes of a line of an execution. */
const LINE = 480;

/** Bytes of live objects and buffers. */
const memory = (): number => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const idOf = (call: number, size: number): string => executionOf((call * 7_919) % size, 0).id;

/** Microseconds of one call. */
const cost = async (calls: number, work: (call: number) => unknown): Promise<number> => {
  const ms = await timed(async () => {
    for (let call = 0; call < calls; call += 1) await work(call);
  });
  return (ms * 1_000) / calls;
};

const costs = async (many: Store, few: Store, folder: string): Promise<readonly Row[]> => {
  const put = (store: Store, size: number) => () =>
    cost(CALLS, (call) => store.transact((tx) => tx.put('executions', executionOf((call * 7_919) % size, Date.now()))));
  const page = (store: Store, size: number) => () =>
    cost(CALLS, (call) =>
      store.page('executions', 'actor', executionOf(0, 0).actorId, {
        skip: (call * 79) % (Math.min(size, PER_ACTOR) - 20),
        limit: 20,
        newestFirst: true,
      }),
    );
  const file = openSync(path.join(folder, 'db', 'executions.json'), 'r');
  const line = Buffer.alloc(LINE);
  const text = JSON.stringify(executionOf(0, 0));
  const read = (call: number): unknown => {
    readSync(file, line, 0, LINE, ((call * 7_919) % MOST) * LINE);
    return JSON.parse(text);
  };
  const writes = await inTurn({ many: put(many, MOST), few: put(few, FEW) }, ROUNDS);
  const pages = await inTurn({ many: page(many, MOST), few: page(few, FEW) }, ROUNDS);
  const gets = await inTurn(
    { many: () => cost(CALLS, (call) => many.get('executions', idOf(call, MOST))), floor: () => cost(CALLS, read) },
    ROUNDS,
  );
  closeSync(file);
  const against = `${FEW} records stored`;
  return [
    {
      what: `one write, ${MOST} records stored`,
      unit: 'µs',
      ours: writes.many,
      against,
      floor: writes.few,
      goal: { of: 'ratio', atMost: 1.3 },
    },
    { what: `page of 20, ${MOST} records stored`, unit: 'µs', ours: pages.many, against, floor: pages.few },
    {
      what: `get from disk, ${MOST} records stored`,
      unit: 'µs',
      ours: gets.many,
      against: 'read and parse one line',
      floor: gets.floor,
    },
  ];
};

const loads = async (folder: string): Promise<readonly Row[]> => {
  const of = await inTurn(
    {
      ours: async () => (await loadOnce('ours', folder)).ms,
      // The lines of all files, because the store loads the events too.
      floor: async () => (await loadOnce('lines', path.join(folder, 'db'))).ms,
    },
    2,
    0,
  );
  return [
    {
      what: `load, ${MOST} executions and events`,
      unit: 'ms',
      ours: of.ours,
      against: 'parse lines into a map',
      floor: of.floor,
      goal: { of: 'ratio', atMost: 1.5 },
    },
  ];
};

/** A million executions: cost of reads and writes, stalls, memory and loading. */
const measure = async (): Promise<Outcome> => {
  await warmUpWrites();
  const [home, small] = [temporaryHome(), temporaryHome()];
  const few = await openBenchStore(small.folder);
  await writeExecutions(few, FEW);
  const before = memory();
  const many = await openBenchStore(home.folder);
  // Checkpoints happen while it is filled.
  const filling = await longestTurns(() => writeExecutions(many, MOST));
  const bytes = (memory() - before) / MOST;
  const rows = await costs(many, few, home.folder);
  const closing = await longestTurns(() => many.close());
  await few.close();
  const loaded = await loads(home.folder);
  home.remove();
  small.remove();
  const stall = (what: string, turns: typeof filling): Row => ({
    what,
    unit: 'ms',
    ours: sampleOf(turns.slice(0, 1).map((turn) => turn.ms)),
    goal: { of: 'figure', atMost: 20 },
  });
  const text = [
    'The longest turns of the event loop. Where the processor time is above the turn, threads of V8 worked on its heap at the same time, or wrote files; where it is below, the process waited for a processor.',
    `While ${MOST} executions are written, with all checkpoints:`,
    turnsTable(filling),
    'In the checkpoint at the end:',
    turnsTable(closing),
  ];
  return {
    rows: [
      ...rows,
      ...loaded,
      stall(`longest stall while ${MOST} executions are written`, filling),
      stall(`longest stall of a checkpoint, ${MOST} records`, closing),
      {
        what: 'memory of an execution and its event',
        unit: 'bytes',
        ours: sampleOf([bytes]),
        goal: { of: 'figure', atMost: 600 },
      },
    ],
    section: { title: 'Stalls', text: text.join('\n\n') },
  };
};

answerOnce(measure);

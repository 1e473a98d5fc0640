// Benchmark: the engine with 100 000 waiting messages and 1 000 running executions on a simulated container engine.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createScheduler } from '../../daemon/scheduler/scheduler.ts';
import { openBodies } from '../../daemon/store/bodies.ts';
import { openLogs } from '../../daemon/store/logs/logs.ts';
import { createIds } from '../../daemon/vault/ids.ts';
import { createVault } from '../../daemon/vault/vault.ts';
import { createFakeExecutor } from '../support/engine/fake-executor.ts';
import { createFakeWorld, scripts } from '../support/engine/fake-world.ts';
import { actorRecord } from '../support/service/records.ts';
import { temporaryHome } from './daemon.ts';
import { inTurn, type Outcome, perSecond, type Sample, sampleOf, timed } from './figures.ts';
import { noLogger, openBenchStore } from './records.ts';

const FEW = { running: 10, waiting: 100 };
const MANY = { running: 1_000, waiting: 100_000 };
/** Messages written together, as by requests that arrive at the same time. */
const TOGETHER = 500;
const ROUNDS = 60;
const THROUGHPUT_ROUNDS = 15;
const THROUGHPUT_MS = 2_000;
const CLIENTS = 64;

interface Crowd {
  /** Sends a message to an idle actor and waits for the end of its execution. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** An engine with this many running executions and waiting messages. */
const crowdOf = async ({ running, waiting }: typeof FEW): Promise<Crowd> => {
  const home = temporaryHome();
  const folder = path.join(home.folder, 'data');
  const store = await openBenchStore(folder);
  const clock = { now: Date.now };
  const world = createFakeWorld();
  for (const [name, script] of Object.entries(scripts)) world.images.set(name, script);
  const ids = createIds();
  const engine = createScheduler({
    store,
    executors: { docker: createFakeExecutor(world, { read: (file) => readFile(file) }) },
    logs: await openLogs({ folder, logger: noLogger, clock }),
    bodies: await openBodies({ folder }),
    configs: { textFor: () => '{}', hasSecrets: () => false },
    clock,
    ids,
    vault: createVault(),
    logger: noLogger,
    // Room for the crowd, and for the actor that is measured.
    settings: { maxParallel: MANY.running, maxInFlight: running + CLIENTS },
  });
  await engine.start();
  const actor = async (image: string, maxWorkers: number): Promise<string> => {
    const id = ids.id();
    const now = Date.now();
    const times = { createdAt: now, updatedAt: now };
    const record = actorRecord(id, { name: '', image, status: 'SUBMITTED', maxWorkers, ...times });
    await store.transact((tx) => tx.put('actors', record));
    engine.actorChanged(id);
    return id;
  };
  const send = (actorId: string): Promise<string> =>
    store.transact((tx) => {
      const common = { actorId, tenant: 'DEV', sequence: tx.nextSequence(), executor: 'ann', receivedAt: Date.now() };
      const executionId = ids.id();
      const body = { contentType: 'str', text: 'hello', bodyFile: null, size: 5, variables: {} } as const;
      tx.put('messages', { ...common, ...body, executionId, actorRevision: 1 });
      tx.put('executions', { ...common, id: executionId, status: 'SUBMITTED' });
      return executionId;
    });
  const crowd = await actor('forever', running);
  for (let sent = 0; sent < running + waiting; sent += TOGETHER) {
    await Promise.all(Array.from({ length: Math.min(TOGETHER, running + waiting - sent) }, () => send(crowd)));
  }
  while (world.starts.length < running) await new Promise((resolve) => setTimeout(resolve, 20));
  const idle = await actor('hello', CLIENTS);
  return {
    probe: async () => engine.finished(await send(idle), AbortSignal.timeout(60_000)),
    async close() {
      await engine.stop({ deadlineMs: 0, haltExecutions: false });
      await store.close();
      home.remove();
    },
  };
};

/** Latency, throughput and memory with many executions, next to few. */
export const crowd = async (): Promise<Outcome> => {
  const few = await crowdOf(FEW);
  const before = process.memoryUsage.rss();
  const many = await crowdOf(MANY);
  const bytes = (process.memoryUsage.rss() - before) / MANY.waiting;
  try {
    const latency = await inTurn({ many: () => timed(many.probe), few: () => timed(few.probe) }, ROUNDS, 5);
    const rate = await inTurn(
      {
        many: () => perSecond(CLIENTS, THROUGHPUT_MS, many.probe),
        few: () => perSecond(CLIENTS, THROUGHPUT_MS, few.probe),
      },
      THROUGHPUT_ROUNDS,
    );
    const row = (what: string, unit: string, sides: Readonly<Record<'many' | 'few', Sample>>) => ({
      what: `${what}, ${MANY.running} running, ${MANY.waiting} waiting`,
      unit,
      ours: sides.many,
      against: `${FEW.running} running, ${FEW.waiting} waiting`,
      floor: sides.few,
    });
    return [
      { ...row('message → COMPLETE, simulated engine', 'ms', latency), goal: { of: 'ratio', atMost: 1.3 } },
      { ...row('executions, simulated engine', '/s', rate), goal: { of: 'ratio', atLeast: 0.8 } },
      { what: 'memory per waiting message', unit: 'bytes', ours: sampleOf([bytes]) },
    ];
  } finally {
    await Promise.all([few.close(), many.close()]);
  }
};

// The scheduler over a real store, real logs and a container engine in memory, with a daemon that can be killed at
// any step.
import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createResults, type ResultQueues } from '../../../daemon/actors/results/service.ts';
import { Failure } from '../../../daemon/domain/failure.ts';
import type { ActorRecord, ExecutionRecord, MessageRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { Bodies } from '../../../daemon/ports/bodies.ts';
import type { Clock } from '../../../daemon/ports/clock.ts';
import type { ReceivedConfigs } from '../../../daemon/ports/configs.ts';
import type { Logger } from '../../../daemon/ports/logger.ts';
import type { Logs } from '../../../daemon/ports/logs.ts';
import type { Store } from '../../../daemon/ports/store.ts';
import { createScheduler, type RunningScheduler } from '../../../daemon/scheduler/scheduler.ts';
import type { SchedulerSettings } from '../../../daemon/scheduler/scheduler-settings.ts';
import { openBodies } from '../../../daemon/store/bodies.ts';
import { openLogs } from '../../../daemon/store/logs/logs.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { createClock } from '../../../daemon/vault/clock.ts';
import { createIds } from '../../../daemon/vault/ids.ts';
import { createVault } from '../../../daemon/vault/vault.ts';
import { actorRecord } from '../service/records.ts';
import { createFakeExecutor } from './fake-executor.ts';
import { createFakeWorld, type FakeWorld, scripts } from './fake-world.ts';
import { createKnife, type Knife, severable, severableExecutor, severableLogs } from './knife.ts';
import { watchClaim } from './watch-claim.ts';

export interface Daemon {
  readonly scheduler: RunningScheduler;
  readonly knife: Knife;
}

export interface SchedulerHarness {
  readonly world: FakeWorld;
  readonly store: Store;
  readonly logs: Logs;
  readonly bodies: Bodies;
  readonly results: ResultQueues;
  /** Logged errors, and messages that were claimed while an earlier one of their actor waited. */
  readonly complaints: string[];
  /** Executions in the order in which their messages were claimed. A message that was returned is listed again. */
  readonly claims: string[];
  /** The daemon that runs now. */
  readonly daemon: Daemon;
  readonly scheduler: RunningScheduler;
  /** While set, transactions are refused as by a full disk whenever it returns true. */
  refuse: (() => boolean) | undefined;
  /** Returns the current value of `_actor_configs`. May throw. */
  configs: () => string;
  /** JSON texts of the secret configs among them. */
  secrets: readonly string[];
  /** The configs that are shared with every actor, for variables. */
  shared: ReceivedConfigs['all'];
  /** Kills the daemon and starts another over the same data and engine. */
  crash(): Promise<void>;
  /** Starts another daemon after the previous one was cut off. */
  restart(when?: Knife['when']): Promise<void>;
  actor(fields?: Partial<ActorRecord>): Promise<string>;
  /** Changes the record as a route does, and notifies the scheduler. */
  update(actorId: string, fields: Partial<ActorRecord>): Promise<void>;
  send(actorId: string, text?: string, fields?: Partial<MessageRecord>): Promise<string>;
  purge(actorId: string): Promise<void>;
  execution(id: string): ExecutionRecord | undefined;
  final(id: string): Promise<ExecutionRecord>;
  until(holds: () => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Short delays, so that tests do not wait. */
const quick: Partial<SchedulerSettings> = {
  startRetryDelayMs: 5,
  retryMs: 2,
  retryCapMs: 20,
  stopGraceMs: 50,
  progressMs: 1,
};

/** Limits of a harness whose processors are not the subject. */
const fewAtOnce: Partial<SchedulerSettings> = { maxParallel: 2, maxInFlight: 4 };

const quietLogger = (complaints: string[]): Logger => {
  const complain = (fields: Readonly<Record<string, unknown>>, message: string): void => {
    const details = JSON.stringify(fields, (_, value) =>
      value instanceof Error ? (value.stack ?? value.message) : value,
    );
    complaints.push(`${message} ${details}`);
  };
  return { debug: () => undefined, info: () => undefined, warn: () => undefined, error: complain };
};

/**
 * Starts a daemon with the images `hello`, `failing`, `untilTerm` and `forever`.
 * @param machine the clock of the machine, if `clock` is virtual
 */
export const buildSchedulerHarness = async (
  settings: Partial<SchedulerSettings> = {},
  clock: Clock = createClock({ floor: 0 }),
  machine?: Clock,
): Promise<SchedulerHarness> => {
  const folder = mkdtempSync(join(tmpdir(), 'actorctl-engine-'));
  const complaints: string[] = [];
  const logger = quietLogger(complaints);
  const ids = createIds();
  const vault = createVault();
  const real = await openStore({ folder, clock, logger });
  const logs = await openLogs({ folder, logger, clock });
  const bodies = await openBodies({ folder });
  const results = createResults({ store: real, bodies, clock, logger });
  const world = createFakeWorld();
  for (const [name, script] of Object.entries(scripts)) world.images.set(name, script);
  const daemons: Daemon[] = [];

  const store: Store = {
    ...real,
    transact: async (decide) => {
      if (harness.refuse?.()) throw new Failure('STORE_UNAVAILABLE', 'no space left');
      const claimed: string[] = [];
      const result = await real.transact((tx) => decide(watchClaim(tx, claimed, complaints)));
      harness.claims.push(...claimed);
      return result;
    },
  };

  const launch = async (when: Knife['when']): Promise<void> => {
    // The pending calls of the previous daemon take effect or are lost before the next daemon starts.
    const last = daemons.at(-1)?.knife.underWay ?? [];
    await Promise.race([Promise.allSettled(last), new Promise((resolve) => setTimeout(resolve, 200))]);
    const knife = createKnife(when);
    const executor = createFakeExecutor(world, { read: (file) => readFile(file) });
    const scheduler = createScheduler({
      store: severable(store, knife, ['transact']),
      executors: { docker: severableExecutor(executor, knife) },
      logs: severableLogs(logs, knife),
      bodies: severable(bodies, knife, ['delete', 'sweep', 'read']),
      results: severable(results, knife, ['stage']),
      configs: {
        receivedBy: () => ({ text: harness.configs(), secrets: harness.secrets, all: harness.shared }),
        seal: (_execution, secrets) => JSON.stringify(secrets),
        open: (_execution, sealed) => JSON.parse(sealed) as string[],
      },
      clock,
      ...(machine && { machine }),
      ids,
      vault,
      logger,
      settings: { ...quick, ...(settings.processors === undefined && fewAtOnce), ...settings },
    });
    daemons.push({ scheduler, knife });
    await Promise.race([scheduler.start(), knife.severed]);
  };
  const breathe = () => new Promise((resolve) => setTimeout(resolve, 2));

  const harness: SchedulerHarness = {
    world,
    store: real,
    logs,
    bodies,
    results,
    complaints,
    claims: [],
    refuse: undefined,
    configs: () => '{}',
    secrets: [],
    shared: [],
    get daemon() {
      const last = daemons.at(-1);
      if (last === undefined) throw new Error('no daemon lives here');
      return last;
    },
    get scheduler() {
      return harness.daemon.scheduler;
    },
    async crash() {
      harness.daemon.knife.cut = true;
      await launch(() => false);
    },
    restart: (when = () => false) => launch(when),
    async actor(fields = {}) {
      const id = ids.id();
      const now = clock.now();
      await real.transact((tx) =>
        tx.put(
          'actors',
          actorRecord(id, { name: '', image: 'hello', status: 'SUBMITTED', createdAt: now, updatedAt: now, ...fields }),
        ),
      );
      harness.scheduler.actorChanged(id);
      return id;
    },
    async update(actorId, fields) {
      await real.transact((tx) => {
        const actor = tx.get('actors', actorId);
        if (actor !== undefined) tx.put('actors', { ...actor, ...fields });
      });
      harness.scheduler.actorChanged(actorId);
    },
    async send(actorId, text = 'hi', fields = {}) {
      const executionId = ids.id();
      const receivedAt = clock.now();
      await real.transact((tx) => {
        const sequence = tx.nextSequence();
        const common = { actorId, tenant: 'DEV', sequence, executor: 'ana', receivedAt };
        tx.put('messages', {
          ...common,
          executionId,
          contentType: 'str',
          text,
          bodyFile: null,
          size: text.length,
          variables: {},
          actorRevision: 1,
          ...fields,
        });
        tx.put('executions', { ...common, id: executionId, status: 'SUBMITTED' });
      });
      return executionId;
    },
    async purge(actorId) {
      await real.transact((tx) => {
        for (const { executionId } of tx.by('messages', 'actor', actorId)) {
          tx.delete('messages', executionId);
          const execution = tx.get('executions', executionId);
          if (execution !== undefined) tx.put('executions', { ...execution, status: 'CANCELLED' });
        }
      });
    },
    execution: (id) => real.get('executions', id),
    async final(id) {
      await harness.scheduler.finished(id, AbortSignal.timeout(20_000));
      const execution = real.get('executions', id);
      if (execution === undefined) throw new Error(`there is no execution ${id}`);
      return execution;
    },
    async until(holds) {
      while (!holds()) await breathe();
    },
    async close() {
      const { knife } = harness.daemon;
      const ends = daemons.map(({ scheduler }) => scheduler.stop({ deadlineMs: 0, haltExecutions: false }));
      // A killed daemon never resolves its stop.
      if (!knife.cut) await ends.at(-1);
      await real.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
  await launch(() => false);
  return harness;
};

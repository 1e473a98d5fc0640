// Makes an actor ready: pulls its image, creates its first worker, and stores why the actor has to wait.
import { nextActorStatus } from '../domain/actors/actor-status.ts';
import { stepWorker } from '../domain/executions/worker-status.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import type { Transaction } from '../ports/store.ts';
import { type ActorWorkers, createSlot } from './actor-workers.ts';
import { elapse, orAborted } from './background-tasks.ts';
import {
  changeActor,
  executorErrorKind,
  executorFor,
  messageOf,
  type SchedulerContext,
  transactWithRetry,
  waitForEngine,
} from './scheduler-context.ts';
import { setStatusMessage } from './transactions.ts';
import { startWantedWorkers } from './wanted-workers.ts';
import { addIdleWorker, removeWorkers } from './worker-slots.ts';

/** Stores progress texts at an interval, one at a time. Only the newest text is stored. */
const createProgressReporter = (
  context: SchedulerContext,
  actor: ActorRecord,
  signal: AbortSignal,
): ((text: string) => void) => {
  let latest: string | undefined;
  let isStoring = false;
  const store = async (): Promise<void> => {
    while (latest !== undefined && !signal.aborted) {
      const text = latest;
      latest = undefined;
      await context.store.transact((tx) => {
        if (!signal.aborted) setStatusMessage(tx, actor.id, actor.revision, text);
      });
      await elapse(context.settings.progressMs, signal);
    }
  };
  return (text) => {
    latest = text;
    if (isStoring) return;
    isStoring = true;
    context.tasks.run('store progress', () =>
      store().finally(() => {
        isStoring = false;
      }),
    );
  };
};

const isCurrent = (tx: Transaction, actor: ActorRecord): boolean => {
  const now = tx.get('actors', actor.id);
  return now !== undefined && now.revision === actor.revision && now.status !== 'SHUTTING_DOWN';
};

const requestWorker = (tx: Transaction, actor: ActorRecord, workerId: string, now: number): boolean => {
  if (!isCurrent(tx, actor)) return false;
  tx.put('workers', {
    id: workerId,
    actorId: actor.id,
    tenant: actor.tenant,
    status: 'REQUESTED',
    image: actor.image,
    revision: actor.revision,
    createdAt: now,
  });
  return true;
};

const stepWorkerTo = (tx: Transaction, workerId: string, step: 'pull' | 'ready'): void => {
  const worker = tx.get('workers', workerId);
  const next = worker === undefined ? null : stepWorker(worker, step);
  if (next !== null) tx.put('workers', next);
};

const becomeReady = (tx: Transaction, actor: ActorRecord, workerId: string): boolean => {
  if (!isCurrent(tx, actor)) {
    tx.delete('workers', workerId);
    return false;
  }
  stepWorkerTo(tx, workerId, 'ready');
  changeActor(tx, actor.id, (now) => {
    const status = nextActorStatus(now.status, 'prepared');
    return status === null ? null : { ...now, status, statusMessage: '' };
  });
  return true;
};

const becomeError = (tx: Transaction, actor: ActorRecord, workerId: string, statusMessage: string): void => {
  tx.delete('workers', workerId);
  if (!isCurrent(tx, actor)) return;
  changeActor(tx, actor.id, (now) => {
    const status = nextActorStatus(now.status, 'fail');
    return status === null ? null : { ...now, status, statusMessage };
  });
};

/**
 * Prepares the image, waiting for the engine without a time limit. Returns what is wrong with the image, or undefined.
 */
const prepareImage = async (
  context: SchedulerContext,
  actor: ActorRecord,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const executor = executorFor(context, actor.image);
  if (executor === undefined) return `Nothing here can run the image ${actor.image}.`;
  const wait = (reason: string) =>
    transactWithRetry(context, 'store why an actor waits', (tx) =>
      setStatusMessage(tx, actor.id, actor.revision, `Waits for an engine that can run ${actor.image}: ${reason}`),
    ).then(() => waitForEngine(context, executor, signal));
  for (;;) {
    signal.throwIfAborted();
    const status = await executor.probe(signal);
    if (!status.available) {
      await wait(status.reason);
      continue;
    }
    const prepared = new AbortController();
    try {
      await orAborted(context.recovered.get(executor)?.opened ?? Promise.resolve(), signal);
      const report = createProgressReporter(context, actor, AbortSignal.any([signal, prepared.signal]));
      await executor.prepare(actor.image, report, signal);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (executorErrorKind(error) !== 'unavailable') return messageOf(error);
      await wait(messageOf(error));
    } finally {
      prepared.abort();
    }
  }
};

const prepare = async (
  context: SchedulerContext,
  workers: ActorWorkers,
  actor: ActorRecord,
  signal: AbortSignal,
): Promise<void> => {
  const workerId = context.ids.id();
  const now = context.clock.now();
  if (!(await transactWithRetry(context, 'request worker', (tx) => requestWorker(tx, actor, workerId, now)))) return;
  try {
    await transactWithRetry(context, 'mark worker as pulling its image', (tx) => stepWorkerTo(tx, workerId, 'pull'));
    const problem = await prepareImage(context, actor, signal);
    if (problem !== undefined) {
      context.logger.warn({ actorId: actor.id, image: actor.image, problem }, 'cannot prepare the image of an actor');
      await transactWithRetry(context, 'actor error', (tx) => becomeError(tx, actor, workerId, problem));
      removeWorkers(context, workers, () => true);
      return;
    }
    if (!(await transactWithRetry(context, 'actor ready', (tx) => becomeReady(tx, actor, workerId)))) return;
  } catch (error) {
    if (context.signal.aborted) return;
    await transactWithRetry(context, 'remove unneeded worker', (tx) => tx.delete('workers', workerId));
    if (!signal.aborted) throw error;
    return;
  }
  addIdleWorker(context, workers, createSlot({ id: workerId, image: actor.image, revision: actor.revision }));
  // The record is read again, because the desired number of workers may have changed during the pull.
  startWantedWorkers(context, workers, context.store.get('actors', actor.id) ?? actor);
  context.startWaiting(actor.id);
};

/** Safe to call at any time and any number of times. */
export const ensureReady = (context: SchedulerContext, actorId: string): void => {
  const actor = context.store.get('actors', actorId);
  if (actor === undefined || actor.status === 'SHUTTING_DOWN' || !context.accepting) return;
  const workers = context.workersOf(actorId);
  if (workers.deleting) return;
  removeWorkers(context, workers, (slot) => slot.revision !== actor.revision);
  if (workers.preparing?.revision === actor.revision) {
    workers.preparing.again = true;
    return;
  }
  workers.preparing?.abort.abort();
  const lacksWorker = ![...workers.slots.values()].some((slot) => !slot.leaving);
  if (actor.status !== 'SUBMITTED' && !(actor.status === 'READY' && lacksWorker)) {
    startWantedWorkers(context, workers, actor);
    context.startWaiting(actorId);
    return;
  }
  const preparing = { revision: actor.revision, abort: new AbortController(), again: false };
  workers.preparing = preparing;
  context.tasks.run('prepare actor', async () => {
    const signal = AbortSignal.any([preparing.abort.signal, context.signal]);
    await prepare(context, workers, actor, signal).finally(() => {
      if (workers.preparing === preparing) workers.preparing = undefined;
    });
    if (preparing.again) ensureReady(context, actorId);
  });
};

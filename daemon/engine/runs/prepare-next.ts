// Creates the run of an actor's next message while an earlier one runs, so that the next start does not wait for it.
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import type { Executor } from '../../ports/executor.ts';
import type { ActorWorkers, PreparedRun, WorkerSlot } from '../actor-workers.ts';
import type { EngineContext } from '../engine-context.ts';
import { occupy } from '../worker-slots.ts';
import { tryToCreate } from './create-run.ts';
import { discardRun } from './failed-start.ts';
import { runMessage } from './run-message.ts';

/** The worker that is expected to be idle first: the one whose run was claimed first. */
const nextIdle = ({ runs }: EngineContext, workers: ActorWorkers, revision: number): WorkerSlot | undefined => {
  for (const run of runs.values())
    if (run.workers === workers) return run.slot.leaving || run.slot.revision !== revision ? undefined : run.slot;
  return undefined;
};

/**
 * True if the run before is not expected to change what a run is created with. Only the state of a stateful actor is
 * changed by its own runs; an actor that never stored any is expected to store none.
 */
const canPrepare = ({ store }: EngineContext, actor: ActorRecord): boolean =>
  actor.stateless || store.countBy('states', 'actor', actor.id) === 0;

/**
 * Creates the run of the next message, unless this has happened. Call it while the actor runs as many executions as it
 * may.
 */
export const prepareNext = (
  context: EngineContext,
  workers: ActorWorkers,
  actor: ActorRecord,
  executor: Executor,
): void => {
  // A message whose claim is being undone is about to return to the mailbox.
  if (workers.prepared !== undefined || workers.undoing.size > 0 || !canPrepare(context, actor)) return;
  const slot = nextIdle(context, workers, actor.revision);
  const message = slot && workers.mailbox.take();
  if (slot === undefined || message === undefined) return;
  const assignment = { workers, slot, message, executor };
  const created = tryToCreate(context, assignment, actor);
  const prepared: PreparedRun = {
    message,
    slot,
    run: () => runMessage(context, assignment, actor, created),
    drop() {
      workers.prepared = undefined;
      workers.mailbox.putBack(message);
      context.tasks.run('drop prepared run', async () => {
        const unused = await created;
        if ('ref' in unused) discardRun(context, assignment, unused.ref);
      });
    },
  };
  workers.prepared = prepared;
};

/**
 * Takes the prepared run and makes its worker busy with it. Drops it and returns undefined if it cannot be the next one:
 * its worker is still busy, or an earlier message was returned to the mailbox.
 */
export const takePrepared = (context: EngineContext, workers: ActorWorkers): PreparedRun | undefined => {
  const { prepared } = workers;
  if (prepared === undefined) return undefined;
  const { slot, message } = prepared;
  if (slot.executionId !== undefined || !workers.mailbox.isNext(message)) {
    prepared.drop();
    return undefined;
  }
  workers.prepared = undefined;
  occupy(context, slot, message.executionId);
  return prepared;
};

/** Drops the prepared run of a message that was purged. */
export const dropCancelled = (context: EngineContext, actorId: string, executionId: string): void => {
  const prepared = context.workersByActor.get(actorId)?.prepared;
  if (prepared?.message.executionId !== executionId) return;
  prepared.drop();
  context.startWaiting(actorId);
};

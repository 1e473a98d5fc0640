// Turns one message into one execution: creates the run, claims the message, starts the run; each step is undone if the
// next fails.
import { versionOf } from '../../domain/actors/actor-description.ts';
import { createLastLine } from '../../domain/executions/last-line.ts';
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import { neverStarted } from '../../ports/executor.ts';
import type { ClaimTurn } from '../actor-workers.ts';
import { createLatch, orAborted } from '../background-tasks.ts';
import { type Assignment, type Run, type SchedulerContext, transactWithRetry } from '../scheduler-context.ts';
import { claimExecution, resetStartFailures } from '../transactions.ts';
import { freeSlot, holdStartsFor, returnToMailbox } from '../worker-slots.ts';
import { type Created, type CreatedRun, tryToCreate } from './create-run.ts';
import { deleteBody, discardRun, handleCreateFailure, undoClaim } from './failed-start.ts';
import { type Attached, closeLog, finishRun, openLog, sinkOf, superviseRun } from './supervise-run.ts';

/**
 * The outcome of a start:
 * - `waits`: the message is back in its mailbox
 * - `over`: the execution never starts and is final, because it was stopped or is too large
 * - `unknown`: the executor cannot determine whether the run has started
 */
type StartOutcome = Attached | 'waits' | 'over' | 'unknown';

/** Claims the message. Returns undefined if there is nothing to start; everything is then undone. */
const claimMessage = async (
  context: SchedulerContext,
  assignment: Assignment,
  created: CreatedRun,
): Promise<Run | undefined> => {
  const { workers, slot, message, executor } = assignment;
  const { executionId } = message;
  const { ref, token, limitMs, warnings, secrets } = created;
  const actor = context.store.get('actors', workers.actorId);
  const run: Run = {
    executionId,
    actorId: workers.actorId,
    ref,
    executor,
    limitMs,
    secrets: () => secrets,
    workers,
    slot,
    failuresBefore: actor?.startFailures ?? 0,
    actorVersion: actor && versionOf(actor),
    started: createLatch(),
    over: new AbortController(),
    stopping: undefined,
    halted: new AbortController(),
    trouble: undefined,
    stderr: createLastLine(),
    returned: {},
    killAt: Number.POSITIVE_INFINITY,
  };
  // The run is registered before the claim is durable, because a halt may follow the claim at once.
  context.runs.set(executionId, run);
  try {
    const now = context.clock.now();
    const verdict = await context.store.transact((tx) =>
      claimExecution(tx, {
        executionId,
        slot,
        runRef: ref,
        token: token?.(now),
        secrets:
          secrets.length === 0 ? undefined : context.configs.seal({ id: executionId, tenant: message.tenant }, secrets),
        now,
        warnings,
        stateVersion: created.stateVersion,
        isVirtual: context.machine !== undefined,
      }),
    );
    if (verdict === 'claimed') {
      workers.mailbox.forget(executionId);
      return run;
    }
    if (verdict === 'gone') {
      workers.mailbox.forget(executionId);
      freeSlot(context, workers, slot);
    } else {
      holdStartsFor(context, workers, context.settings.retryMs);
      returnToMailbox(context, assignment);
    }
  } catch (error) {
    context.logger.warn({ error, executionId }, 'cannot claim a message');
    holdStartsFor(context, workers, context.settings.retryMs);
    returnToMailbox(context, assignment);
  }
  context.runs.delete(executionId);
  discardRun(context, assignment, ref);
  return undefined;
};

const startRun = async (context: SchedulerContext, assignment: Assignment, run: Run): Promise<StartOutcome> => {
  const { executionId } = run;
  if (run.stopping !== undefined) {
    await finishRun(context, run, { kind: 'neverStarted', at: context.clock.now() });
    run.over.abort();
    run.started.open();
    return 'over';
  }
  // No other turn may come between the check and the start: a halt would be lost.
  const log = openLog(context, run);
  try {
    const starting = run.executor.start(run.ref, sinkOf(log), run.halted.signal);
    return { running: await orAborted(starting, context.signal), log };
  } catch (error) {
    const isUnknown = !neverStarted(error);
    const closed = closeLog(context, executionId, log, isUnknown ? 'continues' : 'complete');
    if (isUnknown) return await closed.then(() => 'unknown');
    const { undoing } = assignment.workers;
    const undone = closed.then(() => undoClaim(context, assignment, run, error));
    undoing.add(undone);
    return await undone.finally(() => undoing.delete(undone));
  }
};

const noteStart = (context: SchedulerContext, { actorId, workers, failuresBefore }: Run): void => {
  const wasFull = workers.isFull;
  workers.isFull = false;
  if (failuresBefore === 0 && !wasFull) return;
  context.tasks.run('note start', () =>
    transactWithRetry(context, 'note start', (tx) => resetStartFailures(tx, actorId, failuresBefore)),
  );
};

/**
 * True if the run still matches its inputs. False also if the state or configs cannot be read; creating the run again
 * reports why.
 */
const isUpToDate = (created: CreatedRun): boolean => {
  try {
    return created.isUpToDate();
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
};

/** Creates the run again if actor, state or configs have changed: a change applies to every later start. */
const createInTurn = async (
  context: SchedulerContext,
  assignment: Assignment,
  actor: ActorRecord,
  turn: ClaimTurn,
): Promise<Created> => {
  const { undoing } = assignment.workers;
  const create = () => tryToCreate(context, assignment, actor);
  let created = await create();
  const waitFor = (what: Promise<unknown>) =>
    orAborted(what, context.signal).catch((error: unknown) => {
      if ('ref' in created) discardRun(context, assignment, created.ref);
      throw error;
    });
  await waitFor(turn.reached);
  for (;;) {
    while (undoing.size > 0) await waitFor(Promise.allSettled(undoing));
    if ('error' in created || !context.accepting || isUpToDate(created)) return created;
    discardRun(context, assignment, created.ref);
    created = await create();
  }
};

/** Runs one message. The assignment's slot must be busy with it; the slot is idle again when this resolves. */
export const runMessage = async (
  context: SchedulerContext,
  assignment: Assignment,
  actor: ActorRecord,
): Promise<void> => {
  const { workers, message } = assignment;
  const turn = workers.queueClaim();
  let run: Run | undefined;
  let starting: Promise<StartOutcome> | undefined;
  try {
    const created = await createInTurn(context, assignment, actor, turn);
    // If an earlier message was returned to the mailbox, it must be claimed first to keep the order.
    if (!workers.mailbox.isFirst(message) || !context.accepting || workers.deleting) {
      if ('ref' in created) discardRun(context, assignment, created.ref);
      return returnToMailbox(context, assignment);
    }
    if ('error' in created) return await handleCreateFailure(context, assignment, created.error, actor);
    run = await claimMessage(context, assignment, created);
    if (run === undefined) return;
    starting = startRun(context, assignment, run);
    // After a failed start, starts run one at a time until one succeeds, so that consecutive failures belong to one
    // message.
    if (run.failuresBefore > 0 || workers.isFull) await starting;
  } finally {
    turn.end();
  }
  const started = await starting;
  if (started === 'waits') return;
  if (started === 'unknown') await superviseRun(context, run, undefined);
  deleteBody(context, assignment);
  if (typeof started === 'string') return;
  noteStart(context, run);
  await superviseRun(context, run, started);
};

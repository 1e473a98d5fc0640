// Creates, lists, updates and deletes actors.
import type { Dialect } from '../../../src/contract/dialect.ts';
import {
  type Registration,
  registerActor,
  reviseActor,
  type Update,
  versionOf,
} from '../../domain/actors/actor-description.ts';
import { demandMemory } from '../../domain/actors/actor-limits.ts';
import { nextActorStatus } from '../../domain/actors/actor-status.ts';
import { dropDelivery } from '../../domain/events/delivery-status.ts';
import { noFigures, totalsKey, withDeletedActor } from '../../domain/executions/execution-totals.ts';
import { deleteExecutions } from '../../domain/executions/stored-executions.ts';
import { demandCodeWith } from '../../domain/executions/token-reach.ts';
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord, ExecutionRecord } from '../../domain/records/actor-records.ts';
import { slicesOf } from '../../domain/records/slices.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { Transaction } from '../../ports/store.ts';
import { demandActor, readableActors } from '../access.ts';
import { deleteActorCascade, deleteResults } from '../cascade-delete.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { dropBodies, purgeMailbox } from '../purge-mailbox.ts';
import { demandOwner } from '../quotas.ts';
import { setDescribedState } from '../state/service.ts';
import { checkLink } from './link.ts';

type Dependencies = Pick<
  ActorsDependencies,
  | 'store'
  | 'scheduler'
  | 'logs'
  | 'bodies'
  | 'clock'
  | 'ids'
  | 'logger'
  | 'quotas'
  | 'stateLimit'
  | 'webhookAddressFault'
>;

/**
 * An actor description whose state is the JSON text as sent. If the state is undefined, an update leaves it unchanged.
 */
type WithStateText<Description> = Omit<Description, 'state'> & { readonly state: string | undefined };

/** Status message of executions that the deletion cancels. */
const DELETED = 'the actor was deleted';

const refuseStale = (actor: ActorRecord, expected: number | undefined): void => {
  const version = versionOf(actor);
  if (expected === undefined || expected === version) return;
  throw new Failure(
    'STALE_VERSION',
    `The actor was not changed: it is at version ${version}, not ${expected}. Read it again before you change it.`,
    { version },
  );
};

const refuseWhileRunning = (tx: Transaction, actorId: string): void => {
  const running = tx.by('executions', 'running', 'yes').filter((execution) => execution.actorId === actorId);
  if (running.length === 0) return;
  throw new Failure(
    'ACTOR_BUSY',
    running.length === 1
      ? 'The actor cannot be deleted: one of its executions runs. Wait, halt it, or delete the actor with force=true.'
      : `The actor cannot be deleted: ${running.length} of its executions run. Wait, halt them, or delete the actor with force=true.`,
    { running: running.map(({ id }) => id) },
  );
};

/**
 * Marks the actor as being deleted, so that it accepts no further message, and then empties its mailbox. Both are
 * durable before anything is stopped or removed.
 */
const beginDeletion = async (deps: Dependencies, actorId: string, force: boolean): Promise<void> => {
  await deps.store.transact((tx) => {
    const actor = demandActor(tx, actorId);
    if (!force) refuseWhileRunning(tx, actorId);
    // A repeated deletion finds the status already set and continues the same way.
    const status = nextActorStatus(actor.status, 'retire') ?? actor.status;
    tx.put('actors', { ...actor, status, statusMessage: 'being deleted', updatedAt: deps.clock.now() });
  });
  await purgeMailbox(deps, actorId, DELETED);
};

/**
 * Adds the totals of the actor to its tenant's totals of deleted actors. Does nothing if an earlier attempt already did
 * so.
 */
const keepTotals = (tx: Transaction, actorId: string): void => {
  const actor = tx.get('actors', actorId);
  if (actor === undefined) return;
  const { tenant } = actor;
  const key = totalsKey({ tenant, actorId });
  const all = tx.get('totals', key) ?? noFigures;
  tx.put('totals', withDeletedActor(tx.get('totals', totalsKey({ tenant })), tenant, all));
  tx.delete('totals', key);
};

/**
 * Waits until nothing runs, then deletes everything. The mailbox is emptied again, because a start that failed while
 * the workers were being stopped puts its message back. Safe to repeat: after a crash, the actor is still SHUTTING_DOWN
 * and the deletion runs again.
 */
const finishDeletion = async (deps: Dependencies, actorId: string): Promise<void> => {
  const { store, scheduler, logs, clock } = deps;
  await scheduler.retire(actorId);
  await purgeMailbox(deps, actorId, DELETED);
  for (const executions of slicesOf(store.each('executions', 'actor', actorId))) {
    const ids = executions.map(({ id }) => id);
    // Logs are deleted first: without the execution records, their file names would be unknown.
    await logs.delete(ids);
    await store.transact((tx) => deleteExecutions(tx, ids, clock.now()));
  }
  for (const results of slicesOf(store.each('results', 'actor', actorId))) {
    await dropBodies(deps, await store.transact((tx) => deleteResults(tx, results)));
  }
  const bodyFiles = await store.transact((tx) => {
    keepTotals(tx, actorId);
    for (const { id } of tx.by('workers', 'actor', actorId)) tx.delete('workers', id);
    const files = deleteActorCascade(tx, actorId);
    tx.delete('actors', actorId);
    return files;
  });
  await dropBodies(deps, bodyFiles);
};

/** @throws Failure VALIDATION if it is known at once that the image cannot run, as for a folder that does not exist */
const demandRunnable = async ({ scheduler }: Pick<Dependencies, 'scheduler'>, image: string): Promise<void> => {
  const fault = await scheduler.imageFault(image);
  if (fault !== undefined) throw new Failure('VALIDATION', fault, { field: 'image' });
};

/** @throws Failure VALIDATION for a webhook to which this daemon never delivers */
const demandDeliverable = ({ webhookAddressFault }: Dependencies, webhook: string | undefined): void => {
  const fault = webhook && webhookAddressFault?.(webhook);
  if (fault) throw new Failure('VALIDATION', `webhook: ${fault}.`, { field: 'webhook' });
};

/**
 * Drops the deliveries that wait for the previous webhook. Otherwise an unreachable old receiver could delay the new
 * one for hours.
 */
const dropBacklog = (tx: Transaction, actorId: string, now: number): void => {
  for (const delivery of tx.by('deliveries', 'waiting', actorId)) {
    const dropped = dropDelivery(delivery, now);
    if (dropped !== null) tx.put('deliveries', dropped);
  }
};

export const registry = (deps: Dependencies) => ({
  /**
   * Stores a new actor and notifies the engine.
   * @param dialect dialect of the request, used if the registration does not name one
   * @throws Failure VALIDATION, ACTOR_STATELESS, QUOTA_EXCEEDED, FORBIDDEN
   */
  async create(caller: Caller, input: WithStateText<Registration>, dialect: Dialect): Promise<ActorRecord> {
    const actor = registerActor(input, { ...caller, dialect }, deps.ids.id(), deps.clock.now());
    demandCodeWith(caller.reach, actor);
    demandMemory(actor.memLimit, deps.scheduler.leastMemoryBytes(actor.image));
    demandDeliverable(deps, actor.webhook);
    await demandRunnable(deps, actor.image);
    await deps.store.transact((tx) => {
      demandOwner(tx, caller, 'actors', deps.quotas);
      checkLink(tx, caller, actor);
      tx.put('actors', actor);
      setDescribedState(tx, actor, { by: caller.username, at: actor.createdAt, text: input.state }, deps.stateLimit);
    });
    deps.scheduler.actorChanged(actor.id);
    return actor;
  },

  /**
   * The actors on which the caller or the world has READ, oldest first. Roles do not count.
   * @see docs/http-api.md#permissions
   */
  list: (caller: Caller): readonly ActorRecord[] => readableActors(deps.store, caller),

  /**
   * Replaces the description.
   * @param expected version that the caller has read; undefined skips the check
   * @throws Failure VALIDATION, ACTOR_STATELESS, LINK_CYCLE, FORBIDDEN, NOT_FOUND, STALE_VERSION, ACTOR_BUSY if the
   * actor is being deleted
   */
  async update(caller: Caller, actorId: string, input: WithStateText<Update>, expected?: number): Promise<ActorRecord> {
    const revise = (view: Pick<Transaction, 'get'>) => {
      const before = demandActor(view, actorId);
      demandCodeWith(caller.reach, before);
      refuseStale(before, expected);
      const revised = reviseActor(before, input, caller, deps.clock.now());
      demandMemory(revised.actor.memLimit, deps.scheduler.leastMemoryBytes(revised.actor.image));
      if (before.webhook !== revised.actor.webhook) demandDeliverable(deps, revised.actor.webhook);
      return { before, revised };
    };
    // The caller's roles are checked before the image, because the check reads a folder of this machine.
    const planned = revise(deps.store);
    if (planned.before.image !== planned.revised.actor.image) await demandRunnable(deps, planned.revised.actor.image);
    const { actor, restart } = await deps.store.transact((tx) => {
      const { before, revised } = revise(tx);
      checkLink(tx, caller, revised.actor);
      tx.put('actors', revised.actor);
      if (before.webhook !== revised.actor.webhook) dropBacklog(tx, actorId, revised.actor.updatedAt);
      const said = { by: caller.username, at: revised.actor.updatedAt, text: input.state };
      setDescribedState(tx, revised.actor, said, deps.stateLimit);
      return revised;
    });
    if (restart) deps.scheduler.actorChanged(actorId);
    return actor;
  },

  /** Returns the number of an actor's executions, including deleted ones, and its newest execution. */
  figures({ id, tenant }: ActorRecord): { readonly executions: number; readonly newest: ExecutionRecord | undefined } {
    const { store } = deps;
    const gone = store.get('totals', totalsKey({ tenant, actorId: id }))?.executions ?? 0;
    const [newest] = store.page('executions', 'actor', id, { limit: 1, newestFirst: true });
    return { executions: store.countBy('executions', 'actor', id) + gone, newest };
  },

  /**
   * Deletes the actor with its messages, executions and logs. Resolves once nothing of it runs or is stored.
   * @throws Failure ACTOR_BUSY if an execution runs and `force` is false, NOT_FOUND
   */
  async remove(actorId: string, force: boolean): Promise<void> {
    await beginDeletion(deps, actorId, force);
    await finishDeletion(deps, actorId);
  },

  /**
   * Completes deletions that a crash interrupted. Call it once at start, after the scheduler has recovered. It waits
   * until the remaining runs are stopped.
   */
  async resumeDeletions(): Promise<void> {
    const cutShort = [...deps.store.all('actors')].filter(({ status }) => status === 'SHUTTING_DOWN');
    await Promise.all(cutShort.map(({ id }) => finishDeletion(deps, id)));
  },
});

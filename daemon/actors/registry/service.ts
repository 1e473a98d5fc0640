// Registering, listing, updating and deleting actors.
import {
  type Registration,
  registerActor,
  reviseActor,
  type Update,
  versionOf,
} from '../../domain/actors/actor-description.ts';
import { nextActorStatus } from '../../domain/actors/actor-status.ts';
import { includesLevel } from '../../domain/actors/permission.ts';
import { dropDelivery } from '../../domain/events/delivery-status.ts';
import { figuresOf, noFigures, sumOf, totalsKey, withDeletedActor } from '../../domain/executions/execution-totals.ts';
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord, ExecutionRecord } from '../../domain/records/actor-records.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { Transaction } from '../../ports/store.ts';
import { levelOn, unknownActor } from '../access.ts';
import { deleteActorCascade } from '../cascade-delete.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { dropBodies, emptyMailbox } from '../purge-mailbox.ts';
import { refuseBeyondQuota } from '../quotas.ts';
import { setDescribed } from '../state/service.ts';
import { checkLink } from './link.ts';

type Dependencies = Pick<
  ActorsDependencies,
  'store' | 'engine' | 'logs' | 'bodies' | 'clock' | 'ids' | 'logger' | 'quotas' | 'stateLimit'
>;

export interface Registry {
  /** Stores a new actor and tells the engine. @throws Failure VALIDATION, ACTOR_STATELESS, QUOTA_EXCEEDED, FORBIDDEN */
  create(caller: Caller, input: Registration): Promise<ActorRecord>;
  /** The actors on which the caller, or the world, has READ, oldest first; a role opens nothing here. @see wire.md "Tenants, users, roles" */
  list(caller: Caller): readonly ActorRecord[];
  /**
   * Replaces the description, with `expected` only the one of that number.
   * @throws Failure VALIDATION, ACTOR_STATELESS, LINK_CYCLE, FORBIDDEN, NOT_FOUND, STALE_VERSION, ACTOR_BUSY when it is being deleted
   */
  update(caller: Caller, actorId: string, input: Update, expected?: number): Promise<ActorRecord>;
  /** What an actor ran, as far as that is known without reading any of it. */
  figures(actor: ActorRecord): { readonly executions: number; readonly newest: ExecutionRecord | undefined };
  /**
   * Deletes the actor with its messages, executions and logs; resolves when nothing of it runs or is stored any more.
   * @throws Failure ACTOR_BUSY when an execution runs and `force` is false, NOT_FOUND
   */
  remove(actorId: string, force: boolean): Promise<void>;
  /**
   * Ends the deletions that a crash cut short. Called once at start, when the engine has taken up its work; takes as long
   * as it takes to stop what still runs.
   */
  resumeRemovals(): Promise<void>;
}

/** Why its executions were cancelled, for who looks while the deletion is under way. */
const DELETED = 'the actor was deleted';

const stillThere = (tx: Transaction, actorId: string): ActorRecord => {
  const actor = tx.get('actors', actorId);
  if (actor === undefined) throw unknownActor();
  return actor;
};

const refuseStale = (actor: ActorRecord, expected: number | undefined): void => {
  const version = versionOf(actor);
  if (expected === undefined || expected === version) return;
  throw new Failure(
    'STALE_VERSION',
    `The actor was not changed: it is at version ${version}, not ${expected}. Read it again and decide anew.`,
    { version },
  );
};

const refuseWhileRunning = (tx: Transaction, actorId: string): void => {
  const running = tx.by('executions', 'running', 'yes').filter((execution) => execution.actorId === actorId);
  if (running.length === 0) return;
  throw new Failure(
    'ACTOR_BUSY',
    `The actor cannot be deleted: ${running.length} of its executions run. Wait, halt them, or delete it with force=true.`,
    { running: running.map(({ id }) => id) },
  );
};

/** Closes the door: from here on the actor takes no message, and none waits. Durable before anything is stopped or removed. */
const beginRemoval = async (
  { store, clock, ...deps }: Dependencies,
  actorId: string,
  force: boolean,
): Promise<void> => {
  const { bodyFiles } = await store.transact((tx) => {
    const actor = stillThere(tx, actorId);
    if (!force) refuseWhileRunning(tx, actorId);
    const now = clock.now();
    // A second deletion finds it shutting down already and goes the same way.
    const status = nextActorStatus(actor.status, 'retire') ?? actor.status;
    tx.put('actors', { ...actor, status, statusMessage: 'being deleted', updatedAt: now });
    return emptyMailbox(tx, actorId, now, DELETED);
  });
  await dropBodies(deps, bodyFiles);
};

/** What the actor came to is kept in the totals of its tenant. A removal that ran before has done it. */
const keepTotals = (tx: Transaction, actorId: string): void => {
  const actor = tx.get('actors', actorId);
  if (actor === undefined) return;
  const { tenant } = actor;
  const key = totalsKey({ tenant, actorId });
  const all = tx
    .by('executions', 'actor', actorId)
    .map(figuresOf)
    .reduce(sumOf, tx.get('totals', key) ?? noFigures);
  tx.put('totals', withDeletedActor(tx.get('totals', totalsKey({ tenant })), tenant, all));
  tx.delete('totals', key);
};

/**
 * Waits until nothing runs, then removes everything. A start that failed while the workers were being stopped has put its
 * message back, so the mailbox is emptied once more. Safe to repeat: a crash anywhere in here leaves an
 * actor in SHUTTING_DOWN, for which it is run again.
 */
const finishRemoval = async ({ store, engine, logs, clock, ...deps }: Dependencies, actorId: string): Promise<void> => {
  await engine.retire(actorId);
  // Logs go first, because once the records are gone nothing would name the files that a crash left.
  await logs.delete(store.by('executions', 'actor', actorId).map(({ id }) => id));
  const { bodyFiles } = await store.transact((tx) => {
    const emptied = emptyMailbox(tx, actorId, clock.now(), DELETED);
    keepTotals(tx, actorId);
    for (const { id } of tx.by('executions', 'actor', actorId)) tx.delete('executions', id);
    for (const { id } of tx.by('workers', 'actor', actorId)) tx.delete('workers', id);
    const files = deleteActorCascade(tx, actorId);
    tx.delete('actors', actorId);
    return { bodyFiles: [...emptied.bodyFiles, ...files] };
  });
  // Who waits for an execution of this actor learns from the engine that it is gone.
  engine.wake(actorId);
  await dropBodies(deps, bodyFiles);
};

/** What still waits for the webhook that was: nobody wants it there any more, and a dead receiver would hold up the new one for hours. */
const dropBacklog = (tx: Transaction, actorId: string, now: number): void => {
  for (const delivery of tx.by('deliveries', 'waiting', actorId)) {
    const dropped = dropDelivery(delivery, now);
    if (dropped !== null) tx.put('deliveries', dropped);
  }
};

export const registry = (deps: Dependencies): Registry => ({
  async create(caller, input) {
    const actor = registerActor(input, caller, deps.ids.id(), deps.clock.now());
    await deps.store.transact((tx) => {
      refuseBeyondQuota(tx, caller, 'actors', deps.quotas);
      checkLink(tx, caller, actor);
      tx.put('actors', actor);
      setDescribed(tx, actor, { by: caller.username, at: actor.createdAt, state: input.state }, deps.stateLimit);
    });
    deps.engine.actorChanged(actor.id);
    return actor;
  },

  list: (caller) =>
    deps.store.by('actors', 'tenant', caller.tenant).filter((actor) => includesLevel(levelOn(actor, caller), 'READ')),

  async update(caller, actorId, input, expected) {
    const { actor, restart } = await deps.store.transact((tx) => {
      const before = stillThere(tx, actorId);
      refuseStale(before, expected);
      const revised = reviseActor(before, input, caller, deps.clock.now());
      checkLink(tx, caller, revised.actor);
      tx.put('actors', revised.actor);
      if (before.webhook !== revised.actor.webhook) dropBacklog(tx, actorId, revised.actor.updatedAt);
      const said = { by: caller.username, at: revised.actor.updatedAt, state: input.state };
      setDescribed(tx, revised.actor, said, deps.stateLimit);
      return revised;
    });
    if (restart) deps.engine.actorChanged(actorId);
    return actor;
  },

  figures({ id, tenant }) {
    const kept = deps.store.by('executions', 'actor', id);
    const gone = deps.store.get('totals', totalsKey({ tenant, actorId: id }))?.executions ?? 0;
    return { executions: kept.length + gone, newest: kept.at(-1) };
  },

  async remove(actorId, force) {
    await beginRemoval(deps, actorId, force);
    await finishRemoval(deps, actorId);
  },

  async resumeRemovals() {
    const cutShort = [...deps.store.all('actors')].filter(({ status }) => status === 'SHUTTING_DOWN');
    await Promise.all(cutShort.map(({ id }) => finishRemoval(deps, id)));
  },
});

// Shows workers, sets the desired number of workers and stops single workers.
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord, WorkerRecord } from '../../domain/records/actor-records.ts';
import type { Caller } from '../../http/route-handler.ts';
import { unknownActor } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';

type Dependencies = Pick<ActorsDependencies, 'store' | 'scheduler' | 'clock'>;

/** The desired number of workers. Without `exact`, the number is never lowered. */
export interface ScaleRequest {
  readonly num: number;
  readonly exact: boolean;
  /**
   * A stateful actor may be given more workers than it can use; they stay idle, because it runs one execution at a
   * time.
   */
  readonly idleToo: boolean;
}

const unknownWorker = (): Failure =>
  new Failure('NOT_FOUND', 'The actor has no such worker. The list of its workers shows them all.');

export const workers = ({ store, scheduler, clock }: Dependencies) => ({
  /** @throws Failure NOT_FOUND */
  show(actor: ActorRecord, workerId: string): WorkerRecord {
    const worker = store.get('workers', workerId);
    if (worker?.actorId !== actor.id) throw unknownWorker();
    return worker;
  },

  /**
   * Sets the desired number of workers durably. Resolves with the new number.
   * @throws Failure FORBIDDEN without the role admin, ACTOR_STATEFUL, NOT_FOUND
   * @see docs/http-api.md#executions, docs/http-api.md#state
   */
  async scale({ roles }: Caller, { id }: ActorRecord, { num, exact, idleToo }: ScaleRequest): Promise<number> {
    if (!roles.includes('admin')) {
      throw new Failure('FORBIDDEN', 'Only users with the role admin can scale workers. Ask an admin to do it.');
    }
    const wanted = await store.transact((tx) => {
      const actor = tx.get('actors', id);
      if (actor === undefined || actor.status === 'SHUTTING_DOWN') throw unknownActor();
      const { wantedWorkers = 0, ...rest } = actor;
      const next = exact ? num : Math.max(wantedWorkers, num);
      if (!actor.stateless && next > 1 && !idleToo) {
        throw new Failure('ACTOR_STATEFUL', 'num must be 1 at most: stateful actors can only have 1 worker.', {
          field: 'num',
        });
      }
      if (next !== wantedWorkers) {
        tx.put('actors', { ...rest, ...(next > 0 && { wantedWorkers: next }), updatedAt: clock.now() });
      }
      return next;
    });
    scheduler.scaled(id, exact);
    return wanted;
  },

  /**
   * Stops a worker after its current execution and lowers the desired number of workers.
   * @throws Failure NOT_FOUND, ACTOR_BUSY
   */
  async remove({ id }: ActorRecord, workerId: string): Promise<void> {
    await store.transact((tx) => {
      const worker = tx.get('workers', workerId);
      if (worker?.actorId !== id) throw unknownWorker();
      if (!['READY', 'BUSY', 'SHUTDOWN_REQUESTED', 'ERROR'].includes(worker.status)) {
        throw new Failure('ACTOR_BUSY', `The worker is still starting (${worker.status}). Try again when it is READY.`);
      }
      const actor = tx.get('actors', id);
      if (actor?.wantedWorkers === undefined) return;
      const { wantedWorkers, ...rest } = actor;
      const others = tx
        .by('workers', 'actor', id)
        .filter((other) => other.id !== workerId && other.status !== 'SHUTDOWN_REQUESTED');
      const left = Math.min(wantedWorkers, others.length);
      tx.put('actors', { ...rest, ...(left > 0 && { wantedWorkers: left }) });
    });
    scheduler.dismissWorker(id, workerId);
  },
});

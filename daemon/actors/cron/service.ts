// Looking at the cron plan of an actor and changing it.
import { versionOf } from '../../domain/actors/actor-description.ts';
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import { type CronRequest, changePlan } from '../../domain/schedule/cron-plan.ts';
import { unknownActor } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';

type Dependencies = Pick<ActorsDependencies, 'store' | 'clock'>;

export interface CronPlans {
  /**
   * Changes what the wish says and keeps the rest; resolves with the actor.
   * @throws Failure VALIDATION naming the field, NOT_FOUND, ACTOR_BUSY when it is being deleted
   */
  set(actorId: string, wish: CronRequest): Promise<ActorRecord>;
}

export const cronPlans = ({ store, clock }: Dependencies): CronPlans => ({
  set: (actorId, wish) =>
    store.transact((tx) => {
      const actor = tx.get('actors', actorId);
      if (actor === undefined) throw unknownActor();
      if (actor.status === 'SHUTTING_DOWN') {
        throw new Failure('ACTOR_BUSY', 'The actor gets no other schedule: it is being deleted.');
      }
      const now = clock.now();
      const { cron, ...rest } = actor;
      const plan = changePlan(cron, wish, now);
      const changed = { ...rest, ...(plan && { cron: plan }), version: versionOf(actor) + 1, updatedAt: now };
      tx.put('actors', changed);
      return changed;
    }),
});

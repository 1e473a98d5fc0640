// Changes the cron schedule of an actor.
import { versionOf } from '../../domain/actors/actor-description.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import { type CronRequest, changePlan } from '../../domain/schedule/cron-plan.ts';
import { demandLiveActor } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';

type Dependencies = Pick<ActorsDependencies, 'store' | 'clock'>;

export interface CronPlans {
  /**
   * Changes the fields that `wish` names and keeps the others. Resolves with the actor.
   * @throws Failure VALIDATION naming the field, NOT_FOUND, ACTOR_BUSY if the actor is being deleted
   */
  set(actorId: string, wish: CronRequest): Promise<ActorRecord>;
}

export const cronPlans = ({ store, clock }: Dependencies): CronPlans => ({
  set: (actorId, wish) =>
    store.transact((tx) => {
      const actor = demandLiveActor(tx, actorId, 'The schedule was not changed: the actor is being deleted.');
      const now = clock.now();
      const { cron, ...rest } = actor;
      const plan = changePlan(cron, wish, now);
      const changed = { ...rest, ...(plan && { cron: plan }), version: versionOf(actor) + 1, updatedAt: now };
      tx.put('actors', changed);
      return changed;
    }),
});

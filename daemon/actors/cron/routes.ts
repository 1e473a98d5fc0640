// Handlers of cron schedules: show and set.
import { NEXT_TIMES } from '../../../src/contract/actors/cron.ts';
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import { versionOf } from '../../domain/actors/actor-description.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import { type CronRequest, changePlan, comingTimes } from '../../domain/schedule/cron-plan.ts';
import { scheduleNow } from '../../domain/schedule/machine-time.ts';
import type { Handlers } from '../../http/route-handler.ts';
import { demandLiveActor } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';

type Dependencies = Pick<ActorsDependencies, 'store' | 'clock'>;

const cronPlans = ({ store, clock }: Dependencies) => ({
  /**
   * Changes the schedule fields present in the request and leaves the others unchanged. A dry run returns the changed
   * actor and stores nothing.
   */
  set: (actorId: string, wish: CronRequest, isDryRun: boolean): Promise<ActorRecord> =>
    store.transact((tx) => {
      const actor = demandLiveActor(tx, actorId, 'The schedule was not changed: the actor is being deleted.');
      const { cron, ...rest } = actor;
      const plan = changePlan(cron, wish, scheduleNow(clock));
      const changed = { ...rest, ...(plan && { cron: plan }), version: versionOf(actor) + 1, updatedAt: clock.now() };
      if (!isDryRun) tx.put('actors', changed);
      return changed;
    }),
});

type CronView = ResultOf<Operations['cron.show']>;

const cronView = ({ id: actorId, cron }: ActorRecord, now: number, count: number): CronView => {
  if (cron === undefined) return { actorId, cronSchedule: '', cronOn: false, next: [] };
  const { schedule, on, timeZone, message, nextAt } = cron;
  return {
    actorId,
    cronSchedule: schedule,
    cronOn: on,
    cronTimeZone: timeZone,
    cronMessage: message,
    ...(nextAt !== undefined && { cronNextTime: toWireTime(nextAt) }),
    next: comingTimes(cron, now, count).map(toWireTime),
  };
};

/** @see docs/http-api.md#schedules */
export const cronHandlers = (deps: ActorsDependencies): Handlers<'cron.show' | 'cron.set'> => {
  const service = cronPlans(deps);
  return {
    'cron.show': ({ actor, query }) => ({
      result: cronView(actor, scheduleNow(deps.clock), query.count ?? NEXT_TIMES),
      message: 'Schedule retrieved.',
    }),
    'cron.set': async ({ actor, input, query: { dryRun = false } }) => {
      const changed = await service.set(actor.id, input, dryRun);
      return {
        result: cronView(changed, scheduleNow(deps.clock), NEXT_TIMES),
        message: dryRun ? 'Schedule checked, not changed.' : 'Schedule set.',
      };
    },
  };
};

// The runs of all schedules up to an instant, in the order in which an advancing clock fires them.
import type { ActorRecord, CronPlan } from '../records/actor-records.ts';
import { planAfter, plannedTimes } from './cron-plan.ts';

export interface Firing {
  readonly actor: ActorRecord;
  readonly at: number;
  readonly plan: CronPlan;
}

const mayFire = ({ cron, status }: ActorRecord): boolean =>
  cron?.on === true && cron.nextAt !== undefined && status !== 'SHUTTING_DOWN';

/** The next runs of all schedules, at most `count`, in firing order. */
export const nextFirings = (actors: Iterable<ActorRecord>, count: number): readonly Firing[] => {
  const firings: Firing[] = [];
  for (const firing of firingsUntil(actors, Number.POSITIVE_INFINITY)) {
    if (firings.length >= count) break;
    firings.push(firing);
  }
  return firings;
};

/**
 * The runs up to and including `until`, earliest first; runs at the same instant are in actor order. A schedule runs
 * once for each of its times.
 */
export const firingsUntil = function* (actors: Iterable<ActorRecord>, until: number): Generator<Firing, undefined> {
  const queue = [...actors].filter(mayFire).map((actor) => {
    const times = plannedTimes(actor.cron as CronPlan);
    return { actor, times, next: times.next().value };
  });
  for (;;) {
    let first: (typeof queue)[number] | undefined;
    for (const each of queue) {
      if (each.next !== undefined && each.next <= until && (first?.next ?? Number.POSITIVE_INFINITY) > each.next)
        first = each;
    }
    const at = first?.next;
    if (first === undefined || at === undefined) return;
    first.next = first.times.next().value;
    yield { actor: first.actor, at, plan: planAfter(first.actor.cron as CronPlan, first.next) };
  }
};

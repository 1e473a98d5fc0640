// The effects of executions: all that they caused, directly or through other effects, and what of it has not ended.
import type { ReadView } from '../../ports/store.ts';
import { isOver } from '../events/delivery-status.ts';
import type { ExecutionRecord } from '../records/actor-records.ts';
import type { DeliveryRecord } from '../records/event-records.ts';
import { isFinal } from './execution-status.ts';

export type Effect =
  | { readonly kind: 'execution'; readonly record: ExecutionRecord }
  | { readonly kind: 'delivery'; readonly record: DeliveryRecord };

type View = Pick<ReadView, 'get' | 'by'>;

const hasEnded = (effect: Effect): boolean =>
  effect.kind === 'execution' ? isFinal(effect.record.status) : isOver(effect.record.status);

/** True for an execution that did not exit with 0, or whose link failed, and for a delivery that was given up. */
const hasFailed = (effect: Effect): boolean => {
  if (!hasEnded(effect)) return false;
  if (effect.kind === 'delivery') return effect.record.status !== 'DELIVERED';
  const { status, exitCode = 0, reason = 'exited', linkProblem } = effect.record;
  return status !== 'COMPLETE' || exitCode !== 0 || reason !== 'exited' || linkProblem !== undefined;
};

/** Id of the execution or delivery that caused an effect directly. Undefined for what a person or a schedule caused. */
export const causeIdOf = (effect: Effect): string | undefined => {
  if (effect.kind === 'delivery') return effect.record.eventOf;
  const { deliveryId, eventOf, executionId } = effect.record.cause ?? {};
  return deliveryId ?? eventOf ?? executionId;
};

/** True for a message that waits for an actor in ERROR. It waits until somebody updates the actor. */
const isBlocked = (view: Pick<ReadView, 'get'>, { kind, record }: Effect): boolean =>
  kind === 'execution' && record.status === 'SUBMITTED' && view.get('actors', record.actorId)?.status === 'ERROR';

export type EffectTree = ReturnType<typeof trackEffects>;

/**
 * Follows executions, deliveries and their effects until all have ended. An effect is stored before its cause ends, or
 * in the same transaction. Therefore no effect is missed if `ended` is called after the end of each open effect is
 * durable.
 * @param onOpen receives each effect that has not ended
 * @param limit number of ended effects that are retained
 * @see docs/http-api.md#settled
 */
export const trackEffects = (view: View, roots: Iterable<Effect>, onOpen: (effect: Effect) => void, limit = 1_000) => {
  const seen = new Set<string>();
  const open = new Map<string, Effect>();
  const retained: Effect[] = [];
  const failures: Effect[] = [];
  let continuing = '';

  const effectsOf = function* (executionId: string): Generator<Effect> {
    for (const record of view.by('executions', 'eventOf', executionId)) yield { kind: 'execution', record };
    for (const record of view.by('executions', 'sentBy', executionId)) yield { kind: 'execution', record };
    for (const record of view.by('deliveries', 'eventOf', executionId)) yield { kind: 'delivery', record };
  };

  const take = (effects: Iterable<Effect>): void => {
    const left = [effects];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      for (const effect of next) {
        const { id } = effect.record;
        if (seen.has(id)) continue;
        seen.add(id);
        if (hasEnded(effect)) end(effect);
        else {
          open.set(id, effect);
          onOpen(effect);
        }
        if (effect.kind === 'execution') left.push(effectsOf(id));
      }
    }
  };

  const end = (effect: Effect): void => {
    if (retained.length < limit) retained.push(effect);
    if (failures.length < limit && hasFailed(effect)) failures.push(effect);
  };

  const read = ({ kind, record: { id } }: Effect): Effect | undefined => {
    if (kind === 'execution') {
      const record = view.get('executions', id);
      return record && { kind, record };
    }
    const record = view.get('deliveries', id);
    return record && { kind, record };
  };

  take(roots);
  return {
    /** Reads an effect again that has probably ended, and takes up what it caused. */
    ended(id: string): void {
      const before = open.get(id);
      if (before === undefined) return;
      const now = read(before);
      if (now !== undefined && !hasEnded(now)) return;
      open.delete(id);
      if (now === undefined) return;
      end(now);
      // The receiver of an event may have sent a message, which has the same cause as the delivery.
      take(effectsOf(now.kind === 'execution' ? id : (now.record.eventOf ?? id)));
    },
    isSettled: (): boolean => open.size === 0,
    /** True if only messages of actors in ERROR are left. */
    isBlocked(): boolean {
      const continues = (effect: Effect): boolean => !isBlocked(view, read(effect) ?? effect);
      // Usually the effect that was found last time still continues, so the others need not be read.
      const last = open.get(continuing);
      if (last !== undefined && continues(last)) return false;
      for (const [id, effect] of open) {
        if (!continues(effect)) continue;
        continuing = id;
        return false;
      }
      return open.size > 0;
    },
    /** The number of effects, including the roots. */
    total: (): number => seen.size,
    failures: (): readonly Effect[] => failures,
    /** The effects as they are now, open ones last. */
    open: (): readonly Effect[] => [...open.values()].map((effect) => read(effect) ?? effect),
    retained: (): readonly Effect[] => retained,
  };
};

// Lists and repeats webhook deliveries, and tests webhooks.
import { DELIVERIES_SHOWN, WEBHOOK_TEST } from '../../../src/contract/actors/deliveries.ts';
import type { QueryOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { isOver } from '../../domain/events/delivery-status.ts';
import { emitToWebhook, type TimeAndIds } from '../../domain/events/emission.ts';
import { deliverAgain } from '../../domain/events/redelivery.ts';
import { Failure } from '../../domain/failure.ts';
import { type DeliveryRecord, eventKey } from '../../domain/records/event-records.ts';
import { firstIndex } from '../../domain/records/first-index.ts';
import type { Caller } from '../../http/route-handler.ts';
import { demandLiveActor, resourceAccess } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { type EventSubject, eventAccess, readableActorIds } from '../events/access.ts';
import { createPause } from '../pause.ts';

type Dependencies = Pick<ActorsDependencies, 'store' | 'clock' | 'ids'>;

/**
 * Time (ms) that a request waits for the outcome of its delivery. Long enough for its own post and for one earlier post
 * to the same receiver.
 */
const WAIT_MS = 22_000;

const unknownDelivery = (): Failure =>
  new Failure(
    'NOT_FOUND',
    'There is no such delivery. The list of deliveries shows the deliveries of actors that you may read.',
  );

const subjectOf = ({ tenant, actorId, owner, createdAt: at }: DeliveryRecord): EventSubject => ({
  tenant,
  actorId,
  owner,
  at,
});

const notFailed: ReadonlySet<DeliveryRecord['status']> = new Set(['WAITING', 'SENDING', 'DELIVERED']);

export const deliveries = ({ store, clock, ids }: Dependencies) => {
  const access = resourceAccess({ store });
  const given = (): TimeAndIds => ({ now: clock.now(), id: () => ids.id() });

  /** Number of deliveries up to the cursor. Delivery serials increase in index order. */
  const countUpTo = (cursor: number, index: 'actor' | 'tenant', values: readonly string[]): number => {
    const isLater = (position: number): boolean => {
      const [delivery] = store.page('deliveries', index, values, { skip: position, limit: 1 });
      return delivery === undefined || delivery.serial > cursor;
    };
    return firstIndex(store.countBy('deliveries', index, values), isLater);
  };

  const waitUntilOver = (id: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        unwatch();
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const unwatch = store.watch('deliveries', (delivery) => {
        if (delivery.id === id && isOver(delivery.status)) done();
      });
      const timer = setTimeout(done, WAIT_MS);
      signal.addEventListener('abort', done);
      const now = store.get('deliveries', id);
      if (signal.aborted || now === undefined || isOver(now.status)) done();
    });

  const waitForOutcome = async (made: DeliveryRecord, signal: AbortSignal): Promise<DeliveryRecord> => {
    await waitUntilOver(made.id, signal);
    return store.get('deliveries', made.id) ?? made;
  };

  return {
    /**
     * The deliveries of actors that the caller may read, oldest first. Deliveries of a deleted actor are visible to its
     * owner only.
     * @throws Failure NOT_FOUND if the query names an actor that is unknown
     */
    async list(
      caller: Caller,
      { actorId, failed, after, limit = DELIVERIES_SHOWN }: QueryOf<Operations['deliveries.list']>,
      signal: AbortSignal,
    ): Promise<readonly DeliveryRecord[]> {
      const named = actorId === undefined ? undefined : [...readableActorIds(store, caller, [actorId])];
      const mayRead = eventAccess(store, caller, named === undefined);
      const index = named === undefined ? 'tenant' : 'actor';
      const values = named ?? [caller.tenant];
      const newestFirst = after === undefined;
      const skip = after === undefined ? 0 : countUpTo(after, index, values);
      const pause = createPause(signal);
      const found: DeliveryRecord[] = [];
      for (const delivery of store.each('deliveries', index, values, { skip, newestFirst })) {
        if (found.length === limit) break;
        if (pause.isDue()) await pause.take();
        if (!(failed && notFailed.has(delivery.status)) && mayRead(subjectOf(delivery))) found.push(delivery);
      }
      return newestFirst ? found.reverse() : found;
    },

    /** @throws Failure NOT_FOUND */
    show(caller: Caller, deliveryId: string): DeliveryRecord {
      const delivery = store.get('deliveries', deliveryId);
      if (delivery === undefined || !eventAccess(store, caller, false)(subjectOf(delivery))) throw unknownDelivery();
      return delivery;
    },

    /**
     * Sends the event of a delivery again. Resolves with the new delivery once it is over, or with its current status
     * after a time limit. The old delivery does not change.
     * @throws Failure NOT_FOUND, FORBIDDEN without UPDATE on the actor, NO_RECEIVER if the event or its receiver no
     * longer exists
     */
    async redeliver(caller: Caller, deliveryId: string, signal: AbortSignal): Promise<DeliveryRecord> {
      const made = await store.transact((tx) => {
        const old = tx.get('deliveries', deliveryId);
        // A missing and an unreadable delivery produce the same error, so the response does not reveal which case
        // applies.
        if (old === undefined || !eventAccess(tx, caller, false)(subjectOf(old))) throw unknownDelivery();
        const { actorId, eventNumber, eventSerial, eventOf, id: repeated } = old;
        const actor = tx.get('actors', actorId);
        if (actor === undefined || tx.get('events', eventKey(eventNumber)) === undefined) {
          const gone = actor === undefined ? 'The actor of this delivery was deleted' : 'The event is no longer stored';
          throw new Failure('NO_RECEIVER', `${gone}, so the delivery cannot be repeated. Nothing was sent.`);
        }
        access.actor(caller, actorId, 'UPDATE');
        return deliverAgain(tx, actor, { eventNumber, eventSerial, repeated, eventOf }, given());
      });
      return waitForOutcome(made, signal);
    },

    /**
     * Sends a synthetic event to the webhook of an actor. Resolves as `redeliver` does.
     * @throws Failure NOT_FOUND, VALIDATION if the actor has no webhook, ACTOR_BUSY if it is being deleted
     */
    async test(actorId: string, signal: AbortSignal): Promise<DeliveryRecord> {
      const made = await store.transact((tx) => {
        const actor = demandLiveActor(tx, actorId, 'The webhook cannot be tested: the actor is being deleted.');
        if (actor.webhook === undefined || actor.webhook === '') {
          throw new Failure('VALIDATION', 'This actor has no webhook. Set one first.', { field: 'webhook' });
        }
        const { deliveryId = '' } = emitToWebhook(
          tx,
          actor,
          actor.webhook,
          { type: WEBHOOK_TEST, synthetic: true },
          given(),
        );
        const delivery = tx.get('deliveries', deliveryId);
        if (delivery === undefined) throw new Error('an event to a webhook has no delivery');
        return delivery;
      });
      return waitForOutcome(made, signal);
    },
  };
};

// Deliveries to webhooks: looking at them, having one repeated, and trying a webhook out.
import { DELIVERIES_SHOWN, WEBHOOK_TEST } from '../../../src/contract/actors/deliveries.ts';
import type { QueryOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { isOver } from '../../domain/events/delivery-status.ts';
import { emitToWebhook, type TimeAndIds } from '../../domain/events/emission.ts';
import { deliverAgain } from '../../domain/events/redelivery.ts';
import { Failure } from '../../domain/failure.ts';
import { type DeliveryRecord, eventKey } from '../../domain/records/event-records.ts';
import type { Caller } from '../../http/route-handler.ts';
import { actorAccess, unknownActor } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { type About, mayReadEvent, namedActors } from '../events/access.ts';

type Dependencies = Pick<ActorsDependencies, 'store' | 'clock' | 'ids'>;

/** ms for which an answer waits for what comes of a delivery: longer than one post, and one before it, may take. */
const PATIENCE_MS = 22_000;

export interface Deliveries {
  /**
   * Those of actors that the caller may read, oldest first; of an actor that is gone its owner alone sees them.
   * @throws Failure NOT_FOUND when the actor that is asked about is unknown
   */
  list(caller: Caller, query: QueryOf<Operations['deliveries.list']>): readonly DeliveryRecord[];
  /**
   * Sends the event of a delivery once more and resolves with the new delivery when it is over, or as it stands after a while.
   * The old one stays as it is.
   * @throws Failure NOT_FOUND, FORBIDDEN without UPDATE on the actor, NO_RECEIVER when there is nothing to send, or nowhere to send it
   */
  redeliver(caller: Caller, deliveryId: string, signal: AbortSignal): Promise<DeliveryRecord>;
  /**
   * Sends a synthetic event to the webhook of an actor; resolves as `redeliver` does.
   * @throws Failure NOT_FOUND, VALIDATION when it has none, ACTOR_BUSY when it is being deleted
   */
  test(actorId: string, signal: AbortSignal): Promise<DeliveryRecord>;
}

const unknownDelivery = (): Failure =>
  new Failure(
    'NOT_FOUND',
    'There is no such delivery. The list of deliveries shows those of actors that you may read.',
  );

const about = ({ tenant, actorId, owner, createdAt: at }: DeliveryRecord): About => ({ tenant, actorId, owner, at });

const arrived: ReadonlySet<DeliveryRecord['status']> = new Set(['WAITING', 'SENDING', 'DELIVERED']);

export const deliveries = ({ store, clock, ids }: Dependencies): Deliveries => {
  const access = actorAccess({ store });
  const given = (): TimeAndIds => ({ now: clock.now(), id: () => ids.id() });

  /** Of one actor when it is named, else of all that were shared with the caller. */
  const readableOnes = (caller: Caller, named: string | undefined): readonly DeliveryRecord[] => {
    const of = named === undefined ? undefined : [...namedActors(store, caller, [named])];
    const all =
      of === undefined ? [...store.all('deliveries')] : of.flatMap((id) => store.by('deliveries', 'actor', id));
    return all.filter((delivery) => mayReadEvent(store, caller, about(delivery), of === undefined));
  };

  const untilOver = (id: string, signal: AbortSignal): Promise<void> =>
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
      const timer = setTimeout(done, PATIENCE_MS);
      signal.addEventListener('abort', done);
      const now = store.get('deliveries', id);
      if (signal.aborted || now === undefined || isOver(now.status)) done();
    });

  const outcomeOf = async (made: DeliveryRecord, signal: AbortSignal): Promise<DeliveryRecord> => {
    await untilOver(made.id, signal);
    return store.get('deliveries', made.id) ?? made;
  };

  return {
    list(caller, { actorId, failed, after, limit = DELIVERIES_SHOWN }) {
      const wanted = readableOnes(caller, actorId)
        .filter(({ sequence, status }) => sequence > (after ?? 0) && !(failed && arrived.has(status)))
        .toSorted((a, b) => a.sequence - b.sequence);
      return after === undefined ? wanted.slice(-limit) : wanted.slice(0, limit);
    },

    async redeliver(caller, deliveryId, signal) {
      const made = await store.transact((tx) => {
        const old = tx.get('deliveries', deliveryId);
        // The same words for what is not there and for what the caller may not learn of.
        if (old === undefined || !mayReadEvent(tx, caller, about(old), false)) throw unknownDelivery();
        const { actorId, eventNumber, id: repeated } = old;
        const actor = tx.get('actors', actorId);
        if (actor === undefined || tx.get('events', eventKey(eventNumber)) === undefined) {
          const gone = actor === undefined ? 'The actor of this delivery is gone' : 'The event is no longer kept';
          throw new Failure('NO_RECEIVER', `${gone}, so that it cannot be sent again. Nothing was sent.`);
        }
        access.actor(caller, actorId, 'UPDATE');
        return deliverAgain(tx, actor, { eventNumber, repeated }, given());
      });
      return outcomeOf(made, signal);
    },

    async test(actorId, signal) {
      const made = await store.transact((tx) => {
        const actor = tx.get('actors', actorId);
        if (actor === undefined) throw unknownActor();
        if (actor.status === 'SHUTTING_DOWN') {
          throw new Failure('ACTOR_BUSY', 'The webhook cannot be tried out: the actor is being deleted.');
        }
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
      return outcomeOf(made, signal);
    },
  };
};

// Handlers of deliveries: list, redeliver, and the test of a webhook.
import { DELIVERY_HEADER, EVENT_HEADER } from '../../../src/contract/actors/deliveries.ts';
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import { eventMessage } from '../../domain/events/event.ts';
import { type DeliveryRecord, eventKey } from '../../domain/records/event-records.ts';
import type { Caller, Handlers } from '../../http/route-handler.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { deliverySight } from '../webhook-sight.ts';
import { deliveries } from './service.ts';

type DeliveriesOperation = 'deliveries.list' | 'deliveries.show' | 'deliveries.redeliver' | 'webhooks.test';
type DeliveryView = ResultOf<Operations['deliveries.redeliver']>;

const statusMessages: Readonly<Record<DeliveryRecord['status'], string>> = {
  WAITING: 'The delivery is queued and has not been sent yet.',
  SENDING: 'The delivery is being sent.',
  DELIVERED: 'Delivered.',
  FAILED: 'The delivery failed.',
  UNKNOWN: 'The daemon stopped while the delivery was being sent.',
  DROPPED: 'The delivery was dropped before it was sent.',
};

/** @see docs/http-api.md#events */
export const deliveriesHandlers = (deps: ActorsDependencies): Handlers<DeliveriesOperation> => {
  const { store } = deps;
  const service = deliveries(deps);
  const viewOf = (delivery: DeliveryRecord): DeliveryView => {
    const { id, actorId, eventNumber, eventSerial, url, status, httpStatus, error, redeliveryOf, createdAt } = delivery;
    const { sentAt, finishedAt } = delivery;
    const event = store.get('events', eventKey(eventNumber));
    return {
      id,
      actorId,
      eventId: String(eventSerial),
      ...(event && { eventType: event.type }),
      url,
      status,
      httpStatus,
      error,
      redeliveryOf,
      createTime: toWireTime(createdAt),
      ...(sentAt !== undefined && { sentTime: toWireTime(sentAt) }),
      ...(finishedAt !== undefined && { finishTime: toWireTime(finishedAt) }),
    };
  };
  const detailOf = (caller: Caller, found: DeliveryRecord): ResultOf<Operations['deliveries.show']> => {
    const sight = deliverySight(store, caller);
    const delivery = sight(found);
    const event = store.get('events', eventKey(found.eventNumber));
    const attempts = store.by('deliveries', 'event', eventKey(found.eventNumber));
    return {
      ...viewOf(delivery),
      ...(event && {
        request: {
          headers: [
            { name: 'content-type', value: 'application/json' },
            { name: DELIVERY_HEADER, value: found.id },
            { name: EVENT_HEADER, value: String(event.serial) },
          ],
          body: JSON.stringify(eventMessage(event)),
        },
      }),
      ...(delivery.response && { response: delivery.response }),
      attempts: attempts.map((each) => {
        const { id, status, httpStatus, error, createdAt } = sight(each);
        return { id, status, httpStatus, error, createTime: toWireTime(createdAt) };
      }),
    };
  };
  const replyFor = (caller: Caller, delivery: DeliveryRecord) => ({
    result: viewOf(deliverySight(store, caller)(delivery)),
    message: statusMessages[delivery.status],
  });
  return {
    'deliveries.list': async ({ caller, query, signal }) => {
      const found = await service.list(caller, query, signal());
      const next = String(found.at(-1)?.serial ?? query.after ?? 0);
      return {
        result: { deliveries: found.map(deliverySight(store, caller)).map(viewOf), next },
        message: 'Deliveries retrieved.',
      };
    },
    'deliveries.show': ({ caller, params }) => ({
      result: detailOf(caller, service.show(caller, params.deliveryId)),
      message: 'Delivery retrieved.',
    }),
    'deliveries.redeliver': async ({ caller, params, signal }) =>
      replyFor(caller, await service.redeliver(caller, params.deliveryId, signal())),
    'webhooks.test': async ({ actor, caller, signal }) => replyFor(caller, await service.test(actor.id, signal())),
  };
};

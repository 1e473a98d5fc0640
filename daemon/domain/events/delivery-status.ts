// The status of a webhook delivery: the allowed transitions as a table, and the effect of an attempt.
import type { DeliveryRecord, DeliveryStatus } from '../records/event-records.ts';
import { type ResponseBody, shownResponse } from './response-text.ts';

/**
 * - `send`: the first byte is about to be sent
 * - `accept`: the receiver responded with 2xx
 * - `refuse`: the receiver responded with another status, or not at all
 * - `lose`: it is unknown whether the receiver got the event
 * - `drop`: the webhook was changed or removed before the delivery was sent
 */
export type DeliveryStep = 'send' | 'accept' | 'refuse' | 'lose' | 'drop';

const table: Readonly<Record<DeliveryStatus, Partial<Readonly<Record<DeliveryStep, DeliveryStatus>>>>> = {
  WAITING: { send: 'SENDING', drop: 'DROPPED' },
  SENDING: { accept: 'DELIVERED', refuse: 'FAILED', lose: 'UNKNOWN' },
  DELIVERED: {},
  FAILED: {},
  UNKNOWN: {},
  DROPPED: {},
};

/** The status after a transition. Null if the current status does not allow it. */
export const nextDeliveryStatus = (status: DeliveryStatus, step: DeliveryStep): DeliveryStatus | null =>
  table[status][step] ?? null;

export const isOver = (status: DeliveryStatus): boolean => Object.keys(table[status]).length === 0;

/** `cut` is true if this daemon closed the connection before a response could arrive. */
export type Attempt =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Where a redirect leads, without credentials and query. */
      readonly location?: string;
      /** True if the receiver is this platform and refused the event because it would go in a loop. */
      readonly isLoop?: true;
      /** Absent if the response has no body. */
      readonly body?: ResponseBody;
    }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'cut'; readonly why: string };

const stepAfter = (attempt: Attempt): DeliveryStep => {
  if (attempt.kind === 'cut') return 'lose';
  return attempt.kind === 'answered' && attempt.status >= 200 && attempt.status < 300 ? 'accept' : 'refuse';
};

const wordsFor = ({ status, location, isLoop }: Extract<Attempt, { kind: 'answered' }>): string | undefined => {
  if (status >= 200 && status < 300) return undefined;
  const answered = `the receiver responded with ${status}`;
  if (isLoop) return `${answered}: the event would go in a loop, because an event of that actor led to it`;
  if (status < 300 || status >= 400) return answered;
  return `${answered}${location === undefined ? '' : `, a redirect to ${location}`}; redirects are not followed`;
};

/** The delivery as being sent. Null if it was not waiting. */
export const beginDelivery = (delivery: DeliveryRecord, now: number): DeliveryRecord | null => {
  const status = nextDeliveryStatus(delivery.status, 'send');
  return status && { ...delivery, status, sentAt: now };
};

/** The delivery after its attempt. Null if it was not being sent. */
export const endDelivery = (delivery: DeliveryRecord, attempt: Attempt, now: number): DeliveryRecord | null => {
  const status = nextDeliveryStatus(delivery.status, stepAfter(attempt));
  if (status === null) return null;
  const error = attempt.kind === 'answered' ? wordsFor(attempt) : attempt.why;
  return {
    ...delivery,
    status,
    finishedAt: now,
    ...(attempt.kind === 'answered' && {
      httpStatus: attempt.status,
      ...(attempt.body && { response: shownResponse(attempt.body, delivery.url) }),
    }),
    ...(error !== undefined && { error }),
  };
};

/** The delivery after its webhook was changed or removed. Null if it was not waiting. */
export const dropDelivery = (delivery: DeliveryRecord, now: number): DeliveryRecord | null => {
  const status = nextDeliveryStatus(delivery.status, 'drop');
  return (
    status && {
      ...delivery,
      status,
      finishedAt: now,
      error: 'the webhook was changed or removed before this delivery was sent',
    }
  );
};

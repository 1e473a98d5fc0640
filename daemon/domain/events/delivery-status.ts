// How a delivery goes from waiting to sent and what came of it: the steps as a table, and what an answer means.
import type { DeliveryRecord, DeliveryStatus } from '../records/event-records.ts';

/**
 * - `send`: the first byte is about to go out
 * - `accept`: the receiver answered 2xx
 * - `refuse`: it answered something else, or not at all
 * - `lose`: nobody knows whether it was received
 * - `drop`: its webhook was changed or taken away before its turn
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

/** The status after a step; null when the step is illegal. */
export const nextDeliveryStatus = (status: DeliveryStatus, step: DeliveryStep): DeliveryStatus | null =>
  table[status][step] ?? null;

/** Whether nothing more becomes of it. */
export const isOver = (status: DeliveryStatus): boolean => Object.keys(table[status]).length === 0;

/** What came of an attempt: the status of the answer, or why there is none; `cut` when we hung up before there could be one. */
export type Attempt =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'cut'; readonly why: string };

const stepAfter = (attempt: Attempt): DeliveryStep => {
  if (attempt.kind === 'cut') return 'lose';
  return attempt.kind === 'answered' && attempt.status >= 200 && attempt.status < 300 ? 'accept' : 'refuse';
};

const wordsFor = (status: number): string | undefined => {
  if (status >= 200 && status < 300) return undefined;
  const redirects = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  return `the receiver answered ${status}${redirects}`;
};

/** The delivery about to be sent; null when it does not wait. */
export const beginDelivery = (delivery: DeliveryRecord, now: number): DeliveryRecord | null => {
  const status = nextDeliveryStatus(delivery.status, 'send');
  return status && { ...delivery, status, sentAt: now };
};

/** The delivery after an attempt; null when there is nothing to end. */
export const endDelivery = (delivery: DeliveryRecord, attempt: Attempt, now: number): DeliveryRecord | null => {
  const status = nextDeliveryStatus(delivery.status, stepAfter(attempt));
  if (status === null) return null;
  const error = attempt.kind === 'answered' ? wordsFor(attempt.status) : attempt.why;
  return {
    ...delivery,
    status,
    finishedAt: now,
    ...(attempt.kind === 'answered' && { httpStatus: attempt.status }),
    ...(error !== undefined && { error }),
  };
};

/** The delivery whose webhook is no more; null when it does not wait. */
export const dropDelivery = (delivery: DeliveryRecord, now: number): DeliveryRecord | null => {
  const status = nextDeliveryStatus(delivery.status, 'drop');
  return (
    status && { ...delivery, status, finishedAt: now, error: 'the webhook was changed or taken away before its turn' }
  );
};

// The status transitions of a delivery.
import { describe, expect, it } from 'vitest';
import {
  type Attempt,
  beginDelivery,
  type DeliveryStep,
  dropDelivery,
  endDelivery,
  isOver,
  nextDeliveryStatus,
} from '../../../daemon/domain/events/delivery-status.ts';
import type { DeliveryRecord, DeliveryStatus } from '../../../daemon/domain/records/event-records.ts';

const delivery = (status: DeliveryStatus): DeliveryRecord => ({
  id: 'd',
  sequence: 1,
  serial: 1,
  tenant: 'DEV',
  actorId: 'a',
  owner: 'ana',
  eventNumber: 1,
  eventSerial: 1,
  url: 'http://127.0.0.1/',
  status,
  createdAt: 1,
});
const statuses = ['WAITING', 'SENDING', 'DELIVERED', 'FAILED', 'UNKNOWN', 'DROPPED'] as const;
const steps: readonly DeliveryStep[] = ['send', 'drop', 'accept', 'refuse', 'lose'];

describe('a delivery', () => {
  it('has these transitions and no others', () => {
    const legal = statuses.flatMap((status) =>
      steps.flatMap((step) => {
        const next = nextDeliveryStatus(status, step);
        return next === null ? [] : [`${status} ${step} ${next}`];
      }),
    );
    expect(legal).toEqual([
      'WAITING send SENDING',
      'WAITING drop DROPPED',
      'SENDING accept DELIVERED',
      'SENDING refuse FAILED',
      'SENDING lose UNKNOWN',
    ]);
    expect(statuses.filter(isOver)).toEqual(['DELIVERED', 'FAILED', 'UNKNOWN', 'DROPPED']);
  });

  it('is sent once, because only a waiting one starts and only a started one ends', () => {
    expect(beginDelivery(delivery('WAITING'), 5)).toMatchObject({ status: 'SENDING', sentAt: 5 });
    for (const status of statuses.slice(1)) expect(beginDelivery(delivery(status), 5)).toBeNull();
    for (const status of statuses.filter(isOver)) {
      expect(endDelivery(delivery(status), { kind: 'answered', status: 200 }, 5)).toBeNull();
    }
  });

  it.each<[Attempt, Partial<DeliveryRecord>]>([
    [
      { kind: 'answered', status: 200 },
      { status: 'DELIVERED', httpStatus: 200 },
    ],
    [
      { kind: 'answered', status: 299 },
      { status: 'DELIVERED', httpStatus: 299 },
    ],
    [
      { kind: 'answered', status: 199 },
      { status: 'FAILED', httpStatus: 199, error: 'the receiver responded with 199' },
    ],
    [
      { kind: 'answered', status: 300 },
      { status: 'FAILED', httpStatus: 300, error: 'the receiver responded with 300; redirects are not followed' },
    ],
    [
      { kind: 'answered', status: 400 },
      { status: 'FAILED', httpStatus: 400, error: 'the receiver responded with 400' },
    ],
    [
      { kind: 'answered', status: 301 },
      { status: 'FAILED', httpStatus: 301, error: 'the receiver responded with 301; redirects are not followed' },
    ],
    [
      { kind: 'answered', status: 302, location: 'https://hooks.example/new' },
      {
        status: 'FAILED',
        httpStatus: 302,
        error: 'the receiver responded with 302, a redirect to https://hooks.example/new; redirects are not followed',
      },
    ],
    [
      { kind: 'answered', status: 400, isLoop: true },
      {
        status: 'FAILED',
        httpStatus: 400,
        error:
          'the receiver responded with 400: the event would go in a loop, because an event of that actor led to it',
      },
    ],
    [
      { kind: 'answered', status: 404 },
      { status: 'FAILED', httpStatus: 404, error: 'the receiver responded with 404' },
    ],
    [
      { kind: 'failed', why: 'nobody' },
      { status: 'FAILED', error: 'nobody' },
    ],
    [
      { kind: 'cut', why: 'ended' },
      { status: 'UNKNOWN', error: 'ended' },
    ],
  ])('ends after %j', (attempt, end) => {
    const sending = delivery('SENDING');
    expect(endDelivery(sending, attempt, 9)).toStrictEqual({ ...sending, ...end, finishedAt: 9 });
  });

  it('can be dropped while it waits, with a reason', () => {
    expect(dropDelivery(delivery('WAITING'), 9)).toEqual({
      ...delivery('WAITING'),
      status: 'DROPPED',
      finishedAt: 9,
      error: 'the webhook was changed or removed before this delivery was sent',
    });
    for (const status of statuses.slice(1)) expect(dropDelivery(delivery(status), 9)).toBeNull();
  });
});

// The list of events of the dashboard.
import { expect, it } from 'vitest';
import { outstandingOf } from '../../../daemon/web/dashboard/parts/actions/outstanding.ts';
import { hasGap, isWanted, merged, newerThan, storedQuery } from '../../../daemon/web/dashboard/views/events/merge.ts';
import { beyondCode, formatResponse } from '../../../daemon/web/dashboard/views/events/response.ts';
import type { EventView } from '../../../src/contract/actors/events.ts';

const event = (id: string, fields: Partial<EventView> = {}): EventView => ({
  id,
  actor_id: 'A1',
  tenant_id: 'DEV',
  actor_dbid: 'DEV_A1',
  event_type: 'EXECUTION_COMPLETE',
  event_time_utc: 0,
  event_time_display: '',
  _svc_link: '',
  _svc_username: 'ana',
  deliveries: { link: null, webhook: null },
  ...fields,
});

it('stored and live events are one list without duplicates, newest first', () => {
  const stored = [event('10'), event('9')];
  expect(merged(stored, [event('10'), event('11')]).map(({ id }) => id)).toEqual(['11', '10', '9']);
});

it('stored events that are missing from the live ones are kept', () => {
  const stored = [event('12'), event('11'), event('8'), event('7')];
  expect(merged(stored, [event('9'), event('10')]).map(({ id }) => id)).toEqual(['12', '11', '10', '9', '8', '7']);
  expect(merged(stored, [])).toEqual(stored);
});

it('events that arrive during a pause are counted, even after the older ones were dropped', () => {
  const paused = [event('7'), event('8')];
  expect(newerThan(paused, [event('7'), event('8'), event('9'), event('10')])).toBe(2);
  expect(newerThan(paused, [event('9'), event('10'), event('11')])).toBe(3);
  expect(newerThan([], [event('1')])).toBe(1);
  expect(newerThan(paused, paused)).toBe(0);
});

it.each([
  [{ type: '', actor: '', q: '' }, true],
  [{ type: 'ACTOR_READY', actor: '', q: '' }, false],
  [{ type: '', actor: 'A2', q: '' }, false],
  [{ type: '', actor: 'A1', q: 'REPORT complete' }, true],
  [{ type: '', actor: '', q: 'report x9' }, false],
])('an event matches %j: %s', (filters, wanted) => {
  expect(isWanted(event('1', { execution_id: 'E1' }), filters, () => 'report')).toBe(wanted);
});

it('the service filters the stored events by type and actor', () => {
  expect(storedQuery({ type: 'FAILED', actor: 'A1' })).toMatchObject({ type: 'FAILED', actorId: 'A1', order: 'desc' });
  expect(Object.values(storedQuery({ type: '', actor: '' }))).not.toContain('');
});

it('a gap exists only if live events were dropped since the stored events were read', () => {
  const live = [event('7'), event('8')];
  expect([hasGap(undefined, [], 2), hasGap(undefined, live, 3), hasGap(undefined, live, 2)]).toEqual([
    false,
    false,
    true,
  ]);
  expect([hasGap(event('7'), live, 2), hasGap(event('6'), live, 2)]).toEqual([false, true]);
});

it('the deliveries to send again are those that are the newest of their event, and have failed', () => {
  const delivery = (id: string, eventId: string, status: 'FAILED' | 'UNKNOWN' | 'DELIVERED' | 'DROPPED', of = 'A') => ({
    ...{ id, eventId, status, actorId: of, eventType: eventId === 'test' ? 'WEBHOOK_TEST' : 'EXECUTION_COMPLETE' },
  });
  const all = [
    delivery('d1', '1', 'FAILED'),
    delivery('d2', '2', 'FAILED'),
    delivery('d3', '1', 'FAILED', 'B'),
    delivery('d4', '1', 'DELIVERED'),
    delivery('d5', '3', 'UNKNOWN'),
    delivery('d6', '2', 'FAILED'),
    delivery('d7', 'test', 'FAILED'),
    delivery('d8', '4', 'DROPPED'),
  ];
  expect(outstandingOf(all).toSorted()).toEqual(['d3', 'd5', 'd6']);
});

it.each([
  [{ httpStatus: 204 }, '204', ''],
  [{ httpStatus: 503, error: 'the receiver responded with 503' }, '503', ''],
  [
    { httpStatus: 302, error: 'the receiver responded with 302, a redirect to http://a/; redirects are not followed' },
    '302, a redirect to http://a/; redirects are not followed',
    'a redirect to http://a/; redirects are not followed',
  ],
  [{ error: 'no response within 10 s' }, 'no response within 10 s', 'no response within 10 s'],
  [{}, '', ''],
])('the response %j of a delivery has its code once', (delivery, whole, beyond) => {
  expect([formatResponse(delivery), beyondCode(delivery)]).toEqual([whole, beyond]);
});

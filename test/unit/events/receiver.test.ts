// Who receives the events of an actor, what the event says, and how it is sent again.
import { beforeEach, describe, expect, it } from 'vitest';
import { emit, receiverOf, type TimeAndIds } from '../../../daemon/domain/events/emission.ts';
import { eventMessage, eventVariables } from '../../../daemon/domain/events/event.ts';
import { type Redelivery, redeliver } from '../../../daemon/domain/events/redelivery.ts';
import { MAILBOX_LIMITS } from '../../../daemon/domain/executions/mailbox.ts';
import type { ActorRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { EventRecord } from '../../../daemon/domain/records/event-records.ts';
import { actorRecord } from '../../support/service/records.ts';
import { type MemoryStore, memoryStore } from '../../support/store/memory-store.ts';

const NOW = 1_772_366_467_412;
const profile = { email: '', firstName: '', lastName: '', phone: '', mobilePhone: '' };
const ana = {
  tenant: 'DEV',
  username: 'ana',
  passwordHash: '',
  roles: ['user'] as const,
  uid: 1,
  profile,
  createdAt: 0,
};

let store: MemoryStore;
let given: TimeAndIds;
beforeEach(async () => {
  let ids = 0;
  given = { now: NOW, id: () => `id${++ids}` };
  store = memoryStore();
  await store.transact((tx) => {
    tx.put('users', ana);
    tx.put('actors', actorRecord('b', { link: 'gone' }));
    tx.put('actors', actorRecord('loop', { link: 'new' }));
    tx.put('actors', actorRecord('new'));
  });
});

describe('the receiver of the events of an actor', () => {
  it.each<[string, Partial<ActorRecord>, unknown]>([
    ['nobody without a link', {}, undefined],
    ['nobody with an empty link', { link: '' }, undefined],
    ['the linked actor, whose own link may fail', { link: 'b' }, expect.objectContaining({ id: 'b' })],
    ['a problem when there is no such actor', { link: 'gone' }, { problem: 'there is no actor "gone"' }],
    ['a problem for the actor itself', { link: 'new' }, { problem: 'the link leads to the actor itself' }],
    [
      'a problem when a link that is not stored yet closes a loop',
      { link: 'loop' },
      { problem: 'the link to "loop" leads back to the actor' },
    ],
    [
      'a problem when the setter of the link is no user',
      { link: 'b', linkSetBy: 'zoe' },
      { problem: 'user "zoe", who set the link, no longer holds EXECUTE on actor "b"' },
    ],
  ])('is %s', (_, fields, receiver) => {
    expect(receiverOf(store, actorRecord('new', fields))).toEqual(receiver);
  });
});

describe('an event', () => {
  const base: EventRecord = { number: 7, serial: 3, tenant: 'DEV', actorId: 'a', owner: 'ana', type: 'TEST', at: NOW };
  const fixed = {
    actor_id: 'a',
    tenant_id: 'DEV',
    actor_dbid: 'DEV_a',
    event_type: 'TEST',
    event_time_utc: 1_772_366_467.412,
    event_time_display: '2026-03-01T12:01:07.412Z',
    _svc_link: '',
    _svc_username: 'Actor Service Event',
  };

  it.each<[Partial<EventRecord>, object]>([
    [{}, {}],
    [{ statusMessage: '' }, { status_message: '' }],
    [
      { executionId: 'e', exitCode: 0, status: 'COMPLETE' },
      { execution_id: 'e', exit_code: 0, status: 'COMPLETE' },
    ],
    [
      { synthetic: true, link: { actorId: 'b', executionId: 'e' } },
      { synthetic: true, _svc_link: 'b' },
    ],
  ])('with %j says %j', (fields, message) => {
    expect(eventMessage({ ...base, ...fields })).toStrictEqual({ ...fixed, ...message });
  });

  it('has its fields as variables, all of them texts, without those of the receiver', () => {
    expect(eventVariables(eventMessage({ ...base, exitCode: 0 }))).toEqual({
      actor_id: 'a',
      tenant_id: 'DEV',
      actor_dbid: 'DEV_a',
      event_type: 'TEST',
      event_time_utc: '1772366467.412',
      event_time_display: '2026-03-01T12:01:07.412Z',
      exit_code: '0',
    });
  });

  const emitted = (fields: Partial<ActorRecord>) =>
    store.transact((tx) => emit(tx, actorRecord('a', fields), { type: 'TEST' }, given));

  it('is counted per tenant, and apart from deliveries', async () => {
    const first = await emitted({});
    const second = await emitted({ webhook: 'http://127.0.0.1:9/' });
    expect([first.serial, second.serial]).toEqual([1, 2]);
    expect([...store.all('deliveries')].map(({ serial }) => serial)).toEqual([1]);
  });

  it.each([[{}], [{ webhook: '' }]])('of an actor with %j has no delivery', async (fields) => {
    expect(await emitted(fields)).not.toHaveProperty('deliveryId');
    expect(store.count('deliveries')).toBe(0);
  });
});

describe('an event that is sent again', () => {
  const event: EventRecord = { number: 7, serial: 3, tenant: 'DEV', actorId: 'a', owner: 'ana', type: 'TEST', at: 5 };
  const again = (fields: Partial<ActorRecord>, to: Redelivery, changes: Partial<EventRecord> = {}) =>
    store.transact((tx) => {
      const inputs = { ...given, mailbox: MAILBOX_LIMITS };
      return redeliver(tx, actorRecord('a', fields), { ...event, ...changes }, to, inputs);
    });

  it('becomes a message to the current link, received now, with the time of the event', async () => {
    expect(await again({ link: 'b' }, 'link')).toEqual({ event: '3', to: 'link', actorId: 'b', executionId: 'id1' });
    const [message] = store.by('messages', 'actor', 'b');
    expect(message).toMatchObject({ executionId: 'id1', receivedAt: NOW });
    expect(JSON.parse(message?.text ?? '')).toMatchObject({ _svc_link: 'b', event_time_utc: 0.005 });
  });

  it.each<[string, Partial<EventRecord>, object]>([
    ['names the delivery that it repeats', { deliveryId: 'old' }, { redeliveryOf: 'old' }],
    ['names none when there was none', {}, {}],
  ])('becomes another delivery, which %s', async (_, changes, repeats) => {
    const url = 'http://127.0.0.1:9/';
    expect(await again({ webhook: url }, 'webhook', changes)).toEqual({ event: '3', to: 'webhook', deliveryId: 'id1' });
    expect(store.get('deliveries', 'id1')).toStrictEqual({
      id: 'id1',
      sequence: 1,
      serial: 1,
      tenant: 'DEV',
      actorId: 'a',
      owner: 'ana',
      eventNumber: 7,
      eventSerial: 3,
      url,
      status: 'WAITING',
      createdAt: NOW,
      ...repeats,
    });
  });

  it.each<[Redelivery, Partial<ActorRecord>, string]>([
    ['link', {}, 'Actor "a" has no link'],
    ['link', { link: 'gone' }, 'The link of actor "a" fails: there is no actor "gone"'],
    ['webhook', {}, 'Actor "a" has no webhook'],
    ['webhook', { webhook: '' }, 'Actor "a" has no webhook'],
  ])('to the %s is refused for an actor with %j', async (to, fields, why) => {
    await expect(again(fields, to)).rejects.toMatchObject({
      code: 'NO_RECEIVER',
      message: `${why}. Nothing was sent. Update the actor, then send the event again.`,
    });
  });
});

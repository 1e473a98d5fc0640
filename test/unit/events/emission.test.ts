// Events are created in the transaction that causes them, with the message to the linked actor and the delivery to the
// webhook.
import { beforeEach, describe, expect, it } from 'vitest';
import { DELIVERY_BACKLOG } from '../../../daemon/domain/events/emission.ts';
import { emittingStore } from '../../../daemon/domain/events/emitting-store.ts';
import { eventMessage } from '../../../daemon/domain/events/event.ts';
import type { UserRecord } from '../../../daemon/domain/records/account-records.ts';
import type { ActorRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { Store } from '../../../daemon/ports/store.ts';
import { actorRecord, executionRecord } from '../../support/service/records.ts';
import { memoryStore } from '../../support/store/memory-store.ts';

const NOW = 1_772_366_467_412;

const actor = (id: string, fields: Partial<ActorRecord> = {}): ActorRecord =>
  actorRecord(id, { status: 'SUBMITTED', ...fields });

const user = (username: string, roles: UserRecord['roles'] = ['user']): UserRecord => ({
  tenant: 'DEV',
  username,
  passwordHash: '',
  roles,
  uid: 1,
  profile: { email: '', firstName: '', lastName: '', phone: '', mobilePhone: '' },
  createdAt: 0,
});

let store: Store;
beforeEach(async () => {
  let ids = 0;
  store = emittingStore(memoryStore(), { ids: { id: () => `id${++ids}` }, clock: { now: () => NOW } });
  await store.transact((tx) => {
    tx.put('users', user('ana'));
    tx.put('users', user('bob'));
  });
});

const events = () => [...store.all('events')];
const put = (record: ActorRecord) => store.transact((tx) => tx.put('actors', record));

describe('events', () => {
  it('are created when an actor becomes READY or ERROR, and not for other changes or an unchanged status', async () => {
    await put(actor('a'));
    await put(actor('a', { status: 'READY' }));
    await put(actor('a', { status: 'READY', description: 'new' }));
    await put(actor('a', { status: 'ERROR', statusMessage: 'no such image' }));
    await put(actor('a', { status: 'SHUTTING_DOWN' }));
    expect(events().map(({ type, statusMessage }) => [type, statusMessage])).toEqual([
      ['ACTOR_READY', undefined],
      ['ACTOR_ERROR', 'no such image'],
    ]);
  });

  it('are created once when an execution ends with COMPLETE or ERROR, and not when it is cancelled', async () => {
    await put(actor('actor1'));
    const final = { ...executionRecord('e1'), status: 'COMPLETE', exitCode: 3 } as const;
    await store.transact((tx) => tx.put('executions', final));
    await store.transact((tx) => tx.put('executions', { ...final, cpuNs: 1 }));
    await store.transact((tx) => tx.put('executions', { ...executionRecord('e2'), status: 'CANCELLED' }));
    await store.transact((tx) => tx.put('executions', { ...executionRecord('e3'), status: 'ERROR' }));
    expect(events().map(({ type, executionId, exitCode, status }) => [type, executionId, exitCode, status])).toEqual([
      ['EXECUTION_COMPLETE', 'e1', 3, 'COMPLETE'],
      ['EXECUTION_COMPLETE', 'e3', undefined, 'ERROR'],
    ]);
  });

  it('have exactly the documented fields', async () => {
    await put(actor('actor1'));
    await store.transact((tx) => tx.put('executions', { ...executionRecord('e1'), status: 'COMPLETE', exitCode: 0 }));
    const [event] = events();
    expect(event && eventMessage(event)).toEqual({
      actor_id: 'actor1',
      tenant_id: 'DEV',
      actor_dbid: 'DEV_actor1',
      event_type: 'EXECUTION_COMPLETE',
      event_time_utc: 1_772_366_467.412,
      event_time_display: '2026-03-01T12:01:07.412Z',
      _svc_link: '',
      _svc_username: 'Actor Service Event',
      execution_id: 'e1',
      exit_code: 0,
      status: 'COMPLETE',
    });
  });

  it('get increasing numbers in the order of the transactions', async () => {
    await Promise.all([put(actor('a', { status: 'READY' })), put(actor('b', { status: 'READY' }))]);
    const [first, second] = events();
    expect(first?.actorId).toBe('a');
    expect(second?.number).toBeGreaterThan(first?.number ?? Number.POSITIVE_INFINITY);
  });

  it('are discarded with a transaction that fails', async () => {
    const failing = store.transact((tx) => {
      tx.put('actors', actor('a', { status: 'READY' }));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(events()).toEqual([]);
  });
});

describe('a link', () => {
  it('turns the event into a message to the linked actor in the same transaction, with the variables of the event', async () => {
    await put(actor('b'));
    await put(actor('a', { status: 'READY', link: 'b' }));
    const [event] = events();
    const [message] = store.by('messages', 'actor', 'b');
    expect(message).toMatchObject({
      executionId: event?.link?.executionId,
      contentType: 'application/json',
      executor: 'Actor Service Event',
      variables: { actor_id: 'a', event_type: 'ACTOR_READY', tenant_id: 'DEV', actor_dbid: 'DEV_a' },
    });
    expect(JSON.parse(message?.text ?? '')).toMatchObject({ actor_id: 'a', _svc_link: 'b' });
    expect(message?.text).not.toContain('_abaco');
    expect(Object.keys(message?.variables ?? {}).filter((name) => name.startsWith('_svc_'))).toEqual([]);
    expect(store.get('executions', event?.link?.executionId ?? '')).toMatchObject({
      status: 'SUBMITTED',
      cause: { event: event?.serial },
    });
  });

  it('gives an actor of the legacy dialect the names of the hosted platform too', async () => {
    await put(actor('b', { dialect: 'legacy' }));
    await put(actor('a', { status: 'READY', link: 'b' }));
    const [message] = store.by('messages', 'actor', 'b');
    expect(JSON.parse(message?.text ?? '')).toMatchObject({
      ...{ _svc_link: 'b', _abaco_link: 'DEV_b' },
      ...{ _svc_username: 'Actor Service Event', _abaco_username: 'Actor Service Event' },
    });
    expect(Object.keys(message?.variables ?? {}).filter((name) => name.startsWith('_'))).toEqual([]);
  });

  it('is resolved at the time of the event, through the current target of an alias', async () => {
    const alias = { tenant: 'DEV', alias: 'x', owner: 'ana', permissions: {}, createdAt: 0, updatedAt: 0 };
    await put(actor('b'));
    await put(actor('c'));
    await store.transact((tx) => tx.put('aliases', { ...alias, actorId: 'b' }));
    await put(actor('a', { status: 'READY', link: 'x' }));
    await store.transact((tx) => tx.put('aliases', { ...alias, actorId: 'c' }));
    await put(actor('a', { status: 'ERROR', link: 'x' }));
    expect(events().map(({ link }) => link?.actorId)).toEqual(['b', 'c']);
  });

  it('R133 that is part of a loop sends no message, whatever closed the loop', async () => {
    const alias = { tenant: 'DEV', alias: 'x', owner: 'ana', permissions: {}, createdAt: 0, updatedAt: 0 };
    await put(actor('a', { link: 'b' }));
    await put(actor('b', { link: 'c' }));
    await put(actor('c', { link: 'x' }));
    await put(actor('d', { link: 'a' }));
    await store.transact((tx) => tx.put('aliases', { ...alias, actorId: 'a' }));
    for (const [id, link] of Object.entries({ a: 'b', b: 'c', c: 'x' })) {
      await put(actor(id, { link, status: 'READY' }));
      expect(events().at(-1)).toMatchObject({
        actorId: id,
        linkProblem: `the link to "${link}" leads back to the actor`,
      });
    }
    expect(store.count('messages')).toBe(0);
    // An actor that leads into the loop is not part of it. Its event goes one step.
    await put(actor('d', { link: 'a', status: 'READY' }));
    expect(events().at(-1)?.link?.actorId).toBe('a');
  });

  it.each([
    ['to an unknown actor', actor('z'), 'nowhere', 'there is no actor "nowhere"'],
    ['to an actor of another tenant', actor('b', { tenant: 'OTHER' }), 'b', 'there is no actor "b"'],
    ['to an actor that is being deleted', actor('b', { status: 'SHUTTING_DOWN' }), 'b', 'actor "b" is being deleted'],
    [
      'to an actor on which its setter has lost EXECUTE',
      actor('b', { owner: 'bob', permissions: { bob: 'UPDATE', ana: 'READ' } }),
      'b',
      'user "ana", who set the link, no longer holds EXECUTE on actor "b"',
    ],
  ])('%s sends no message, and the event has the reason', async (_, target, link, problem) => {
    await put(target);
    await put(actor('a', { status: 'READY', link }));
    expect(events().at(-1)).toMatchObject({ actorId: 'a', linkProblem: problem });
    expect(store.count('messages')).toBe(0);
  });
});

describe('a webhook', () => {
  it('gets a pending delivery, besides the link', async () => {
    await put(actor('b'));
    await put(actor('a', { status: 'READY', link: 'b', webhook: 'http://127.0.0.1:9/x' }));
    const [event] = events();
    expect(event?.link).toBeDefined();
    expect(store.get('deliveries', event?.deliveryId ?? '')).toMatchObject({
      status: 'WAITING',
      url: 'http://127.0.0.1:9/x',
      eventNumber: event?.number,
    });
  });

  it('with too many pending deliveries gets further ones recorded as DROPPED', async () => {
    await put(actor('a', { webhook: 'http://127.0.0.1:9/' }));
    await store.transact((tx) => {
      for (let count = 0; count <= DELIVERY_BACKLOG; count += 1) {
        tx.put('actors', actor('a', { status: count % 2 ? 'ERROR' : 'READY', webhook: 'http://127.0.0.1:9/' }));
      }
    });
    const all = store.by('deliveries', 'actor', 'a');
    expect(all.filter(({ status }) => status === 'WAITING')).toHaveLength(DELIVERY_BACKLOG);
    expect(all.at(-1)).toMatchObject({
      status: 'DROPPED',
      error: expect.stringContaining('waiting for this receiver'),
    });
  });
});

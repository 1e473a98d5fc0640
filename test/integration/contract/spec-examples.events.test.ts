// Sections 4.7 and 6 of the interface specification: every field of the event messages, to a webhook and along a link.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emittingStore } from '../../../daemon/domain/events/emitting-store.ts';
import { type Receiver, startReceiver } from '../../support/crash/receiver.ts';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';
import { actorRecord, executionRecord } from '../../support/service/records.ts';

let service: ActorService;
let receiver: Receiver;
/** The linked actor. */
let linked: string;
beforeAll(async () => {
  service = await startActorService();
  receiver = await startReceiver();
  linked = await service.actor('ana');
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

describe('6 events', () => {
  /** An actor with a link and a webhook, changed through the store that emits events. */
  const happen = async (change: 'READY' | 'ERROR' | 'COMPLETE') => {
    const { ids, clock } = service.dependencies;
    const store = emittingStore(service.store, { ids, clock });
    const id = ids.id();
    const executionId = ids.id();
    const owned = { owner: 'ana', permissions: { ana: 'UPDATE' } } as const;
    const actor = actorRecord(id, {
      ...owned,
      status: change === 'COMPLETE' ? 'READY' : 'SUBMITTED',
      link: linked,
      linkSetBy: 'ana',
      webhook: receiver.url,
      statusMessage: change === 'ERROR' ? 'no such image' : '',
    });
    await service.store.transact((tx) => tx.put('actors', actor));
    await store.transact((tx) => {
      if (change !== 'COMPLETE') return tx.put('actors', { ...actor, status: change });
      tx.put('executions', executionRecord(executionId, { actorId: id, status: 'COMPLETE', exitCode: 3 }));
    });
    const received = () => receiver.received.find(({ body }) => body.includes(id));
    while (received() === undefined) await new Promise((resolve) => setImmediate(resolve));
    const [event] = service.store.by('events', 'actor', id);
    const message = service.store.get('messages', event?.link?.executionId ?? '');
    const about = {
      actor_id: id,
      tenant_id: 'DEV',
      actor_dbid: `DEV_${id}`,
      event_time_utc: expect.any(Number),
      event_time_display: expect.any(String),
      _svc_link: linked,
      _svc_username: 'Actor Service Event',
    };
    return { request: received(), message, about, executionId };
  };

  it.each([
    ['ACTOR_READY', 'READY', () => ({})],
    ['ACTOR_ERROR', 'ERROR', () => ({ status_message: 'no such image' })],
    [
      'EXECUTION_COMPLETE',
      'COMPLETE',
      (executionId: string) => ({ execution_id: executionId, exit_code: 3, status: 'COMPLETE' }),
    ],
  ] as const)(
    '%s: one POST with the event message as JSON, and the same message to the linked actor',
    async (type, change, own) => {
      const { request, message, about, executionId } = await happen(change);
      const event = { ...about, event_type: type, ...own(executionId) };
      expect([request?.method, request?.headers['content-type']]).toEqual(['POST', 'application/json']);
      expect(JSON.parse(request?.body ?? '')).toEqual(event);
      expect(JSON.parse(message?.text ?? '')).toEqual(event);
      const variables = Object.entries(JSON.parse(message?.text ?? '{}') as object).filter(
        ([name]) => !name.startsWith('_svc_'),
      );
      expect(message?.variables).toEqual(Object.fromEntries(variables.map(([name, value]) => [name, String(value)])));
    },
  );
});

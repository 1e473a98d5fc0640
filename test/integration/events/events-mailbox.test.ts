// Events that meet a full mailbox of the linked actor.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emit as emitEvent } from '../../../daemon/domain/events/emission.ts';
import type { EventView } from '../../../src/contract/actors/events.ts';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';
import { actorRecord } from '../../support/service/records.ts';

/** Smaller than two events. */
const FEW_BYTES = 300;

describe.each([
  ['number', { queueLimit: 1 }],
  ['bytes', { mailboxLimit: FEW_BYTES }],
])('R138 with a mailbox that is full by its %s', (_, limits) => {
  let service: ActorService;
  let receiver: string;
  let sender: string;
  beforeEach(async () => {
    service = await startActorService(limits);
    receiver = await service.actor('bob');
    await service.ask('bob', 'POST', `/actors/v2/${receiver}/permissions`, { json: { user: 'ana', level: 'EXECUTE' } });
    sender = await service.actor('ana', { link: receiver, webhook: 'http://127.0.0.1:9/hook' });
  });
  afterEach(() => service.close());

  const emit = async (): Promise<EventView> => {
    const { result } = await service.ask('ana', 'POST', `/actors/v2/${sender}/events`, {
      json: { event_type: 'NOTE' },
    });
    return result as unknown as EventView;
  };
  const waiting = () => service.store.by('messages', 'actor', receiver).length;

  it('a manually emitted event is stored with the reason, and is sent to the webhook', async () => {
    expect(await emit()).toMatchObject({ deliveries: { link: expect.any(String) } });
    const event = await emit();
    expect(event).toMatchObject({
      _svc_link: '',
      linkProblem: `the mailbox of actor "${receiver}" is full`,
      deliveries: { link: null, webhook: expect.any(String) },
    });
    expect((await service.ask('ana', 'GET', `/actors/v2/events/${event.id}`)).result).toEqual(event);
    expect(waiting()).toBe(1);
  });

  it('an event cannot be sent along the link again until there is room', async () => {
    const event = await emit();
    const again = () => service.ask('ana', 'POST', `/actors/v2/events/${event.id}/redeliver`, { json: { to: 'link' } });
    expect(await again()).toMatchObject({
      status: 429,
      headers: { 'x-failure-code': 'THROTTLED', 'retry-after': '1' },
      json: { message: expect.stringContaining(`The mailbox of actor "${receiver}" is full. Nothing was sent.`) },
    });
    expect(waiting()).toBe(1);
    await service.ask('bob', 'DELETE', `/actors/v2/${receiver}/messages`);
    expect((await again()).status).toBe(200);
  });

  it('an event of the platform is not lost', async () => {
    await emit();
    const { clock, ids } = service.dependencies;
    const actor = service.store.get('actors', sender) ?? actorRecord('none');
    const happened = await service.store.transact((tx) =>
      emitEvent(tx, actor, { type: 'ACTOR_READY' }, { now: clock.now(), id: () => ids.id() }),
    );
    expect(happened.link).toMatchObject({ actorId: receiver });
    expect(waiting()).toBe(2);
  });
});

// Permissions on a live stream of events are checked for every event, so a change takes effect during the stream.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { closeTails, emitMany, idsOf, tailAs, until } from '../../support/crash/event-tail.ts';
import { type ActorService, failed, startActorService, tokenOf } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());
afterEach(() => closeTails());

const grant = (actorId: string, user: string, level: string) =>
  service.ask('ana', 'POST', `/actors/v2/${actorId}/permissions`, { json: { user, level } });

describe('permissions during a stream of events', () => {
  it('end the events of an actor when revoked, and start them when granted', async () => {
    const actorId = await service.actor('ana');
    const own = await service.actor('bob');
    const tail = await tailAs(service, 'bob');
    await until(() => expect(tail.seen).toHaveLength(1));
    await emitMany(service, actorId, 1);
    await grant(actorId, 'bob', 'READ');
    const [second] = await emitMany(service, actorId, 1);
    await grant(actorId, 'bob', 'NONE');
    await emitMany(service, actorId, 1);
    const [last] = await emitMany(service, own, 1);
    await until(() => expect(idsOf(tail)).toContain(last));
    expect(idsOf(tail)).toEqual([second, last]);
  });

  it('exclude other tenants even for their admins, and an admin gets unshared events only by naming the actor', async () => {
    const actorId = await service.actor('ana');
    await grant(actorId, 'ABACO_WORLD', 'READ');
    const hidden = await service.actor('bob');
    const other = await service.actor('otherAdmin');
    const [foreign, namesake, admin, named] = [
      await tailAs(service, 'otherAdmin'),
      await tailAs(service, 'otherAna'),
      await tailAs(service, 'admin'),
      await tailAs(service, 'admin', `actorId=${hidden}`),
    ];
    await until(() => expect([foreign, namesake, admin, named].map(({ seen }) => seen.length)).toEqual([1, 1, 1, 1]));
    const [shared] = await emitMany(service, actorId, 1);
    const [ofHidden] = await emitMany(service, hidden, 1);
    const [theirs] = await emitMany(service, other, 1);
    await until(() => expect([idsOf(foreign), idsOf(admin), idsOf(named)]).toEqual([[theirs], [shared], [ofHidden]]));
    expect(idsOf(namesake)).toEqual([]);
  });

  it('end with the token that opened the stream', async () => {
    const actorId = await service.actor('priv');
    const tail = await tailAs(service, 'priv');
    await until(() => expect(tail.seen).toHaveLength(1));
    const hash = service.dependencies.vault.digest(tokenOf('priv'));
    const token = service.store.get('tokens', hash);
    await service.store.transact((tx) => tx.delete('tokens', hash));
    await emitMany(service, actorId, 1);
    await tail.over;
    expect(tail.events()).toEqual([]);
    await service.store.transact((tx) => token && tx.put('tokens', token));
  });

  it('limit the events of a deleted actor to its former owner', async () => {
    const actorId = await service.actor('ana');
    await grant(actorId, 'bob', 'READ');
    const [event] = await emitMany(service, actorId, 1);
    await service.ask('ana', 'DELETE', `/actors/v2/${actorId}`);
    const tail = await tailAs(service, 'ana', `actorId=${actorId}&after=0`);
    await until(() => expect(idsOf(tail)).toEqual([event]));
    expect(await service.ask('bob', 'GET', `/actors/v2/events/${event}`)).toMatchObject(failed('NOT_FOUND'));
    expect(await service.ask('bob', 'GET', `/actors/v2/events?actorId=${actorId}`)).toMatchObject(failed('NOT_FOUND'));
    expect(await service.ask('ana', 'GET', `/actors/v2/events/${event}`)).toMatchObject({ status: 200 });
  });
});

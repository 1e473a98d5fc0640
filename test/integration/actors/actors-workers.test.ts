// Workers over HTTP: how many are wanted after some were let go.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkerRecord } from '../../../daemon/domain/records/actor-records.ts';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

describe('workers that are let go while they are busy', () => {
  const workers = async (...statuses: readonly WorkerRecord['status'][]) => {
    const actorId = await service.actor('admin');
    const ids = statuses.map((_, at) => `${at}-${actorId}`);
    await service.ask('admin', 'POST', `/actors/v2/${actorId}/workers`, { json: { num: statuses.length } });
    await service.store.transact((tx) => {
      for (const [at, id] of ids.entries()) {
        const status = statuses[at] ?? 'BUSY';
        tx.put('workers', { id, actorId, tenant: 'DEV', status, image: 'i', revision: 1, createdAt: 1 });
      }
    });
    const remove = (at: number) => service.ask('admin', 'DELETE', `/actors/v2/${actorId}/workers/${ids[at]}`);
    return { remove, wanted: () => service.store.get('actors', actorId)?.wantedWorkers };
  };

  it('are each wanted no more, also before the first of them has gone', async () => {
    const { remove, wanted } = await workers('SHUTDOWN_REQUESTED', 'BUSY', 'BUSY');
    await remove(1);
    expect(wanted()).toBe(1);
  });

  it('count once, however often that is asked', async () => {
    const { remove, wanted } = await workers('SHUTDOWN_REQUESTED', 'BUSY', 'BUSY');
    for (let times = 0; times < 3; times += 1) await remove(0);
    expect(wanted()).toBe(2);
  });
});

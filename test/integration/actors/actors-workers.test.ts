// Workers over HTTP: the wanted number after the dismissal of workers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkerRecord } from '../../../daemon/domain/records/actor-records.ts';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

describe('dismissed workers that are busy', () => {
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

  it('each lower the wanted number of workers at once, before they have ended', async () => {
    const { remove, wanted } = await workers('SHUTDOWN_REQUESTED', 'BUSY', 'BUSY');
    await remove(1);
    expect(wanted()).toBe(1);
  });

  it('lower the wanted number of workers once each, even after repeated requests', async () => {
    const { remove, wanted } = await workers('SHUTDOWN_REQUESTED', 'BUSY', 'BUSY');
    for (let times = 0; times < 3; times += 1) await remove(0);
    expect(wanted()).toBe(2);
  });
});

it('names the execution of a busy worker in every list of workers', async () => {
  const actorId = await service.actor('admin');
  const id = await service.message('admin', actorId);
  await service.scheduler.start(id, service.dependencies.clock.now());
  await service.store.transact((tx) => {
    const execution = tx.get('executions', id);
    if (execution === undefined) throw new Error('the execution is missing');
    tx.put('executions', { ...execution, workerId: 'busy' });
    tx.put('workers', { id: 'busy', actorId, tenant: 'DEV', status: 'BUSY', image: 'i', revision: 1, createdAt: 1 });
  });
  const mine = expect.objectContaining({ id: 'busy', executionId: id });
  for (const [path, key] of [
    [`/actors/v2/${actorId}/workers`, undefined],
    [`/actors/v2/${actorId}/workers?status=BUSY`, 'search'],
    ['/actors/v2/search/workers?status=BUSY', 'search'],
    [`/actors/v2/search/workers?executionId=${id}`, 'search'],
    ['/actors/v2/admin/workers', 'workers'],
  ] as const) {
    const { result } = await service.ask('admin', 'GET', path);
    expect(Object.values(Object(key === undefined ? result : result[key])), path).toContainEqual(mine);
  }
});

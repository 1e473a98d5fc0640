// Statistics of a tenant over HTTP: permissions to see them, what they count, and that a deletion does not lower them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, failed, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
let first: string;
let second: string;

const finish = (executionId: string, seconds: number) =>
  service.store.transact((tx) => {
    const record = tx.get('executions', executionId);
    if (record === undefined) throw new Error('no such execution');
    tx.delete('messages', executionId);
    tx.put('executions', {
      ...record,
      status: 'COMPLETE',
      startedAt: record.receivedAt,
      finishedAt: record.receivedAt + seconds * 1_000 + 500,
      cpuNs: 7,
      ioBytes: 11,
    });
  });

const ask = async (as: 'admin' | 'ana' | 'bob', path: string) => (await service.ask(as, 'GET', path)).result;

beforeAll(async () => {
  service = await startActorService();
  first = await service.actor('ana', { name: 'first' });
  second = await service.actor('bob', { name: 'second' });
  await service.actor('otherAna');
  await finish(await service.message('ana', first), 2);
  await finish(await service.message('ana', first), 3);
  await service.message('bob', second);
  await service.store.transact((tx) => {
    for (const [id, status] of [
      ['W1', 'BUSY'],
      ['W2', 'PULLING IMAGE'],
    ] as const) {
      tx.put('workers', { id, actorId: first, tenant: 'DEV', status, image: 'alpine', revision: 1, createdAt: 0 });
    }
  });
});
afterAll(() => service.close());

describe('statistics of the tenant', () => {
  it('utilization is available to every user and counts one tenant', async () => {
    const counts = { currentActors: 2, totalActors: 2, workers: 2, commandQueue: 1 };
    expect(await ask('ana', '/actors/v2/utilization')).toEqual(counts);
    expect((await service.ask('otherAna', 'GET', '/actors/v2/utilization')).result).toMatchObject({
      currentActors: 1,
      workers: 0,
    });
  });

  it('the admin views are refused to users without the role admin', async () => {
    for (const view of ['', '/workers', '/executions', '/images']) {
      const path = `/actors/v2/admin${view}`;
      expect(await service.ask('ana', 'GET', path)).toMatchObject({ status: 403, ...failed('FORBIDDEN') });
      expect(await service.ask('priv', 'GET', path)).toMatchObject({ status: 403 });
      expect(await service.ask(undefined, 'GET', path)).toMatchObject({ status: 401 });
    }
  });

  it('admin.actors lists all actors of the tenant with their activity, including null fields', async () => {
    const { json } = await service.ask('admin', 'GET', '/actors/v2/admin');
    const { result } = json as { result: readonly Readonly<Record<string, unknown>>[] };
    expect(result).toMatchObject([
      {
        id: first,
        dbId: `DEV_${first}`,
        tenant: 'DEV',
        owner: 'ana',
        name: 'first',
        memLimit: null,
        messages: 0,
        executions: 2,
        runtime: 6,
        runtimeMs: 6_000,
        workers: [{ id: 'W1' }, { id: 'W2' }],
      },
      { id: second, owner: 'bob', messages: 1, executions: 1, runtime: 0, workers: [] },
    ]);
    expect(result[0]).not.toHaveProperty('permissions');
    expect((await service.ask('otherAdmin', 'GET', '/actors/v2/admin')).json).toMatchObject({
      result: [{ owner: 'ana' }],
    });
  });

  it('admin.workers counts the workers by status', async () => {
    expect(await ask('admin', '/actors/v2/admin/workers')).toMatchObject({
      summary: {
        totalWorkers: 2,
        readyWorkers: 0,
        busyWorkers: 1,
        requestedWorkers: 1,
        errorWorkers: 0,
        actorsNoWorkers: 1,
      },
      workers: [
        { id: 'W1', actorId: first, actorDbid: `DEV_${first}` },
        { id: 'W2', actorId: first },
      ],
    });
  });

  it('totals survive the deletion of an actor', async () => {
    const sums = {
      totalActorsAll: 2,
      totalActorsAllWithExecutions: 2,
      totalExecutionsAll: 3,
      totalExecutionRuntimeAll: 6,
      totalExecutionRuntimeMsAll: 6_000,
      totalExecutionCpuAll: 14,
      totalExecutionIoAll: 22,
    };
    expect(await ask('admin', '/actors/v2/admin/executions')).toMatchObject({
      summary: { ...sums, totalActorsExisting: 2, totalExecutionsExisting: 3, totalExecutionCpuExisting: 14 },
      actors: [
        { actorId: first, owner: 'ana', totalExecutions: 2, totalExecutionRuntime: 6, totalExecutionCpu: 14 },
        { actorId: second, totalExecutions: 1, totalExecutionIo: 0 },
      ],
    });
    expect(await service.ask('ana', 'DELETE', `/actors/v2/${first}`)).toMatchObject({ status: 200 });
    expect(await ask('admin', '/actors/v2/admin/executions')).toMatchObject({
      summary: {
        ...sums,
        totalActorsExisting: 1,
        totalActorsExistingWithExecutions: 1,
        totalExecutionsExisting: 1,
        totalExecutionRuntimeExisting: 0,
        totalExecutionCpuExisting: 0,
      },
      actors: [{ actorId: second }],
    });
    expect(await ask('ana', '/actors/v2/utilization')).toMatchObject({ currentActors: 1, totalActors: 2, workers: 0 });
  });

  it('utilization counts the runs on each node of a cluster, for the tenant of the caller', async () => {
    const nodes = [
      { name: 'node1', available: true, detail: 'ready' },
      { name: 'node2', available: false, detail: 'drained' },
    ];
    service.scheduler.cluster.push(...nodes);
    const id = await service.message('ana', await service.actor('ana'));
    await service.scheduler.start(id, 1_000);
    await service.store.transact((tx) => {
      const record = tx.get('executions', id);
      if (record !== undefined) tx.put('executions', { ...record, node: 'node2' });
    });
    const [one, two] = nodes;
    expect((await ask('bob', '/actors/v2/utilization'))['nodes']).toEqual([
      { ...one, executions: 0 },
      { ...two, executions: 1 },
    ]);
    expect((await service.ask('otherAna', 'GET', '/actors/v2/utilization')).result['nodes']).toMatchObject([
      { executions: 0 },
      { executions: 0 },
    ]);
    service.scheduler.cluster.length = 0;
    await service.scheduler.end(id, { finishedAt: 2_000 });
  });
});

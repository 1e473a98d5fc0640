// The run times of executions over HTTP: of running ones until now, and their sums.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

describe('the run times of executions', () => {
  it('show the age of a running execution, which grows', async () => {
    const id = await service.actor('ana');
    const execution = await service.message('ana', id);
    await service.scheduler.start(execution, Date.now());
    const path = `/actors/v2/${id}/executions`;
    type Aged = Readonly<Record<'runtime' | 'runtimeMs' | 'totalRuntime', number>>;
    const read = async (from: string) => (await service.ask('ana', 'GET', from)).result as Aged;
    const before = await read(`${path}/${execution}`);
    expect(before).toMatchObject({ status: 'RUNNING', startTime: expect.any(String), runtimeMs: expect.any(Number) });
    service.advance(90_000);
    const after = await read(`${path}/${execution}`);
    expect(after.runtimeMs - before.runtimeMs).toBeGreaterThanOrEqual(90_000);
    expect(after.runtime).toBe(Math.floor(after.runtimeMs / 1_000));
    expect((await read(path)).totalRuntime).toBeGreaterThanOrEqual(after.runtime);
    const found = await service.ask('ana', 'GET', `/actors/v2/search/executions?actorId=${id}&runtime.gte=90`);
    expect(found.result).toMatchObject({ search: [{ id: execution, status: 'RUNNING' }] });
  });

  it('sum up short runs before the sum is rounded', async () => {
    const id = await service.actor('ana');
    for (const _ of [1, 2, 3]) {
      const execution = await service.message('ana', id);
      await service.scheduler.start(execution, 1_000);
      await service.scheduler.end(execution, { finishedAt: 1_700 });
    }
    expect((await service.ask('ana', 'GET', `/actors/v2/${id}/executions`)).result).toMatchObject({ totalRuntime: 2 });
  });
});

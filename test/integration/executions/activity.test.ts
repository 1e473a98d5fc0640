// What runs, waits and failed, as each caller may see it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
});
afterAll(() => service.close());

const activityOf = async (as: 'ana' | 'bob' | 'otherAna') =>
  (await service.ask(as, 'GET', '/actors/v2/utilization/activity')).result;

it('the activity covers the actors that the caller may read, and no others', async () => {
  const actorId = await service.actor('ana', { name: 'report' });
  const failed = await service.message('ana', actorId);
  const running = await service.message('ana', actorId);
  await service.message('ana', actorId);
  const now = service.dependencies.clock.now();
  await service.scheduler.start(failed, now);
  await service.scheduler.end(failed, { finishedAt: now + 1, exitCode: 2 });
  await service.scheduler.start(running, now);
  const seen = await activityOf('ana');
  expect(seen).toMatchObject({
    actors: [{ status: 'SUBMITTED', count: 1 }],
    executions: 3,
    waiting: 1,
    runningCount: 1,
    running: [{ id: running, actorId, actorName: 'report', status: 'RUNNING' }],
    failures: [{ id: failed, actorName: 'report', status: 'COMPLETE', exitCode: 2 }],
    busy: [{ id: actorId, waiting: 1, running: 1, ended: 1, failed: 1 }],
    writable: true,
    disk: null,
  });
  for (const other of ['bob', 'otherAna'] as const) {
    expect(await activityOf(other)).toMatchObject({
      actors: [],
      executions: 0,
      waiting: 0,
      runningCount: 0,
      running: [],
      failures: [],
      busy: [],
    });
  }
});

it('the activity includes executions of the last hour even if thousands have waited longer', async () => {
  const actorId = await service.actor('ana', { name: 'backlog' });
  const [failed = '', ...others] = await Promise.all([1, 2].map(() => service.message('ana', actorId)));
  const now = service.dependencies.clock.now();
  // Like a mailbox that was filled two hours ago.
  const { store } = service.dependencies;
  await store.transact((tx) => {
    const like = tx.get('executions', others[0] ?? '');
    if (like === undefined) throw new Error('the execution is missing');
    for (let number = 0; number < 2_500; number += 1) {
      const sequence = tx.nextSequence();
      tx.put('executions', { ...like, id: `waiting${number}`, sequence, receivedAt: now - 7_200_000 });
    }
  });
  await service.scheduler.start(failed, now);
  await service.scheduler.end(failed, { finishedAt: now + 1, exitCode: 3 });
  const seen = await activityOf('ana');
  expect(seen['failures']).toContainEqual(expect.objectContaining({ id: failed, exitCode: 3 }));
});

it('the last failures are in the order of their ends, without executions that a user halted', async () => {
  const actorId = await service.actor('ana');
  const now = service.dependencies.clock.now();
  const ids: string[] = [];
  for (const [ended, more] of [
    [30, { exitCode: 1 }],
    [20, { exitCode: 2 }],
    [10, { exitCode: 143, reason: 'halted' }],
  ] as const) {
    const id = await service.message('ana', actorId);
    await service.scheduler.start(id, now);
    await service.scheduler.end(id, { finishedAt: now + ended, ...more });
    ids.push(id);
  }
  const seen = (await activityOf('ana'))['failures'] as { readonly id: string }[];
  expect(seen.map(({ id }) => id).filter((id) => ids.includes(id))).toEqual([ids[0], ids[1]]);
});

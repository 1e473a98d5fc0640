// A run that waits for the claim of an earlier message after its creation: it starts with what holds at its own claim.
import { describe, expect, it } from 'vitest';
import type { WorkerSlot } from '../../../daemon/scheduler/actor-workers.ts';
import { claimExecution } from '../../../daemon/scheduler/transactions.ts';
import { actorOf, build, closeHouses, house } from '../../support/engine/scheduler-fixture.ts';
import { tokenRecord } from '../../support/service/records.ts';

closeHouses();

/** An actor whose run of `b` is created and waits, while the creation of the run of `a` is not answered. */
const waitingRun = async (fields: Parameters<typeof house.actor>[0] = {}) => {
  const created: string[] = [];
  let answer: () => void = () => undefined;
  const answered = new Promise<undefined>((resolve) => {
    answer = () => resolve(undefined);
  });
  house.world.faults.create = ({ environment: { MSG = '' } }) => {
    created.push(MSG);
    return MSG === 'a' ? answered : undefined;
  };
  const actor = await house.actor({ maxWorkers: 2, ...fields });
  const [a, b] = [await house.send(actor, 'a'), await house.send(actor, 'b')];
  await house.until(() => [...house.world.runs.values()].some(({ spec }) => spec.environment['MSG'] === 'b'));
  return { actor, a, b, created, answer };
};

describe('a run that was created before its turn', () => {
  it('is created again if the description of the actor has changed', async () => {
    await build();
    const seen: (string | undefined)[] = [];
    house.world.faults.start = ({ environment: { COLOUR } }) => {
      seen.push(COLOUR);
      return undefined;
    };
    const { actor, a, b, answer } = await waitingRun();
    await house.update(actor, { version: (actorOf(actor)?.version ?? 1) + 1, environment: { COLOUR: 'blue' } });
    answer();
    await Promise.all([a, b].map(house.final));
    expect(seen).toEqual(['blue', 'blue']);
  });

  it('R154 is created again if the actor has another owner, whose token it gets', async () => {
    await build();
    house.world.images.set('waits', async ({ terminated }) => {
      await new Promise((resolve) => terminated.addEventListener('abort', resolve));
      return 0;
    });
    const { actor, a, b, created, answer } = await waitingRun({ image: 'waits', token: true });
    await house.update(actor, { owner: 'heir' });
    answer();
    await house.until(() => house.world.starts.length === 2);
    expect(created.toSorted()).toEqual(['a', 'a', 'b', 'b']);
    expect(house.store.by('tokens', 'execution', b)).toMatchObject([{ username: 'heir' }]);
    for (const id of [a, b]) await house.scheduler.halt(id);
    await Promise.all([a, b].map(house.final));
  });

  it('R154 is not claimed with a token of the owner of before', async () => {
    await build();
    const { a, b, actor, answer } = await waitingRun();
    const { owner, revision } = actorOf(actor) ?? expect.fail('no actor');
    const verdicts: string[] = [];
    const tries = house.store.transact((tx) => {
      for (const username of ['former', owner]) {
        const token = tokenRecord('t', { username, executionId: b });
        const slot = { workerId: 'w', revision } as WorkerSlot;
        verdicts.push(claimExecution(tx, { executionId: b, slot, runRef: 'r', token, now: 1 }));
      }
      throw new Error('nothing is kept');
    });
    await expect(tries).rejects.toThrow('nothing is kept');
    expect(verdicts).toEqual(['stale', 'claimed']);
    answer();
    await Promise.all([a, b].map(house.final));
  });

  it('gets a token whose lifetime begins at the claim', async () => {
    let now = 1_000_000;
    await build({}, { now: () => now });
    house.world.images.set('waits', async ({ terminated }) => {
      await new Promise((resolve) => terminated.addEventListener('abort', resolve));
      return 0;
    });
    const { a, b, answer } = await waitingRun({ image: 'waits', token: true, maxRunTime: 60 });
    now += 5_000;
    answer();
    await house.until(() => house.world.starts.length === 2);
    expect(house.store.by('tokens', 'execution', b)).toMatchObject([{ issuedAt: 1_005_000, expiresAt: 1_065_050 }]);
    for (const id of [a, b]) await house.scheduler.halt(id);
    await Promise.all([a, b].map(house.final));
  });

  it('is removed when its message is purged', async () => {
    await build();
    const { actor, a, b, answer } = await waitingRun();
    await house.purge(actor);
    answer();
    await Promise.all([a, b].map(house.final));
    await house.until(() => house.world.runs.size === 0);
    expect(house.world.starts).toEqual([]);
  });
});

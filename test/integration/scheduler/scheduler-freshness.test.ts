// A run that waits for the claim of an earlier message after its creation: it starts with what holds at its own claim.
import { describe, expect, it } from 'vitest';
import type { WorkerSlot } from '../../../daemon/scheduler/actor-workers.ts';
import { claimExecution } from '../../../daemon/scheduler/transactions.ts';
import { actorOf, build, closeHarnesses, harness } from '../../support/engine/scheduler-fixture.ts';
import { tokenRecord } from '../../support/service/records.ts';

closeHarnesses();

/** An actor whose run of `b` is created and waits, while the creation of the run of `a` is pending. */
const waitingRun = async (fields: Parameters<typeof harness.actor>[0] = {}) => {
  const created: string[] = [];
  let answer: () => void = () => undefined;
  const answered = new Promise<undefined>((resolve) => {
    answer = () => resolve(undefined);
  });
  harness.world.faults.create = ({ environment: { MSG = '' } }) => {
    created.push(MSG);
    return MSG === 'a' ? answered : undefined;
  };
  const actor = await harness.actor({ maxWorkers: 2, ...fields });
  const [a, b] = [await harness.send(actor, 'a'), await harness.send(actor, 'b')];
  await harness.until(() => [...harness.world.runs.values()].some(({ spec }) => spec.environment['MSG'] === 'b'));
  return { actor, a, b, created, answer };
};

describe('a run that was created before its turn', () => {
  it('is created again if the description of the actor has changed', async () => {
    await build();
    const seen: (string | undefined)[] = [];
    harness.world.faults.start = ({ environment: { COLOUR } }) => {
      seen.push(COLOUR);
      return undefined;
    };
    const { actor, a, b, answer } = await waitingRun();
    await harness.update(actor, { version: (actorOf(actor)?.version ?? 1) + 1, environment: { COLOUR: 'blue' } });
    answer();
    await Promise.all([a, b].map(harness.final));
    expect(seen).toEqual(['blue', 'blue']);
  });

  it('R154 is created again if the actor has another owner, whose token it gets', async () => {
    await build();
    harness.world.images.set('waits', async ({ terminated }) => {
      await new Promise((resolve) => terminated.addEventListener('abort', resolve));
      return 0;
    });
    const { actor, a, b, created, answer } = await waitingRun({ image: 'waits', token: true });
    await harness.update(actor, { owner: 'heir' });
    answer();
    await harness.until(() => harness.world.starts.length === 2);
    expect(created.toSorted()).toEqual(['a', 'a', 'b', 'b']);
    expect(harness.store.by('tokens', 'execution', b)).toMatchObject([{ username: 'heir' }]);
    for (const id of [a, b]) await harness.scheduler.halt(id);
    await Promise.all([a, b].map(harness.final));
  });

  it('R154 is not claimed with a token of the previous owner', async () => {
    await build();
    const { a, b, actor, answer } = await waitingRun();
    const { owner, revision } = actorOf(actor) ?? expect.fail('no actor');
    const verdicts: string[] = [];
    const tries = harness.store.transact((tx) => {
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
    await Promise.all([a, b].map(harness.final));
  });

  it('gets a token whose lifetime begins at the claim', async () => {
    let now = 1_000_000;
    await build({}, { now: () => now });
    harness.world.images.set('waits', async ({ terminated }) => {
      await new Promise((resolve) => terminated.addEventListener('abort', resolve));
      return 0;
    });
    const { a, b, answer } = await waitingRun({ image: 'waits', token: true, maxRunTime: 60 });
    now += 5_000;
    answer();
    await harness.until(() => harness.world.starts.length === 2);
    expect(harness.store.by('tokens', 'execution', b)).toMatchObject([{ issuedAt: 1_005_000, expiresAt: 1_065_050 }]);
    for (const id of [a, b]) await harness.scheduler.halt(id);
    await Promise.all([a, b].map(harness.final));
  });

  it('is removed when its message is purged', async () => {
    await build();
    const { actor, a, b, answer } = await waitingRun();
    await harness.purge(actor);
    answer();
    await Promise.all([a, b].map(harness.final));
    await harness.until(() => harness.world.runs.size === 0);
    expect(harness.world.starts).toEqual([]);
  });
});

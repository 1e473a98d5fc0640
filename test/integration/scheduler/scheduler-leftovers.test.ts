// Deletions: purged messages, deleted actors, idle workers, old executions and logs, with a real store and an engine in
// memory.
import { describe, expect, it } from 'vitest';
import { build, closeHouses, gated, house, workersOf } from '../../support/engine/scheduler-fixture.ts';

closeHouses();

describe('purging and deleting', () => {
  it('wake the callers that wait for a purged execution', async () => {
    await build();
    const actor = await house.actor({ image: 'nowhere' });
    const id = await house.send(actor);
    const waiting = house.final(id);
    await house.purge(actor);
    expect((await waiting).status).toBe('CANCELLED');
  });

  it('during the start of executions leave each message with one end and no container', async () => {
    await build({ maxParallel: 3 });
    const actor = await house.actor();
    const sent: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      // The last run of each batch is being created when its message is purged, and its first one has been claimed.
      let answer: () => void = () => undefined;
      const purged = new Promise<undefined>((resolve) => {
        answer = () => resolve(undefined);
      });
      house.world.faults.create = ({ environment: { MSG } }) => (MSG === `${i}.7` ? purged : undefined);
      const batch: string[] = [];
      for (let n = 0; n < 8; n += 1) batch.push(await house.send(actor, `${i}.${n}`));
      sent.push(...batch);
      await house.until(() => house.claims.includes(batch[0] ?? ''));
      await house.purge(actor);
      answer();
    }
    const finals = await Promise.all(sent.map(house.final));
    const complete = finals.filter(({ status }) => status === 'COMPLETE').map(({ id }) => id);
    expect(house.claims).toEqual(complete);
    expect(house.world.starts.toSorted()).toEqual(complete.toSorted());
    expect(new Set(finals.map(({ status }) => status))).toEqual(new Set(['COMPLETE', 'CANCELLED']));
    await house.until(() => house.world.runs.size === 0);
  });

  it('of an actor halt its running execution and start no other', async () => {
    await build();
    const actor = await house.actor({ image: 'untilTerm', stateless: false });
    const [first, second] = [await house.send(actor, 'one'), await house.send(actor, 'two')];
    await house.until(() => house.world.starts.includes(first));
    await house.store.transact((tx) => {
      const record = tx.get('actors', actor);
      if (record !== undefined) tx.put('actors', { ...record, status: 'SHUTTING_DOWN' });
    });
    await house.scheduler.retire(actor);
    expect(house.execution(first)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
    expect(house.world.starts).toEqual([first]);
    expect(house.execution(second)?.status).toBe('SUBMITTED');
    await house.until(() => house.world.leftovers().length === 0 && workersOf(actor).length === 0);
  });
});

describe('retention', () => {
  it('removes idle workers except one after a while, with their networks', async () => {
    await build({ workerIdleMs: 20 });
    const gate = gated();
    const actor = await house.actor({ image: 'gated' });
    const sent = [await house.send(actor, 'a'), await house.send(actor, 'b')];
    await house.until(() => gate.running().length === 2);
    for (const text of ['a', 'b']) await gate.let(text);
    await Promise.all(sent.map(house.final));
    await house.until(() => workersOf(actor).length === 1 && house.world.networks.size === 1);
    expect(workersOf(actor)).toMatchObject([{ status: 'READY' }]);
  });

  it('removes the last worker after a longer time, and the next message gets a new one', async () => {
    await build({ workerIdleMs: 10, lastWorkerIdleMs: 30 });
    const actor = await house.actor();
    const first = await house.final(await house.send(actor));
    await house.until(() => workersOf(actor).length === 0 && house.world.networks.size === 0);
    const second = await house.final(await house.send(actor));
    expect(second).toMatchObject({ status: 'COMPLETE', reason: 'exited' });
    expect(second.workerId).not.toBe(first.workerId);
  });

  it('keeps the newest executions of each actor and unfinished ones, and deletes older ones with their logs', async () => {
    await build({ executionRetention: { perActor: 2, total: 100, ageMs: 1e9 } });
    const [actor, other] = [await house.actor(), await house.actor({ image: 'nowhere' })];
    const waiting = await house.send(other);
    const sent: string[] = [];
    for (let i = 0; i < 5; i += 1) sent.push((await house.final(await house.send(actor))).id);
    await house.scheduler.sweep();
    expect(house.store.by('executions', 'actor', actor).map(({ id }) => id)).toEqual(sent.slice(3));
    expect(await house.logs.read(sent[0] ?? '')).toBe('');
    expect(await house.logs.read(sent[4] ?? '')).toBe('hello hi\n');
    expect(house.execution(waiting)?.status).toBe('SUBMITTED');
    // The totals still count the deleted executions.
    const totals = [...house.store.all('totals')];
    expect(totals).toMatchObject([{ actorId: actor, executions: 3, actors: 0 }]);
  });

  it('deletes a log after the time that its actor sets, and keeps the record', async () => {
    await build();
    const [short, usual] = [await house.actor({ logEx: 0 }), await house.actor()];
    const [gone, kept] = [await house.send(short), await house.send(usual)];
    await Promise.all([gone, kept].map(house.final));
    await house.scheduler.sweep();
    expect(await house.logs.read(gone)).toBe('');
    expect(await house.logs.read(kept)).toBe('hello hi\n');
    expect(house.execution(gone)?.status).toBe('COMPLETE');
  });
});

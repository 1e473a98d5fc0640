// Deletions: purged messages, deleted actors, idle workers, old executions and logs, with a real store and an engine in
// memory.
import { describe, expect, it } from 'vitest';
import { build, closeHarnesses, gated, harness, workersOf } from '../../support/engine/scheduler-fixture.ts';

closeHarnesses();

describe('purging and deleting', () => {
  it('notify the callers that wait for a purged execution', async () => {
    await build();
    const actor = await harness.actor({ image: 'nowhere' });
    const id = await harness.send(actor);
    const waiting = harness.final(id);
    await harness.purge(actor);
    expect((await waiting).status).toBe('CANCELLED');
  });

  it('during the start of executions end each message exactly once, and leave no container', async () => {
    await build({ maxParallel: 3 });
    const actor = await harness.actor();
    const sent: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      // The last run of each batch is being created when its message is purged, and its first one has been claimed.
      let answer: () => void = () => undefined;
      const purged = new Promise<undefined>((resolve) => {
        answer = () => resolve(undefined);
      });
      harness.world.faults.create = ({ environment: { MSG } }) => (MSG === `${i}.7` ? purged : undefined);
      const batch: string[] = [];
      for (let n = 0; n < 8; n += 1) batch.push(await harness.send(actor, `${i}.${n}`));
      sent.push(...batch);
      await harness.until(() => harness.claims.includes(batch[0] ?? ''));
      await harness.purge(actor);
      answer();
    }
    const finals = await Promise.all(sent.map(harness.final));
    const complete = finals.filter(({ status }) => status === 'COMPLETE').map(({ id }) => id);
    expect(harness.claims).toEqual(complete);
    expect(harness.world.starts.toSorted()).toEqual(complete.toSorted());
    expect(new Set(finals.map(({ status }) => status))).toEqual(new Set(['COMPLETE', 'CANCELLED']));
    await harness.until(() => harness.world.runs.size === 0);
  });

  it('of an actor halt its running execution and start no other', async () => {
    await build();
    const actor = await harness.actor({ image: 'untilTerm', stateless: false });
    const [first, second] = [await harness.send(actor, 'one'), await harness.send(actor, 'two')];
    await harness.until(() => harness.world.starts.includes(first));
    await harness.store.transact((tx) => {
      const record = tx.get('actors', actor);
      if (record !== undefined) tx.put('actors', { ...record, status: 'SHUTTING_DOWN' });
    });
    await harness.scheduler.retire(actor);
    expect(harness.execution(first)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
    expect(harness.world.starts).toEqual([first]);
    expect(harness.execution(second)?.status).toBe('SUBMITTED');
    await harness.until(() => harness.world.leftovers().length === 0 && workersOf(actor).length === 0);
  });
});

describe('retention', () => {
  it('removes idle workers except one after a while, with their networks', async () => {
    await build({ workerIdleMs: 20 });
    const gate = gated();
    const actor = await harness.actor({ image: 'gated' });
    const sent = [await harness.send(actor, 'a'), await harness.send(actor, 'b')];
    await harness.until(() => gate.running().length === 2);
    for (const text of ['a', 'b']) await gate.let(text);
    await Promise.all(sent.map(harness.final));
    await harness.until(() => workersOf(actor).length === 1 && harness.world.networks.size === 1);
    expect(workersOf(actor)).toMatchObject([{ status: 'READY' }]);
  });

  it('removes the last worker after a longer time, and the next message gets a new one', async () => {
    await build({ workerIdleMs: 10, lastWorkerIdleMs: 30 });
    const actor = await harness.actor();
    const first = await harness.final(await harness.send(actor));
    await harness.until(() => workersOf(actor).length === 0 && harness.world.networks.size === 0);
    const second = await harness.final(await harness.send(actor));
    expect(second).toMatchObject({ status: 'COMPLETE', reason: 'exited' });
    expect(second.workerId).not.toBe(first.workerId);
  });

  it('keeps the newest executions of each actor and unfinished ones, and deletes older ones with their logs', async () => {
    await build({ executionRetention: { perActor: 2, total: 100, ageMs: 1e9 } });
    const [actor, other] = [await harness.actor(), await harness.actor({ image: 'nowhere' })];
    const waiting = await harness.send(other);
    const sent: string[] = [];
    for (let i = 0; i < 5; i += 1) sent.push((await harness.final(await harness.send(actor))).id);
    await harness.scheduler.sweep();
    expect(harness.store.by('executions', 'actor', actor).map(({ id }) => id)).toEqual(sent.slice(3));
    expect(await harness.logs.read(sent[0] ?? '')).toBe('');
    expect(await harness.logs.read(sent[4] ?? '')).toBe('hello hi\n');
    expect(harness.execution(waiting)?.status).toBe('SUBMITTED');
    // The totals still count the deleted executions.
    const totals = [...harness.store.all('totals')];
    expect(totals).toMatchObject([{ actorId: actor, executions: 3, actors: 0 }]);
  });

  it('deletes a log after the time that its actor sets, and keeps the record', async () => {
    await build();
    const [short, usual] = [await harness.actor({ logEx: 0 }), await harness.actor()];
    const [gone, kept] = [await harness.send(short), await harness.send(usual)];
    await Promise.all([gone, kept].map(harness.final));
    await harness.scheduler.sweep();
    expect(await harness.logs.read(gone)).toBe('');
    expect(await harness.logs.read(kept)).toBe('hello hi\n');
    expect(harness.execution(gone)?.status).toBe('COMPLETE');
  });
});

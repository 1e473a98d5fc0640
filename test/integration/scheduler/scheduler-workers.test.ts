// Requested numbers of workers and single workers, with a real store and an engine in memory.
import { describe, expect, it } from 'vitest';
import { build, closeHarnesses, gated, harness, statusOf, workersOf } from '../../support/engine/scheduler-fixture.ts';

closeHarnesses();

/** Sets the wanted number of workers like the route does. */
const scale = async (actorId: string, wantedWorkers: number, exact = true): Promise<void> => {
  await harness.store.transact((tx) => {
    const actor = tx.get('actors', actorId);
    if (actor !== undefined) tx.put('actors', { ...actor, wantedWorkers });
  });
  harness.scheduler.scaled(actorId, exact);
};

const ready = async (fields = {}): Promise<string> => {
  const actor = await harness.actor(fields);
  await harness.until(() => statusOf(actor) === 'READY');
  return actor;
};

const statuses = (actorId: string) => workersOf(actorId).map(({ status }) => status);

describe('wanted workers', () => {
  it('are ready without any message, each with a record, and may run more executions than the limit of the instance', async () => {
    await build({ maxParallel: 1 });
    const gate = gated();
    const actor = await ready({ image: 'gated' });
    await scale(actor, 3);
    await harness.until(() => workersOf(actor).length === 3);
    expect(statuses(actor)).toEqual(['READY', 'READY', 'READY']);
    const sent = await Promise.all(['a', 'b', 'c'].map((text) => harness.send(actor, text)));
    await harness.until(() => gate.running().length === 3);
    expect(new Set(sent.map((id) => harness.execution(id)?.workerId)).size).toBe(3);
    for (const text of ['a', 'b', 'c']) await gate.let(text);
    await Promise.all(sent.map((id) => harness.final(id)));
  });

  it('are not removed while they are idle', async () => {
    await build({ workerIdleMs: 1, lastWorkerIdleMs: 2 });
    const actor = await ready();
    await scale(actor, 2);
    await harness.until(() => workersOf(actor).length === 2);
    const before = workersOf(actor).map(({ id }) => id);
    // Long enough for idle workers to be removed: the worker of the other actor is removed in the meantime.
    const other = await ready();
    for (let round = 0; round < 5; round += 1) await harness.final(await harness.send(other));
    await harness.until(() => workersOf(other).length === 0);
    expect(workersOf(actor).map(({ id }) => id)).toEqual(before);
  });

  it('are created again after a crash, and after a new revision with its image', async () => {
    await build();
    const actor = await ready();
    await scale(actor, 2);
    await harness.until(() => workersOf(actor).length === 2);
    await harness.crash();
    await harness.until(() => statuses(actor).filter((status) => status === 'READY').length === 2);
    await harness.update(actor, { image: 'failing', revision: 2, status: 'SUBMITTED' });
    await harness.until(
      () => workersOf(actor).filter(({ image, status }) => image === 'failing' && status === 'READY').length === 2,
    );
    await harness.until(() => workersOf(actor).length === 2);
  });

  it('are removed when fewer are wanted: idle ones first, a busy one after its execution', async () => {
    await build({ maxParallel: 3 });
    const gate = gated();
    const actor = await ready({ image: 'gated' });
    await scale(actor, 3);
    await harness.until(() => workersOf(actor).length === 3);
    const execution = await harness.send(actor, 'a');
    await harness.until(() => gate.running().length === 1);
    await scale(actor, 1);
    await harness.until(() => workersOf(actor).length === 1);
    expect(statuses(actor)).toEqual(['BUSY']);
    expect(workersOf(actor)[0]?.id).toBe(harness.execution(execution)?.workerId);
    await gate.let('a');
    expect((await harness.final(execution)).exitCode).toBe(0);
  });
});

describe('a dismissed worker', () => {
  it('is removed at once if it is idle, and the next message gets another', async () => {
    await build();
    const actor = await ready();
    const [worker] = workersOf(actor);
    harness.scheduler.dismissWorker(actor, worker?.id ?? '');
    await harness.until(() => workersOf(actor).length === 0);
    const final = await harness.final(await harness.send(actor));
    expect(final).toMatchObject({ status: 'COMPLETE' });
    expect(final.workerId).not.toBe(worker?.id);
  });

  it('finishes its execution', async () => {
    await build();
    const gate = gated();
    const actor = await ready({ image: 'gated' });
    const execution = await harness.send(actor, 'a');
    await harness.until(() => gate.running().length === 1);
    const worker = harness.execution(execution)?.workerId ?? '';
    harness.scheduler.dismissWorker(actor, worker);
    await harness.until(() => statuses(actor).includes('SHUTDOWN_REQUESTED'));
    await gate.let('a');
    expect(await harness.final(execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0, workerId: worker });
    await harness.until(() => !workersOf(actor).some(({ id }) => id === worker));
  });
});

describe('a stateful actor', () => {
  it('never runs two executions at once, whatever number is wanted and whenever the daemon is killed', async () => {
    await build({ maxParallel: 4 });
    const gate = gated();
    const actor = await ready({ image: 'gated', stateless: false });
    // No route writes such a record. The engine must enforce the limit itself.
    await scale(actor, 3);
    const sent: string[] = [];
    for (const text of ['a', 'b', 'c']) sent.push(await harness.send(actor, text));
    for (const text of ['a', 'b', 'c']) {
      await harness.until(() => gate.running().includes(text));
      expect(gate.running()).toEqual([text]);
      await harness.crash();
      await scale(actor, 3);
      expect(harness.store.by('executions', 'running', 'yes')).toHaveLength(1);
      await gate.let(text);
    }
    for (const id of sent) expect((await harness.final(id)).status).toBe('COMPLETE');
  });
});

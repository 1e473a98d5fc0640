// Requested numbers of workers and single workers, with a real store and an engine in memory.
import { describe, expect, it } from 'vitest';
import { build, closeHouses, gated, house, statusOf, workersOf } from '../../support/engine/scheduler-fixture.ts';

closeHouses();

/** Sets the wanted number of workers like the route does. */
const scale = async (actorId: string, wantedWorkers: number, exact = true): Promise<void> => {
  await house.store.transact((tx) => {
    const actor = tx.get('actors', actorId);
    if (actor !== undefined) tx.put('actors', { ...actor, wantedWorkers });
  });
  house.scheduler.scaled(actorId, exact);
};

const ready = async (fields = {}): Promise<string> => {
  const actor = await house.actor(fields);
  await house.until(() => statusOf(actor) === 'READY');
  return actor;
};

const statuses = (actorId: string) => workersOf(actorId).map(({ status }) => status);

describe('wanted workers', () => {
  it('are ready without any message, each with a record, and may run more executions than the limit of the instance', async () => {
    await build({ maxParallel: 1 });
    const gate = gated();
    const actor = await ready({ image: 'gated' });
    await scale(actor, 3);
    await house.until(() => workersOf(actor).length === 3);
    expect(statuses(actor)).toEqual(['READY', 'READY', 'READY']);
    const sent = await Promise.all(['a', 'b', 'c'].map((text) => house.send(actor, text)));
    await house.until(() => gate.running().length === 3);
    expect(new Set(sent.map((id) => house.execution(id)?.workerId)).size).toBe(3);
    for (const text of ['a', 'b', 'c']) await gate.let(text);
    await Promise.all(sent.map((id) => house.final(id)));
  });

  it('are kept while they are idle', async () => {
    await build({ workerIdleMs: 1, lastWorkerIdleMs: 2 });
    const actor = await ready();
    await scale(actor, 2);
    await house.until(() => workersOf(actor).length === 2);
    const before = workersOf(actor).map(({ id }) => id);
    // Long enough for idle workers to be removed: the worker of the other actor is removed in the meantime.
    const other = await ready();
    for (let round = 0; round < 5; round += 1) await house.final(await house.send(other));
    await house.until(() => workersOf(other).length === 0);
    expect(workersOf(actor).map(({ id }) => id)).toEqual(before);
  });

  it('are created again after a crash, and after a new revision with its image', async () => {
    await build();
    const actor = await ready();
    await scale(actor, 2);
    await house.until(() => workersOf(actor).length === 2);
    await house.crash();
    await house.until(() => statuses(actor).filter((status) => status === 'READY').length === 2);
    await house.update(actor, { image: 'failing', revision: 2, status: 'SUBMITTED' });
    await house.until(
      () => workersOf(actor).filter(({ image, status }) => image === 'failing' && status === 'READY').length === 2,
    );
    await house.until(() => workersOf(actor).length === 2);
  });

  it('are removed when fewer are wanted: idle ones first, a busy one after its execution', async () => {
    await build({ maxParallel: 3 });
    const gate = gated();
    const actor = await ready({ image: 'gated' });
    await scale(actor, 3);
    await house.until(() => workersOf(actor).length === 3);
    const execution = await house.send(actor, 'a');
    await house.until(() => gate.running().length === 1);
    await scale(actor, 1);
    await house.until(() => workersOf(actor).length === 1);
    expect(statuses(actor)).toEqual(['BUSY']);
    expect(workersOf(actor)[0]?.id).toBe(house.execution(execution)?.workerId);
    await gate.let('a');
    expect((await house.final(execution)).exitCode).toBe(0);
  });
});

describe('a dismissed worker', () => {
  it('is removed at once if it is idle, and the next message gets another', async () => {
    await build();
    const actor = await ready();
    const [worker] = workersOf(actor);
    house.scheduler.dismissWorker(actor, worker?.id ?? '');
    await house.until(() => workersOf(actor).length === 0);
    const final = await house.final(await house.send(actor));
    expect(final).toMatchObject({ status: 'COMPLETE' });
    expect(final.workerId).not.toBe(worker?.id);
  });

  it('finishes its execution', async () => {
    await build();
    const gate = gated();
    const actor = await ready({ image: 'gated' });
    const execution = await house.send(actor, 'a');
    await house.until(() => gate.running().length === 1);
    const worker = house.execution(execution)?.workerId ?? '';
    house.scheduler.dismissWorker(actor, worker);
    await house.until(() => statuses(actor).includes('SHUTDOWN_REQUESTED'));
    await gate.let('a');
    expect(await house.final(execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0, workerId: worker });
    await house.until(() => !workersOf(actor).some(({ id }) => id === worker));
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
    for (const text of ['a', 'b', 'c']) sent.push(await house.send(actor, text));
    for (const text of ['a', 'b', 'c']) {
      await house.until(() => gate.running().includes(text));
      expect(gate.running()).toEqual([text]);
      await house.crash();
      await scale(actor, 3);
      expect(house.store.by('executions', 'running', 'yes')).toHaveLength(1);
      await gate.let(text);
    }
    for (const id of sent) expect((await house.final(id)).status).toBe('COMPLETE');
  });
});

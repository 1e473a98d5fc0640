// Executions on a cluster: they wait for room, and the limits follow its size. With a real store and an engine in memory.
import { describe, expect, it } from 'vitest';
import { ExecutorError } from '../../../daemon/ports/executor.ts';
import { actorOf, build, closeHarnesses, gated, harness, statusOf } from '../../support/engine/scheduler-fixture.ts';

closeHarnesses();

const WHY = 'no node has room for the run: insufficient resources on 2 nodes';
const full = () => new ExecutorError('full', WHY);

/** A start that waits for a node until it is halted. */
const waitingStart = () => {
  let waiting = 0;
  harness.world.faults.start = (_, halted) =>
    new Promise((resolve) => {
      waiting += 1;
      halted?.addEventListener('abort', () => resolve(new ExecutorError('start', 'it was stopped')), { once: true });
    });
  return { count: () => waiting };
};

describe('a cluster without free capacity', () => {
  it('keeps messages waiting, shows the reason on actor and execution, and does not count as an actor failure', async () => {
    await build();
    harness.world.node = 'node1';
    let room = false;
    let tries = 0;
    harness.world.faults.start = () => {
      tries += 1;
      return room ? undefined : full();
    };
    const actor = await harness.actor({ stateless: false });
    const sent = [await harness.send(actor, 'one'), await harness.send(actor, 'two')];
    await harness.until(() => tries > 12);
    expect(actorOf(actor)).toMatchObject({ status: 'READY', startFailures: 0, statusMessage: WHY });
    expect(harness.execution(sent[0] ?? '')?.statusMessage).toBe(WHY);
    room = true;
    const finals = await Promise.all(sent.map(harness.final));
    expect(finals.map(({ status, statusMessage }) => [status, statusMessage])).toEqual([
      ['COMPLETE', undefined],
      ['COMPLETE', undefined],
    ]);
    expect(harness.world.starts).toEqual(sent);
    await harness.until(() => actorOf(actor)?.statusMessage === '');
  });

  it('is probed by one message at a time', async () => {
    await build({ maxParallel: 3 });
    let waiting = 0;
    let most = 0;
    let tries = 0;
    harness.world.faults.start = async () => {
      tries += 1;
      // The first three overlap, because nothing is known yet. After a success, starts overlap again.
      const counts = tries > 3 && tries < 10;
      const isFull = tries < 10;
      if (counts) waiting += 1;
      most = Math.max(most, waiting);
      await new Promise((resolve) => setTimeout(resolve, 2));
      if (counts) waiting -= 1;
      return isFull ? full() : undefined;
    };
    const actor = await harness.actor();
    const sent = [
      await harness.send(actor, 'one'),
      await harness.send(actor, 'two'),
      await harness.send(actor, 'three'),
    ];
    await Promise.all(sent.map(harness.final));
    expect(harness.world.starts.toSorted()).toEqual(sent.toSorted());
    expect(most).toBe(1);
  });

  it('keeps an execution waiting that was claimed before a crash', async () => {
    await build();
    const starts = waitingStart();
    const actor = await harness.actor();
    const execution = await harness.send(actor);
    await harness.until(() => starts.count() === 1);
    harness.world.faults.start = full;
    await harness.crash();
    let tries = 0;
    harness.world.faults.start = () => {
      tries += 1;
      return tries < 9 ? full() : undefined;
    };
    expect((await harness.final(execution)).status).toBe('COMPLETE');
    expect(harness.world.starts).toEqual([execution]);
  });
});

describe('an execution that waits for a node', () => {
  it('is halted at once, without having run', async () => {
    await build();
    const starts = waitingStart();
    const actor = await harness.actor();
    const execution = await harness.send(actor);
    await harness.until(() => starts.count() === 1);
    await harness.scheduler.halt(execution);
    expect(await harness.final(execution)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
    expect(harness.world.starts).toEqual([]);
    expect(actorOf(actor)).toMatchObject({ status: 'READY', startFailures: 0 });
    await harness.until(() => harness.world.runs.size === 0);
  });

  it('is halted at once after a restart of the daemon', async () => {
    await build();
    const starts = waitingStart();
    const actor = await harness.actor();
    const execution = await harness.send(actor);
    await harness.until(() => starts.count() === 1);
    await harness.crash();
    await harness.until(() => starts.count() === 2);
    await harness.scheduler.halt(execution);
    expect(await harness.final(execution)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
    expect(harness.world.starts).toEqual([]);
  });

  it('does not delay the stop of the daemon, and is resumed by the next daemon', async () => {
    await build();
    const starts = waitingStart();
    const actor = await harness.actor();
    const execution = await harness.send(actor);
    await harness.until(() => starts.count() === 1);
    expect(await harness.scheduler.stop({ deadlineMs: 0, haltExecutions: false })).toMatchObject({ left: 1 });
    harness.world.faults.start = () => undefined;
    await harness.restart();
    expect((await harness.final(execution)).status).toBe('COMPLETE');
    expect(harness.world.starts).toEqual([execution]);
  });
});

describe('the limits on parallel executions, if they are not configured', () => {
  it('follow the number of processors of the cluster while it grows', async () => {
    let processors = 1;
    await build({ processors: () => processors });
    const gate = gated();
    const actor = await harness.actor({ image: 'gated' });
    await harness.until(() => statusOf(actor) === 'READY');
    const names = ['a', 'b', 'c', 'd', 'e'];
    const sent: string[] = [];
    for (const name of names) sent.push(await harness.send(actor, name));
    await harness.until(() => gate.running().length === 1);
    processors = 3;
    await gate.let('a');
    await harness.until(() => gate.running().length === 3);
    expect(harness.world.peak.get(actor)).toBe(3);
    for (const name of names.slice(1)) await gate.let(name);
    await Promise.all(sent.map(harness.final));
    expect(harness.world.peak.get(actor)).toBe(3);
  });
});

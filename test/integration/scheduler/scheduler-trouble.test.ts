// A full disk, an unavailable engine and a removed run, with a real store.
import { describe, expect, it } from 'vitest';
import { actorOf, build, closeHarnesses, gated, harness, statusOf } from '../../support/engine/scheduler-fixture.ts';

closeHarnesses();

describe('external failures', () => {
  it('an unavailable engine delays a message until it is back', async () => {
    await build();
    const actor = await harness.actor();
    await harness.final(await harness.send(actor));
    harness.world.setAvailable(false);
    const id = await harness.send(actor);
    await harness.until(() => (actorOf(actor)?.statusMessage ?? '') !== '');
    expect(harness.execution(id)?.status).toBe('SUBMITTED');
    harness.world.setAvailable(true);
    expect((await harness.final(id)).status).toBe('COMPLETE');
    await harness.until(() => actorOf(actor)?.statusMessage === '');
  });

  it('an unavailable cluster has no nodes until it is back', async () => {
    await build();
    const nodes = () => harness.daemon.scheduler.nodes();
    expect(await nodes()).toEqual([]);
    harness.world.node = 'node1';
    expect(await nodes()).toEqual([{ name: 'node1', available: true, detail: 'ready' }]);
    harness.world.setAvailable(false);
    expect(await nodes()).toEqual([]);
    harness.world.setAvailable(true);
    expect(await nodes()).toHaveLength(1);
  });

  it('a full disk at the end of a run keeps the run in the engine until its end is recorded', async () => {
    await build();
    const gate = gated();
    const actor = await harness.actor({ image: 'gated' });
    const id = await harness.send(actor, 'one');
    await harness.until(() => gate.running().includes('one'));
    let refused = 0;
    harness.refuse = () => {
      refused += 1;
      return true;
    };
    await gate.let('one');
    await harness.until(() => refused >= 3);
    expect(harness.execution(id)?.status).toBe('RUNNING');
    expect(harness.world.runs.size).toBe(1);
    harness.refuse = undefined;
    expect((await harness.final(id)).status).toBe('COMPLETE');
    await harness.until(() => harness.world.runs.size === 0);
  });

  it('a full disk at the start of an execution leaves the message waiting, and nothing starts', async () => {
    await build();
    const actor = await harness.actor();
    await harness.until(() => statusOf(actor) === 'READY');
    let refused = 0;
    harness.refuse = () => {
      refused += 1;
      return true;
    };
    const id = await harness.send(actor);
    await harness.until(() => refused >= 3);
    expect(harness.world.starts).toEqual([]);
    harness.refuse = undefined;
    expect((await harness.final(id)).status).toBe('COMPLETE');
    expect(harness.world.starts).toEqual([id]);
  });

  it('a run that was removed outside the daemon ends in ERROR', async () => {
    await build();
    const actor = await harness.actor({ image: 'forever' });
    const id = await harness.send(actor);
    await harness.until(() => harness.world.starts.includes(id));
    harness.daemon.knife.cut = true;
    harness.world.forget();
    await harness.restart();
    const execution = await harness.final(id);
    expect(execution.status).toBe('ERROR');
    expect(execution.statusMessage).toContain('no longer has');
  });

  it('a full disk does not prevent the time limit of a run', async () => {
    await build();
    const actor = await harness.actor({ image: 'untilTerm', maxRunTime: 0.1 });
    const id = await harness.send(actor);
    await harness.until(() => harness.world.starts.includes(id));
    harness.refuse = () => true;
    await harness.until(() => [...harness.world.runs.values()].every(({ state }) => state === 'ended'));
    harness.refuse = undefined;
    expect(await harness.final(id)).toMatchObject({ reason: 'timed_out' });
  });
});

// A full disk, an unavailable engine and a removed run, with a real store.
import { describe, expect, it } from 'vitest';
import { actorOf, build, closeHouses, gated, house, statusOf } from '../../support/engine/scheduler-fixture.ts';

closeHouses();

describe('external failures', () => {
  it('an unavailable engine delays a message until it is back', async () => {
    await build();
    const actor = await house.actor();
    await house.final(await house.send(actor));
    house.world.setAvailable(false);
    const id = await house.send(actor);
    await house.until(() => (actorOf(actor)?.statusMessage ?? '') !== '');
    expect(house.execution(id)?.status).toBe('SUBMITTED');
    house.world.setAvailable(true);
    expect((await house.final(id)).status).toBe('COMPLETE');
    await house.until(() => actorOf(actor)?.statusMessage === '');
  });

  it('an unavailable cluster has no nodes until it is back', async () => {
    await build();
    const nodes = () => house.daemon.scheduler.nodes();
    expect(await nodes()).toEqual([]);
    house.world.node = 'node1';
    expect(await nodes()).toEqual([{ name: 'node1', available: true, detail: 'ready' }]);
    house.world.setAvailable(false);
    expect(await nodes()).toEqual([]);
    house.world.setAvailable(true);
    expect(await nodes()).toHaveLength(1);
  });

  it('a full disk at the end of a run keeps the run in the engine until its end is recorded', async () => {
    await build();
    const gate = gated();
    const actor = await house.actor({ image: 'gated' });
    const id = await house.send(actor, 'one');
    await house.until(() => gate.running().includes('one'));
    let refused = 0;
    house.refuse = () => {
      refused += 1;
      return true;
    };
    await gate.let('one');
    await house.until(() => refused >= 3);
    expect(house.execution(id)?.status).toBe('RUNNING');
    expect(house.world.runs.size).toBe(1);
    house.refuse = undefined;
    expect((await house.final(id)).status).toBe('COMPLETE');
    await house.until(() => house.world.runs.size === 0);
  });

  it('a full disk at the start of an execution leaves the message waiting, and nothing starts', async () => {
    await build();
    const actor = await house.actor();
    await house.until(() => statusOf(actor) === 'READY');
    let refused = 0;
    house.refuse = () => {
      refused += 1;
      return true;
    };
    const id = await house.send(actor);
    await house.until(() => refused >= 3);
    expect(house.world.starts).toEqual([]);
    house.refuse = undefined;
    expect((await house.final(id)).status).toBe('COMPLETE');
    expect(house.world.starts).toEqual([id]);
  });

  it('a run that was removed outside the daemon ends in ERROR', async () => {
    await build();
    const actor = await house.actor({ image: 'forever' });
    const id = await house.send(actor);
    await house.until(() => house.world.starts.includes(id));
    house.daemon.knife.cut = true;
    house.world.forget();
    await house.restart();
    const execution = await house.final(id);
    expect(execution.status).toBe('ERROR');
    expect(execution.statusMessage).toContain('no longer has');
  });

  it('a full disk does not prevent the time limit of a run', async () => {
    await build();
    const actor = await house.actor({ image: 'untilTerm', maxRunTime: 0.1 });
    const id = await house.send(actor);
    await house.until(() => house.world.starts.includes(id));
    house.refuse = () => true;
    await house.until(() => [...house.world.runs.values()].every(({ state }) => state === 'ended'));
    house.refuse = undefined;
    expect(await house.final(id)).toMatchObject({ reason: 'timed_out' });
  });
});

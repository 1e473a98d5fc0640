// Stopping executions and the engine, with a real store and an engine in memory.
import { describe, expect, it } from 'vitest';
import { build, closeHouses, gated, house } from '../../support/engine/scheduler-fixture.ts';

closeHouses();

describe('a stop', () => {
  it('by the time limit ends the execution COMPLETE with the reason timed_out', async () => {
    await build();
    const actor = await house.actor({ image: 'untilTerm', maxRunTime: 0.05 });
    expect(await house.final(await house.send(actor))).toMatchObject({ reason: 'timed_out', exitCode: 143 });
  });

  it('by a halt ends the execution COMPLETE with the reason halted, and kills it if it ignores the signal', async () => {
    await build();
    const actor = await house.actor({ image: 'forever' });
    const id = await house.send(actor);
    await house.until(() => house.execution(id)?.status === 'RUNNING');
    const wishes: unknown[] = [];
    const unwatch = house.store.watch('executions', (execution) => void wishes.push(execution?.stopping));
    await house.scheduler.halt(id);
    unwatch();
    // The stop request is on disk before the run gets it, so that it outlives this daemon.
    expect(wishes[0]).toBe('halted');
    expect(await house.final(id)).toMatchObject({ status: 'COMPLETE', reason: 'halted', exitCode: 137 });
  });

  it('by a halt that kills sooner than an earlier one takes effect at once, any other has none', async () => {
    await build({ stopGraceMs: 300_000 });
    const id = await house.send(await house.actor({ image: 'forever' }));
    await house.until(() => house.world.starts.includes(id));
    for (const graceMs of [600_000, 600_000, undefined, 0]) await house.scheduler.halt(id, graceMs);
    expect(await house.final(id)).toMatchObject({ status: 'COMPLETE', reason: 'halted', exitCode: 137 });
    expect(house.daemon.knife.crossed.filter((call) => call === 'stop')).toHaveLength(3);
  });

  it('by a halt during the start has the grace period of the halt', async () => {
    await build({ stopGraceMs: 300_000 });
    let open = (): void => undefined;
    const gate = new Promise<undefined>((resolve) => {
      open = () => resolve(undefined);
    });
    house.world.faults.start = () => gate;
    const id = await house.send(await house.actor({ image: 'forever' }));
    await house.until(() => house.execution(id)?.status === 'RUNNING');
    await house.scheduler.halt(id, 600_000);
    open();
    await house.until(() => house.daemon.knife.crossed.includes('stop'));
    await house.scheduler.halt(id, 0);
    await house.final(id);
    // One stop for each halt. Another one would have killed the run after five minutes.
    expect(house.daemon.knife.crossed.filter((call) => call === 'stop')).toHaveLength(2);
  });

  it('by the end of its actor or of the engine is not delayed by a halt with a long grace period', async () => {
    await build();
    const actor = await house.actor({ image: 'forever' });
    const id = await house.send(actor);
    await house.until(() => house.world.starts.includes(id));
    await house.scheduler.halt(id, 600_000);
    await house.scheduler.retire(actor);
    expect(house.execution(id)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
    const other = await house.send(await house.actor({ image: 'forever' }));
    await house.until(() => house.world.starts.includes(other));
    await house.scheduler.halt(other, 600_000);
    expect(await house.scheduler.stop({ deadlineMs: 10_000, haltExecutions: true })).toMatchObject({
      halted: 1,
      left: 0,
    });
  });

  it('of the daemon does not wait for a halt with a long grace period', async () => {
    await build();
    const id = await house.send(await house.actor({ image: 'forever' }));
    await house.until(() => house.world.starts.includes(id));
    await house.scheduler.halt(id, 600_000);
    await house.until(() => house.daemon.knife.crossed.includes('stop'));
    expect(await house.scheduler.stop({ deadlineMs: 1, haltExecutions: false })).toMatchObject({ left: 1 });
  });

  it('is refused for an execution that is not running', async () => {
    await build();
    const actor = await house.actor({ image: 'nowhere' });
    const waiting = await house.send(actor);
    await expect(house.scheduler.halt(waiting)).rejects.toMatchObject({ code: 'NOT_RUNNING' });
    await expect(house.scheduler.halt('e000000000000')).rejects.toMatchObject({ code: 'NOT_RUNNING' });
    const over = await house.send(await house.actor());
    await house.final(over);
    await expect(house.scheduler.halt(over)).rejects.toMatchObject({ code: 'NOT_RUNNING' });
  });

  it('is completed after the daemon was killed in the middle', async () => {
    await build({ stopGraceMs: 10_000 });
    const actor = await house.actor({ image: 'untilTerm' });
    const id = await house.send(actor);
    await house.until(() => house.execution(id)?.status === 'RUNNING');
    house.daemon.knife.when = (crossing) => crossing === 'stop';
    await house.scheduler.halt(id);
    await house.daemon.knife.severed;
    await house.restart();
    expect(await house.final(id)).toMatchObject({ reason: 'halted', exitCode: 143 });
  });

  it('of the engine waits for running executions, and starts no new ones', async () => {
    await build();
    const gate = gated();
    const actor = await house.actor({ image: 'gated', stateless: false });
    const [first, second] = [await house.send(actor, 'one'), await house.send(actor, 'two')];
    await house.until(() => gate.running().includes('one'));
    const stopped = house.scheduler.stop({ deadlineMs: 20_000, haltExecutions: false });
    await gate.let('one');
    expect(await stopped).toEqual({ finished: 1, halted: 0, left: 0 });
    expect(house.execution(first)?.status).toBe('COMPLETE');
    expect(house.execution(second)?.status).toBe('SUBMITTED');
    await house.restart();
    await gate.let('two');
    expect((await house.final(second)).status).toBe('COMPLETE');
  });

  it('of the engine leaves executions that run at the deadline to the next start, with their whole log', async () => {
    await build();
    const actor = await house.actor({ image: 'untilTerm' });
    const id = await house.send(actor);
    await house.until(() => house.world.starts.includes(id));
    expect(await house.scheduler.stop({ deadlineMs: 1, haltExecutions: false })).toEqual({
      finished: 0,
      halted: 0,
      left: 1,
    });
    expect(house.execution(id)?.status).toBe('RUNNING');
    await house.restart();
    await house.scheduler.halt(id);
    expect(await house.final(id)).toMatchObject({ reason: 'halted' });
    expect(await house.logs.read(id)).toBe('ready\n');
    expect(house.world.starts).toEqual([id]);
  });

  it('of the engine halts running executions if requested', async () => {
    await build();
    const actor = await house.actor({ image: 'forever' });
    const id = await house.send(actor);
    await house.until(() => house.world.starts.includes(id));
    expect(await house.scheduler.stop({ deadlineMs: 10_000, haltExecutions: true })).toEqual({
      finished: 0,
      halted: 1,
      left: 0,
    });
    expect(house.execution(id)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
    expect(house.world.runs.size).toBe(0);
  });
});

// Stopping executions and the engine, with a real store and an engine in memory.
import { describe, expect, it } from 'vitest';
import { createLatch } from '../../../daemon/scheduler/background-tasks.ts';
import { build, closeHarnesses, gated, harness } from '../../support/engine/scheduler-fixture.ts';

closeHarnesses();

describe('a stop', () => {
  it('by the time limit ends the execution COMPLETE with the reason timed_out', async () => {
    await build();
    const actor = await harness.actor({ image: 'untilTerm', maxRunTime: 0.05 });
    expect(await harness.final(await harness.send(actor))).toMatchObject({ reason: 'timed_out', exitCode: 143 });
  });

  it('by a halt ends the execution COMPLETE with the reason halted, and kills it if it ignores the signal', async () => {
    await build();
    const actor = await harness.actor({ image: 'forever' });
    const id = await harness.send(actor);
    await harness.until(() => harness.execution(id)?.status === 'RUNNING');
    const wishes: unknown[] = [];
    const unwatch = harness.store.watch('executions', (execution) => void wishes.push(execution?.stopping));
    await harness.scheduler.halt(id);
    unwatch();
    // The stop request is on disk before the run gets it, so that it outlives this daemon.
    expect(wishes[0]).toBe('halted');
    expect(await harness.final(id)).toMatchObject({ status: 'COMPLETE', reason: 'halted', exitCode: 137 });
  });

  it('by a halt with a shorter grace period than an earlier halt takes effect at once', async () => {
    await build({ stopGraceMs: 300_000 });
    const id = await harness.send(await harness.actor({ image: 'forever' }));
    await harness.until(() => harness.world.starts.includes(id));
    for (const graceMs of [600_000, 600_000, undefined, 0]) await harness.scheduler.halt(id, graceMs);
    expect(await harness.final(id)).toMatchObject({ status: 'COMPLETE', reason: 'halted', exitCode: 137 });
    expect(harness.daemon.knife.crossed.filter((call) => call === 'stop')).toHaveLength(3);
  });

  it('by a halt during the start has the grace period of the halt', async () => {
    await build({ stopGraceMs: 300_000 });
    let open = (): void => undefined;
    const gate = new Promise<undefined>((resolve) => {
      open = () => resolve(undefined);
    });
    harness.world.faults.start = () => gate;
    const id = await harness.send(await harness.actor({ image: 'forever' }));
    await harness.until(() => harness.execution(id)?.status === 'RUNNING');
    await harness.scheduler.halt(id, 600_000);
    open();
    await harness.until(() => harness.daemon.knife.crossed.includes('stop'));
    await harness.scheduler.halt(id, 0);
    await harness.final(id);
    // One stop for each halt. Another one would have killed the run after five minutes.
    expect(harness.daemon.knife.crossed.filter((call) => call === 'stop')).toHaveLength(2);
  });

  it('by the end of its actor or of the engine is not delayed by a halt with a long grace period', async () => {
    await build();
    const actor = await harness.actor({ image: 'forever' });
    const id = await harness.send(actor);
    await harness.until(() => harness.world.starts.includes(id));
    await harness.scheduler.halt(id, 600_000);
    await harness.scheduler.retire(actor);
    expect(harness.execution(id)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
    const other = await harness.send(await harness.actor({ image: 'forever' }));
    await harness.until(() => harness.world.starts.includes(other));
    await harness.scheduler.halt(other, 600_000);
    expect(await harness.scheduler.stop({ deadlineMs: 10_000, haltExecutions: true })).toMatchObject({
      halted: 1,
      left: 0,
    });
  });

  it('of the daemon does not wait for a halt with a long grace period', async () => {
    await build();
    const id = await harness.send(await harness.actor({ image: 'forever' }));
    await harness.until(() => harness.world.starts.includes(id));
    await harness.scheduler.halt(id, 600_000);
    await harness.until(() => harness.daemon.knife.crossed.includes('stop'));
    expect(await harness.scheduler.stop({ deadlineMs: 1, haltExecutions: false })).toMatchObject({ left: 1 });
  });

  it('is refused for an execution that is not running', async () => {
    await build();
    const actor = await harness.actor({ image: 'nowhere' });
    const waiting = await harness.send(actor);
    await expect(harness.scheduler.halt(waiting)).rejects.toMatchObject({ code: 'NOT_RUNNING' });
    await expect(harness.scheduler.halt('e000000000000')).rejects.toMatchObject({ code: 'NOT_RUNNING' });
    const over = await harness.send(await harness.actor());
    await harness.final(over);
    await expect(harness.scheduler.halt(over)).rejects.toMatchObject({ code: 'NOT_RUNNING' });
  });

  it('is completed after the daemon was killed in the middle', async () => {
    await build({ stopGraceMs: 10_000 });
    const actor = await harness.actor({ image: 'untilTerm' });
    const id = await harness.send(actor);
    await harness.until(() => harness.execution(id)?.status === 'RUNNING');
    harness.daemon.knife.when = (crossing) => crossing === 'stop';
    await harness.scheduler.halt(id);
    await harness.daemon.knife.severed;
    await harness.restart();
    expect(await harness.final(id)).toMatchObject({ reason: 'halted', exitCode: 143 });
  });

  it('by a halt while a recovered run waits for its log starts no run', async () => {
    await build();
    harness.daemon.knife.when = (crossing) => crossing === 'start';
    const id = await harness.send(await harness.actor({ image: 'forever' }));
    await harness.daemon.knife.severed;
    const { resume } = harness.logs;
    const waiting = createLatch();
    const readable = createLatch();
    Object.assign(harness.logs, {
      resume: async (executionId: string) => {
        waiting.open();
        await readable.opened;
        return resume(executionId);
      },
    });
    await harness.restart();
    await waiting.opened;
    await harness.scheduler.halt(id);
    readable.open();
    expect(await harness.final(id)).toMatchObject({ reason: 'halted' });
    expect(harness.world.starts).not.toContain(id);
  });

  it('of the engine waits for running executions, and starts no new ones', async () => {
    await build();
    const gate = gated();
    const actor = await harness.actor({ image: 'gated', stateless: false });
    const [first, second] = [await harness.send(actor, 'one'), await harness.send(actor, 'two')];
    await harness.until(() => gate.running().includes('one'));
    const stopped = harness.scheduler.stop({ deadlineMs: 20_000, haltExecutions: false });
    await gate.let('one');
    expect(await stopped).toEqual({ finished: 1, halted: 0, left: 0 });
    expect(harness.execution(first)?.status).toBe('COMPLETE');
    expect(harness.execution(second)?.status).toBe('SUBMITTED');
    await harness.restart();
    await gate.let('two');
    expect((await harness.final(second)).status).toBe('COMPLETE');
  });

  it('of the engine leaves executions that run at the deadline to the next start, with their whole log', async () => {
    await build();
    const actor = await harness.actor({ image: 'untilTerm' });
    const id = await harness.send(actor);
    await harness.until(() => harness.world.starts.includes(id));
    expect(await harness.scheduler.stop({ deadlineMs: 1, haltExecutions: false })).toEqual({
      finished: 0,
      halted: 0,
      left: 1,
    });
    expect(harness.execution(id)?.status).toBe('RUNNING');
    await harness.restart();
    await harness.scheduler.halt(id);
    expect(await harness.final(id)).toMatchObject({ reason: 'halted' });
    expect(await harness.logs.read(id)).toBe('ready\n');
    expect(harness.world.starts).toEqual([id]);
  });

  it('of the engine halts running executions if requested', async () => {
    await build();
    const actor = await harness.actor({ image: 'forever' });
    const id = await harness.send(actor);
    await harness.until(() => harness.world.starts.includes(id));
    expect(await harness.scheduler.stop({ deadlineMs: 10_000, haltExecutions: true })).toEqual({
      finished: 0,
      halted: 1,
      left: 0,
    });
    expect(harness.execution(id)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
    expect(harness.world.runs.size).toBe(0);
  });
});

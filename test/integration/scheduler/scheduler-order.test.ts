// The order of executions and the number of simultaneous ones, with a real store and an engine in memory.
import { describe, expect, it } from 'vitest';
import { AHEAD_LIMIT } from '../../../daemon/domain/executions/wait-reason.ts';
import { build, closeHarnesses, gated, harness, statusOf, workersOf } from '../../support/engine/scheduler-fixture.ts';

closeHarnesses();

describe('executions', () => {
  it('of one actor are claimed in the order of its messages, and run simultaneously up to the limit', async () => {
    await build({ maxParallel: 3 });
    const actor = await harness.actor();
    const sent: string[] = [];
    for (let i = 0; i < 30; i += 1) sent.push(await harness.send(actor, String(i)));
    await Promise.all(sent.map(harness.final));
    expect(harness.claims).toEqual(sent);
    expect(harness.world.peak.get(actor)).toBeLessThanOrEqual(3);
  });

  it('of a stateless actor start while earlier ones are being started', async () => {
    await build({ maxParallel: 3 });
    const starting = new Map<string, () => void>();
    harness.world.faults.start = ({ executionId }) =>
      new Promise((resolve) => starting.set(executionId, () => resolve(undefined)));
    const actor = await harness.actor();
    const sent: string[] = [];
    for (const text of ['a', 'b', 'c']) sent.push(await harness.send(actor, text));
    await harness.until(() => starting.size === 3);
    expect(harness.claims).toEqual(sent);
    for (const id of sent.toReversed()) {
      starting.get(id)?.();
      await harness.final(id);
    }
    expect(harness.world.starts).toEqual(sent.toReversed());
  });

  it('of a stateless actor run simultaneously up to maxWorkers, each in its own worker', async () => {
    await build({ maxParallel: 4, maxInFlight: 8 });
    const gate = gated();
    const actor = await harness.actor({ image: 'gated', maxWorkers: 2 });
    const sent = await Promise.all(['a', 'b', 'c'].map((text) => harness.send(actor, text)));
    await harness.until(() => gate.running().length === 2);
    expect(workersOf(actor).map(({ status }) => status)).toEqual(['BUSY', 'BUSY']);
    expect(harness.store.countBy('messages', 'actor', actor)).toBe(1);
    for (const text of ['b', 'a', 'c']) await gate.let(text);
    await Promise.all(sent.map(harness.final));
    expect(harness.world.peak.get(actor)).toBe(2);
  });

  it('that wait know how many messages of their actor are before them, counted up to a limit', async () => {
    await build({ maxParallel: 4 });
    const gate = gated();
    const actor = await harness.actor({ image: 'gated', stateless: false });
    const first = await harness.send(actor, 'first');
    await harness.until(() => gate.running().includes('first'));
    const sent: string[] = [];
    for (let count = 0; count < AHEAD_LIMIT + 10; count += 1) sent.push(await harness.send(actor, String(count)));
    const standing = (id = '') => harness.scheduler.standingOf({ id, actorId: actor });
    expect(standing(first)).toMatchObject({ isStarting: true, trouble: undefined, isEngineKnown: true });
    expect(standing(sent[0])).toMatchObject({ isStarting: false, running: 1, most: 1, ahead: 0, isFull: false });
    expect(standing(sent[2]).ahead).toBe(2);
    expect(standing(sent.at(-1)).ahead).toBe(AHEAD_LIMIT);
    await harness.purge(actor);
    await gate.let('first');
    await harness.final(first);
  });

  it('of a stateful actor run one at a time', async () => {
    await build({ maxParallel: 4 });
    const actor = await harness.actor({ stateless: false });
    const sent = await Promise.all(Array.from({ length: 10 }, (_, i) => harness.send(actor, String(i))));
    await Promise.all(sent.map(harness.final));
    expect(harness.world.peak.get(actor)).toBe(1);
    expect(harness.world.starts).toEqual(sent);
  });

  it('of other actors run between those of a busy one', async () => {
    await build({ maxParallel: 1, maxInFlight: 1 });
    const [busy, other] = [await harness.actor(), await harness.actor()];
    await harness.until(() => statusOf(busy) === 'READY' && statusOf(other) === 'READY');
    const many: string[] = [];
    for (let i = 0; i < 20; i += 1) many.push(await harness.send(busy, String(i)));
    const one = await harness.send(other);
    await Promise.all([...many, one].map(harness.final));
    expect(harness.world.starts.indexOf(one)).toBeLessThan(harness.world.starts.length - 1);
    expect(harness.world.peak.get('all')).toBe(1);
  });

  it('of all actors together stay within the limit of the instance', async () => {
    await build({ maxParallel: 4, maxInFlight: 3 });
    const actors = await Promise.all(Array.from({ length: 5 }, () => harness.actor()));
    const sent = await Promise.all([...actors, ...actors, ...actors].map((actor) => harness.send(actor)));
    await Promise.all(sent.map(harness.final));
    expect(harness.world.peak.get('all')).toBeLessThanOrEqual(3);
  });
});

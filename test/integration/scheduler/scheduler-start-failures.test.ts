// Messages whose container cannot be started, with a real store and an engine in memory.
import { describe, expect, it } from 'vitest';
import { ExecutorError } from '../../../daemon/ports/executor.ts';
import {
  actorOf,
  build,
  closeHouses,
  gated,
  house,
  pendingStarts,
  startError,
  statusOf,
} from '../../support/engine/scheduler-fixture.ts';

closeHouses();

describe('a container that cannot be started', () => {
  it('puts the actor in ERROR at the sixth failure in a row, keeps the message first in line, and an update recovers both', async () => {
    await build();
    let tries = 0;
    house.world.faults.start = () => {
      tries += 1;
      return startError();
    };
    const actor = await house.actor({ stateless: false });
    const [first, second] = [await house.send(actor, 'one'), await house.send(actor, 'two')];
    await house.until(() => statusOf(actor) === 'ERROR');
    expect(tries).toBe(6);
    expect(actorOf(actor)).toMatchObject({ startFailures: 6 });
    expect(actorOf(actor)?.statusMessage).toContain('exec format error');
    expect(house.execution(first)).toMatchObject({ status: 'SUBMITTED' });
    expect(house.execution(first)).not.toHaveProperty('runRef');
    expect(house.store.count('tokens')).toBe(0);
    house.world.faults.start = () => undefined;
    await house.update(actor, { status: 'SUBMITTED', startFailures: 0, statusMessage: '' });
    await Promise.all([first, second].map(house.final));
    expect(house.world.starts).toEqual([first, second]);
    await house.until(() => house.world.runs.size === 0);
  });

  it('returns its message once: its next start can be halted, and a stop of the daemon leaves it running', async () => {
    await build({ maxParallel: 2 });
    let tries = 0;
    house.world.faults.start = () => {
      tries += 1;
      return tries === 1 ? startError() : undefined;
    };
    const actor = await house.actor({ image: 'forever' });
    for (const end of ['halt', 'stop']) {
      tries = 0;
      const id = await house.send(actor);
      await house.until(() => house.world.starts.includes(id));
      // Another worker that had the message too would find it claimed by now.
      await house.until(() => house.world.runs.size === 1);
      if (end === 'halt') {
        await house.scheduler.halt(id, 0);
        expect(await house.final(id)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
      } else expect(await house.scheduler.stop({ deadlineMs: 1, haltExecutions: false })).toMatchObject({ left: 1 });
    }
  });

  it('returns its message to the head of the mailbox, before all messages that are not claimed', async () => {
    await build({ maxParallel: 4 });
    let tries = 0;
    house.world.faults.start = () => {
      tries += 1;
      return tries % 3 === 1 ? startError() : undefined;
    };
    const actor = await house.actor();
    const sent: string[] = [];
    for (let i = 0; i < 12; i += 1) sent.push(await house.send(actor, String(i)));
    await Promise.all(sent.map(house.final));
    // The house complains about a claim while an earlier message waits.
    expect([...new Set(house.claims)]).toEqual(sent);
    expect(house.world.starts.toSorted()).toEqual(sent.toSorted());
    await house.until(() => actorOf(actor)?.startFailures === 0);
  });

  it('leaves later executions alone that have started, and is retried before messages that are not claimed', async () => {
    await build({ maxParallel: 3 });
    const gate = gated();
    const starts = pendingStarts();
    const creates = new Map<string, () => void>();
    house.world.faults.create = ({ environment: { MSG = '' } }) =>
      MSG === 'three' ? new Promise((resolve) => creates.set(MSG, () => resolve(undefined))) : undefined;
    const actor = await house.actor({ image: 'gated' });
    const sent = [await house.send(actor, 'one'), await house.send(actor, 'two'), await house.send(actor, 'three')];
    const [first, second, third] = sent;
    await starts.answer('two', undefined);
    await starts.answer('one', startError());
    await house.until(() => house.execution(first ?? '')?.status === 'SUBMITTED');
    creates.get('three')?.();
    await starts.answer('one', undefined);
    await gate.let('two');
    await house.final(second ?? '');
    creates.get('three')?.();
    await starts.answer('three', undefined);
    for (const message of ['one', 'three']) await gate.let(message);
    await Promise.all(sent.map(house.final));
    expect(house.claims).toEqual([first, second, first, third]);
    expect(house.world.starts).toEqual([second, first, third]);
  });

  it('together with others that overlap counts once, and is retried alone', async () => {
    await build({ maxParallel: 3 });
    const starts = pendingStarts();
    const actor = await house.actor();
    const sent = [await house.send(actor, 'one'), await house.send(actor, 'two'), await house.send(actor, 'three')];
    await house.until(() => starts.pending().length === 3);
    await starts.answer('three', startError());
    await starts.answer('one', startError());
    await house.until(() => actorOf(actor)?.startFailures === 1);
    await starts.answer('two', undefined);
    await house.final(sent[1] ?? '');
    await house.until(() => starts.pending().length > 0);
    expect(starts.pending()).toEqual(['one']);
    // Neither the second failure nor the success of a start that began before the first failure was counted.
    expect(actorOf(actor)?.startFailures).toBe(1);
    await starts.answer('one', undefined);
    await house.until(() => actorOf(actor)?.startFailures === 0);
    await starts.answer('three', undefined);
    await Promise.all(sent.map(house.final));
    expect(house.claims).toEqual([...sent, sent[0], sent[2]]);
  });

  it('does not block later messages whose container is slow to be created', async () => {
    await build({ maxParallel: 2 });
    const created: string[] = [];
    // The second container is created only after the first message was claimed again.
    house.world.faults.create = async ({ environment: { MSG = '' } }) => {
      created.push(MSG);
      if (MSG === 'two') await house.until(() => created.filter((message) => message === 'one').length > 1);
      return undefined;
    };
    let failures = 1;
    house.world.faults.start = () => {
      failures -= 1;
      return failures === 0 ? startError() : undefined;
    };
    const actor = await house.actor();
    const sent = [await house.send(actor, 'one'), await house.send(actor, 'two')];
    await Promise.race([Promise.all(sent.map(house.final)), house.until(() => created.length > 20)]);
    expect(created).toEqual(['one', 'two', 'one', 'two']);
    expect(house.world.starts).toEqual(sent);
  });

  it('because its message was purged does not delay other messages', async () => {
    await build({ startRetryDelayMs: 60_000 });
    const actor = await house.actor({ stateless: false });
    let purging: Promise<void> | undefined;
    house.world.faults.create = async () => {
      if (purging !== undefined) return undefined;
      purging = house.purge(actor);
      await purging;
      return new ExecutorError('start', 'its body has gone');
    };
    const purged = await house.send(actor);
    await house.final(purged);
    expect((await house.final(await house.send(actor))).status).toBe('COMPLETE');
    expect(house.execution(purged)?.status).toBe('CANCELLED');
    expect(actorOf(actor)?.startFailures).toBe(0);
  });

  it('because it cannot be created counts as a failure too', async () => {
    await build();
    house.world.faults.create = () => new ExecutorError('start', 'invalid mount');
    const actor = await house.actor();
    const id = await house.send(actor);
    await house.until(() => statusOf(actor) === 'ERROR');
    expect(house.execution(id)?.status).toBe('SUBMITTED');
    expect(house.world.starts).toEqual([]);
  });

  it('for a lost answer may be running: the engine checks, and does not run the message twice', async () => {
    await build();
    let lost = 2;
    house.world.faults.started = () => {
      lost -= 1;
      return lost >= 0 ? new ExecutorError('unavailable', 'connection reset') : undefined;
    };
    const actor = await house.actor();
    const sent = [await house.send(actor, 'a'), await house.send(actor, 'b'), await house.send(actor, 'c')];
    const finals = await Promise.all(sent.map(house.final));
    expect(finals.map(({ status }) => status)).toEqual(['COMPLETE', 'COMPLETE', 'COMPLETE']);
    expect(house.world.starts).toEqual(sent);
  });

  it('because its image was removed makes the engine prepare the image again', async () => {
    await build();
    const actor = await house.actor();
    await house.until(() => statusOf(actor) === 'READY');
    const script = house.world.images.get('hello') ?? null;
    house.world.images.delete('hello');
    house.world.faults.prepare = async (image) => void house.world.images.set(image, script);
    expect((await house.final(await house.send(actor))).status).toBe('COMPLETE');
    expect(statusOf(actor)).toBe('READY');
  });
});

// Messages whose container cannot be started, with a real store and an engine in memory.
import { describe, expect, it } from 'vitest';
import { ExecutorError } from '../../../daemon/ports/executor.ts';
import {
  actorOf,
  build,
  closeHarnesses,
  gated,
  harness,
  pendingStarts,
  startError,
  statusOf,
} from '../../support/engine/scheduler-fixture.ts';

closeHarnesses();

describe('a container that cannot be started', () => {
  it('puts the actor in ERROR at the sixth failure in a row, keeps the message first in line, and an update recovers both', async () => {
    await build();
    let tries = 0;
    harness.world.faults.start = () => {
      tries += 1;
      return startError();
    };
    const actor = await harness.actor({ stateless: false });
    const [first, second] = [await harness.send(actor, 'one'), await harness.send(actor, 'two')];
    await harness.until(() => statusOf(actor) === 'ERROR');
    expect(tries).toBe(6);
    expect(actorOf(actor)).toMatchObject({ startFailures: 6 });
    expect(actorOf(actor)?.statusMessage).toContain('exec format error');
    expect(harness.execution(first)).toMatchObject({ status: 'SUBMITTED' });
    expect(harness.execution(first)).not.toHaveProperty('runRef');
    expect(harness.store.count('tokens')).toBe(0);
    harness.world.faults.start = () => undefined;
    await harness.update(actor, { status: 'SUBMITTED', startFailures: 0, statusMessage: '' });
    await Promise.all([first, second].map(harness.final));
    expect(harness.world.starts).toEqual([first, second]);
    await harness.until(() => harness.world.runs.size === 0);
  });

  it('returns its message once: its next start can be halted, and a stop of the daemon leaves it running', async () => {
    await build({ maxParallel: 2 });
    let tries = 0;
    harness.world.faults.start = () => {
      tries += 1;
      return tries === 1 ? startError() : undefined;
    };
    const actor = await harness.actor({ image: 'forever' });
    for (const end of ['halt', 'stop']) {
      tries = 0;
      const id = await harness.send(actor);
      await harness.until(() => harness.world.starts.includes(id));
      // Another worker that had the message too would find it claimed by now.
      await harness.until(() => harness.world.runs.size === 1);
      if (end === 'halt') {
        await harness.scheduler.halt(id, 0);
        expect(await harness.final(id)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
      } else expect(await harness.scheduler.stop({ deadlineMs: 1, haltExecutions: false })).toMatchObject({ left: 1 });
    }
  });

  it('returns its message to the head of the mailbox, before all messages that are not claimed', async () => {
    await build({ maxParallel: 4 });
    let tries = 0;
    harness.world.faults.start = () => {
      tries += 1;
      return tries % 3 === 1 ? startError() : undefined;
    };
    const actor = await harness.actor();
    const sent: string[] = [];
    for (let i = 0; i < 12; i += 1) sent.push(await harness.send(actor, String(i)));
    await Promise.all(sent.map(harness.final));
    // The harness complains about a claim while an earlier message waits.
    expect([...new Set(harness.claims)]).toEqual(sent);
    expect(harness.world.starts.toSorted()).toEqual(sent.toSorted());
    await harness.until(() => actorOf(actor)?.startFailures === 0);
  });

  it('does not affect later executions that have started, and is retried before unclaimed messages', async () => {
    await build({ maxParallel: 3 });
    const gate = gated();
    const starts = pendingStarts();
    const creates = new Map<string, () => void>();
    harness.world.faults.create = ({ environment: { MSG = '' } }) =>
      MSG === 'three' ? new Promise((resolve) => creates.set(MSG, () => resolve(undefined))) : undefined;
    const actor = await harness.actor({ image: 'gated' });
    const sent = [
      await harness.send(actor, 'one'),
      await harness.send(actor, 'two'),
      await harness.send(actor, 'three'),
    ];
    const [first, second, third] = sent;
    await starts.answer('two', undefined);
    await starts.answer('one', startError());
    await harness.until(() => harness.execution(first ?? '')?.status === 'SUBMITTED');
    creates.get('three')?.();
    await starts.answer('one', undefined);
    await gate.let('two');
    await harness.final(second ?? '');
    creates.get('three')?.();
    await starts.answer('three', undefined);
    for (const message of ['one', 'three']) await gate.let(message);
    await Promise.all(sent.map(harness.final));
    expect(harness.claims).toEqual([first, second, first, third]);
    expect(harness.world.starts).toEqual([second, first, third]);
  });

  it('counts as one failure with others whose starts overlap, and is retried alone', async () => {
    await build({ maxParallel: 3 });
    const starts = pendingStarts();
    const actor = await harness.actor();
    const sent = [
      await harness.send(actor, 'one'),
      await harness.send(actor, 'two'),
      await harness.send(actor, 'three'),
    ];
    await harness.until(() => starts.pending().length === 3);
    await starts.answer('three', startError());
    await starts.answer('one', startError());
    await harness.until(() => actorOf(actor)?.startFailures === 1);
    await starts.answer('two', undefined);
    await harness.final(sent[1] ?? '');
    await harness.until(() => starts.pending().length > 0);
    expect(starts.pending()).toEqual(['one']);
    // Neither the second failure nor the success of a start that began before the first failure was counted.
    expect(actorOf(actor)?.startFailures).toBe(1);
    await starts.answer('one', undefined);
    await harness.until(() => actorOf(actor)?.startFailures === 0);
    await starts.answer('three', undefined);
    await Promise.all(sent.map(harness.final));
    expect(harness.claims).toEqual([...sent, sent[0], sent[2]]);
  });

  it('does not block later messages whose container is slow to be created', async () => {
    await build({ maxParallel: 2 });
    const created: string[] = [];
    // The second container is created only after the first message was claimed again.
    harness.world.faults.create = async ({ environment: { MSG = '' } }) => {
      created.push(MSG);
      if (MSG === 'two') await harness.until(() => created.filter((message) => message === 'one').length > 1);
      return undefined;
    };
    let failures = 1;
    harness.world.faults.start = () => {
      failures -= 1;
      return failures === 0 ? startError() : undefined;
    };
    const actor = await harness.actor();
    const sent = [await harness.send(actor, 'one'), await harness.send(actor, 'two')];
    await Promise.race([Promise.all(sent.map(harness.final)), harness.until(() => created.length > 20)]);
    expect(created).toEqual(['one', 'two', 'one', 'two']);
    expect(harness.world.starts).toEqual(sent);
  });

  it('because its message was purged does not delay other messages', async () => {
    await build({ startRetryDelayMs: 60_000 });
    const actor = await harness.actor({ stateless: false });
    let purging: Promise<void> | undefined;
    harness.world.faults.create = async () => {
      if (purging !== undefined) return undefined;
      purging = harness.purge(actor);
      await purging;
      return new ExecutorError('start', 'its body has gone');
    };
    const purged = await harness.send(actor);
    await harness.final(purged);
    expect((await harness.final(await harness.send(actor))).status).toBe('COMPLETE');
    expect(harness.execution(purged)?.status).toBe('CANCELLED');
    expect(actorOf(actor)?.startFailures).toBe(0);
  });

  it('because it cannot be created counts as a failure too', async () => {
    await build();
    harness.world.faults.create = () => new ExecutorError('start', 'invalid mount');
    const actor = await harness.actor();
    const id = await harness.send(actor);
    await harness.until(() => statusOf(actor) === 'ERROR');
    expect(harness.execution(id)?.status).toBe('SUBMITTED');
    expect(harness.world.starts).toEqual([]);
  });

  it('because a response was lost may be running, so the scheduler checks and does not run the message twice', async () => {
    await build();
    let lost = 2;
    harness.world.faults.started = () => {
      lost -= 1;
      return lost >= 0 ? new ExecutorError('unavailable', 'connection reset') : undefined;
    };
    const actor = await harness.actor();
    const sent = [await harness.send(actor, 'a'), await harness.send(actor, 'b'), await harness.send(actor, 'c')];
    const finals = await Promise.all(sent.map(harness.final));
    expect(finals.map(({ status }) => status)).toEqual(['COMPLETE', 'COMPLETE', 'COMPLETE']);
    expect(harness.world.starts).toEqual(sent);
  });

  it('because its image was removed causes the image to be prepared again', async () => {
    await build();
    const actor = await harness.actor();
    await harness.until(() => statusOf(actor) === 'READY');
    const script = harness.world.images.get('hello') ?? null;
    harness.world.images.delete('hello');
    harness.world.faults.prepare = async (image) => void harness.world.images.set(image, script);
    expect((await harness.final(await harness.send(actor))).status).toBe('COMPLETE');
    expect(statusOf(actor)).toBe('READY');
  });
});

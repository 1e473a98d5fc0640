// What becomes of messages whose container cannot be started, over a real store and an engine in memory.
import { describe, expect, it } from 'vitest';
import { ExecutorError } from '../../../daemon/ports/executor.ts';
import { actorOf, build, closeHouses, house, startError, statusOf } from '../../support/engine/engine-fixture.ts';

closeHouses();

describe('a container that cannot be started', () => {
  it('puts the actor in ERROR at the sixth time in a row, its message waits in its place, and an update brings both back', async () => {
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

  it('does not lose the order when several were on their way', async () => {
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
    expect(house.world.starts).toEqual(sent);
    await house.until(() => actorOf(actor)?.startFailures === 0);
  });

  it('holds up nothing for good when what was taken behind it is slow to be created', async () => {
    await build({ maxParallel: 2 });
    const created: string[] = [];
    // The second comes to its turn only after the first one was taken anew.
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

  it('or created because its message was purged holds nobody up', async () => {
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

  it('or created is counted the same way', async () => {
    await build();
    house.world.faults.create = () => new ExecutorError('start', 'invalid mount');
    const actor = await house.actor();
    const id = await house.send(actor);
    await house.until(() => statusOf(actor) === 'ERROR');
    expect(house.execution(id)?.status).toBe('SUBMITTED');
    expect(house.world.starts).toEqual([]);
  });

  it('may have been started when the answer is lost: it is looked up, not run twice', async () => {
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

  it('and whose image has gone makes the actor have its image anew', async () => {
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

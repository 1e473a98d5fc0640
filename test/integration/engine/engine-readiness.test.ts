// How an actor becomes READY, over a real store and an engine in memory: pulls, images that are not there, revisions.
import { describe, expect, it } from 'vitest';
import { actorOf, build, closeHouses, gated, house, statusOf, workersOf } from '../../support/engine/engine-fixture.ts';

closeHouses();

describe('an actor', () => {
  it('becomes READY with one worker as soon as its image is there', async () => {
    await build();
    const actor = await house.actor();
    await house.until(() => statusOf(actor) === 'READY');
    expect(workersOf(actor)).toMatchObject([{ status: 'READY', image: 'hello', revision: 1 }]);
    expect(actorOf(actor)?.statusMessage).toBe('');
  });

  it('tells the progress of a slow pull in its statusMessage', async () => {
    await build();
    let pulled = () => undefined as undefined;
    house.world.faults.prepare = async (_image, onProgress) => {
      onProgress('Downloading 40 %');
      await new Promise<void>((resolve) => {
        pulled = () => void resolve() as undefined;
      });
    };
    const actor = await house.actor();
    await house.until(() => actorOf(actor)?.statusMessage === 'Downloading 40 %');
    expect(workersOf(actor)).toMatchObject([{ status: 'PULLING IMAGE' }]);
    pulled();
    await house.until(() => statusOf(actor) === 'READY');
    expect(actorOf(actor)?.statusMessage).toBe('');
  });

  it('is in ERROR with the words of the engine when its image cannot be had, keeps its messages, and an update brings it back', async () => {
    await build();
    const actor = await house.actor({ image: 'nowhere' });
    await house.until(() => statusOf(actor) === 'ERROR');
    expect(actorOf(actor)?.statusMessage).toContain('no such image: nowhere');
    expect(workersOf(actor)).toEqual([]);
    const execution = await house.send(actor);
    expect(house.execution(execution)?.status).toBe('SUBMITTED');
    await house.update(actor, { image: 'hello', revision: 2, status: 'SUBMITTED' });
    expect(await house.final(execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
  });

  it('waits in SUBMITTED with the reason while no engine answers, and goes on when one appears', async () => {
    await build();
    house.world.setAvailable(false);
    const actor = await house.actor();
    const execution = await house.send(actor);
    await house.until(() => (actorOf(actor)?.statusMessage ?? '') !== '');
    expect(actorOf(actor)).toMatchObject({ status: 'SUBMITTED' });
    expect(actorOf(actor)?.statusMessage).toContain('does not answer');
    house.world.setAvailable(true);
    expect((await house.final(execution)).status).toBe('COMPLETE');
    expect(actorOf(actor)).toMatchObject({ status: 'READY', statusMessage: '' });
  });

  it('lets a running execution finish with the old worker when a new revision comes, and runs what waits with the new image', async () => {
    await build();
    const gate = gated();
    const actor = await house.actor({ image: 'gated', stateless: false });
    const [first, second] = [await house.send(actor, 'one'), await house.send(actor, 'two')];
    await house.until(() => gate.running().includes('one'));
    const old = workersOf(actor)[0]?.id;
    await house.update(actor, { image: 'hello', revision: 2, status: 'SUBMITTED' });
    await house.until(() => statusOf(actor) === 'READY');
    expect(house.store.get('workers', old ?? '')?.status).toBe('SHUTDOWN_REQUESTED');
    await gate.let('one');
    expect(await house.final(first)).toMatchObject({ status: 'COMPLETE', workerId: old });
    const ran = await house.final(second);
    expect(ran.workerId).not.toBe(old);
    expect(await house.logs.read(second)).toBe('hello two\n');
    await house.until(() => house.store.get('workers', old ?? '') === undefined);
    await house.until(() => !house.world.holders.has(old ?? ''));
  });
});

// How an actor becomes READY: pulls, missing images and new revisions, with a real store and an engine in memory.
import { describe, expect, it } from 'vitest';
import {
  actorOf,
  build,
  closeHarnesses,
  gated,
  harness,
  statusOf,
  workersOf,
} from '../../support/engine/scheduler-fixture.ts';

closeHarnesses();

describe('an actor', () => {
  it('becomes READY with one worker when its image is available', async () => {
    await build();
    const actor = await harness.actor();
    await harness.until(() => statusOf(actor) === 'READY');
    expect(workersOf(actor)).toMatchObject([{ status: 'READY', image: 'hello', revision: 1 }]);
    expect(actorOf(actor)?.statusMessage).toBe('');
  });

  it('shows the progress of a slow pull in its statusMessage', async () => {
    await build();
    let pulled = () => undefined as undefined;
    harness.world.faults.prepare = async (_image, onProgress) => {
      onProgress('Downloading 40 %');
      await new Promise<void>((resolve) => {
        pulled = () => void resolve() as undefined;
      });
    };
    const actor = await harness.actor();
    await harness.until(() => actorOf(actor)?.statusMessage === 'Downloading 40 %');
    expect(workersOf(actor)).toMatchObject([{ status: 'PULLING IMAGE' }]);
    pulled();
    await harness.until(() => statusOf(actor) === 'READY');
    expect(actorOf(actor)?.statusMessage).toBe('');
  });

  it('is in ERROR with the message of the engine if its image is not available, keeps its messages, and recovers by an update', async () => {
    await build();
    const actor = await harness.actor({ image: 'nowhere' });
    await harness.until(() => statusOf(actor) === 'ERROR');
    expect(actorOf(actor)?.statusMessage).toContain('no such image: nowhere');
    expect(workersOf(actor)).toEqual([]);
    const execution = await harness.send(actor);
    expect(harness.execution(execution)?.status).toBe('SUBMITTED');
    await harness.update(actor, { image: 'hello', revision: 2, status: 'SUBMITTED' });
    expect(await harness.final(execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
  });

  it('stays SUBMITTED with the reason while no engine responds, and continues when one is available', async () => {
    await build();
    harness.world.setAvailable(false);
    const actor = await harness.actor();
    const execution = await harness.send(actor);
    await harness.until(() => (actorOf(actor)?.statusMessage ?? '') !== '');
    expect(actorOf(actor)).toMatchObject({ status: 'SUBMITTED' });
    expect(actorOf(actor)?.statusMessage).toContain('does not answer');
    harness.world.setAvailable(true);
    expect((await harness.final(execution)).status).toBe('COMPLETE');
    expect(actorOf(actor)).toMatchObject({ status: 'READY', statusMessage: '' });
  });

  it('with a new revision finishes the running execution in the old worker, and runs waiting messages with the new image', async () => {
    await build();
    const gate = gated();
    const actor = await harness.actor({ image: 'gated', stateless: false });
    const [first, second] = [await harness.send(actor, 'one'), await harness.send(actor, 'two')];
    await harness.until(() => gate.running().includes('one'));
    const old = workersOf(actor)[0]?.id;
    await harness.update(actor, { image: 'hello', revision: 2, status: 'SUBMITTED' });
    await harness.until(() => statusOf(actor) === 'READY');
    expect(harness.store.get('workers', old ?? '')?.status).toBe('SHUTDOWN_REQUESTED');
    await gate.let('one');
    expect(await harness.final(first)).toMatchObject({ status: 'COMPLETE', workerId: old });
    const ran = await harness.final(second);
    expect(ran.workerId).not.toBe(old);
    expect(await harness.logs.read(second)).toBe('hello two\n');
    await harness.until(() => harness.store.get('workers', old ?? '') === undefined);
    await harness.until(() => !harness.world.networks.has(old ?? ''));
  });
});

// Starts that waiting cannot change: of actors that can never start, and of messages that are too large.
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ExecutorError } from '../../../daemon/ports/executor.ts';
import { actorOf, build, closeHarnesses, harness, statusOf } from '../../support/engine/scheduler-fixture.ts';

closeHarnesses();

const hopeless = () => new ExecutorError('never', 'main.sh is not executable: chmod +x main.sh');
const tooLarge = () => new ExecutorError('size', 'the variables are too large');

describe('an actor that can never start', () => {
  it.each(['create', 'start'] as const)(
    'is in ERROR after one failed %s, keeps its messages in order, and an update recovers it',
    async (step) => {
      await build({ startRetryDelayMs: 60_000 });
      let tries = 0;
      harness.world.faults[step] = () => {
        tries += 1;
        return hopeless();
      };
      const actor = await harness.actor({ stateless: false });
      const sent = [await harness.send(actor, 'one'), await harness.send(actor, 'two')];
      await harness.until(() => statusOf(actor) === 'ERROR');
      expect(tries).toBe(1);
      expect(actorOf(actor)?.statusMessage).toMatch(/cannot start: main\.sh is not executable: chmod \+x main\.sh\. /);
      expect(sent.map((id) => harness.execution(id)?.status)).toEqual(['SUBMITTED', 'SUBMITTED']);
      expect(harness.store.count('tokens')).toBe(0);
      delete harness.world.faults[step];
      await harness.update(actor, { status: 'SUBMITTED', startFailures: 0, statusMessage: '' });
      await Promise.all(sent.map(harness.final));
      expect(harness.world.starts).toEqual(sent);
      await harness.until(() => harness.world.runs.size === 0);
    },
  );

  it.each(['create', 'start'] as const)('is tried again if it was updated during the failed %s', async (step) => {
    await build();
    const actor = await harness.actor();
    harness.world.faults[step] = async () => {
      delete harness.world.faults[step];
      await harness.update(actor, { version: 2 });
      return hopeless();
    };
    const id = await harness.send(actor);
    expect((await harness.final(id)).status).toBe('COMPLETE');
    expect(harness.world.starts).toEqual([id]);
    await harness.until(() => actorOf(actor)?.startFailures === 0);
    expect(statusOf(actor)).toBe('READY');
  });

  it('ends executions whose daemon was killed between claim and start, and never starts them', async () => {
    await build();
    const actor = await harness.actor();
    for (const fault of [hopeless(), tooLarge()]) {
      let isStarting = false;
      harness.world.faults.start = () => {
        isStarting = true;
        return new Promise(() => undefined);
      };
      const id = await harness.send(actor);
      await harness.until(() => isStarting);
      expect(harness.execution(id)?.status).toBe('RUNNING');
      let tries = 0;
      harness.world.faults.start = () => {
        tries += 1;
        return fault;
      };
      await harness.crash();
      expect(await harness.final(id)).toMatchObject({ status: 'ERROR', statusMessage: fault.message });
      expect(tries).toBe(1);
    }
    expect(harness.world.starts).toEqual([]);
    await harness.until(() => harness.world.runs.size === 0);
  });
});

describe('a message that is too large to start', () => {
  it.each(['create', 'start'] as const)(
    'ends in ERROR after one failed %s, and its actor stays READY for others',
    async (step) => {
      await build({ startRetryDelayMs: 60_000, maxParallel: 1 });
      const actor = await harness.actor();
      let tries = 0;
      harness.world.faults[step] = ({ executionId }) => {
        if (executionId !== large) return undefined;
        tries += 1;
        return tooLarge();
      };
      const bodyFile = await harness.bodies.put(Buffer.from('large'));
      const large = await harness.send(actor, undefined, { bodyFile, text: null });
      const next = await harness.send(actor, 'next');
      expect(await harness.final(large)).toMatchObject({
        status: 'ERROR',
        statusMessage: 'the variables are too large',
      });
      expect((await harness.final(next)).status).toBe('COMPLETE');
      expect(tries).toBe(1);
      expect(harness.world.starts).toEqual([next]);
      expect(actorOf(actor)).toMatchObject({ status: 'READY', startFailures: 0, statusMessage: '' });
      expect(harness.store.count('messages')).toBe(0);
      expect(harness.store.count('tokens')).toBe(0);
      await harness.until(() => harness.world.runs.size === 0);
      await harness.until(() => !existsSync(harness.bodies.path(bodyFile)));
    },
  );

  it('does not end in ERROR twice if the daemon is killed during the refusal', async () => {
    await build();
    harness.world.faults.create = tooLarge;
    harness.refuse = () => harness.store.count('messages') > 0;
    const actor = await harness.actor();
    const id = await harness.send(actor);
    await harness.crash();
    harness.refuse = undefined;
    expect((await harness.final(id)).status).toBe('ERROR');
    expect(statusOf(actor)).toBe('READY');
    expect(harness.store.count('messages')).toBe(0);
  });
});

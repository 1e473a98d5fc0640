// Kill -9 of the daemon at any step: every acknowledged message leads to one finished execution, and none runs twice.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExecutorError } from '../../../daemon/ports/executor.ts';
import { buildSchedulerHarness, type SchedulerHarness } from '../../support/engine/scheduler-harness.ts';
import { examples } from '../../support/runner/examples.ts';

/** Waits until everything has finished, then checks the rules that hold after any sequence of events. */
const checkEnd = async (harness: SchedulerHarness, sent: ReadonlyMap<string, string>, actors: readonly string[]) => {
  const finals = await Promise.all([...sent.keys()].map(harness.final));
  const runs = new Map<string, number>();
  for (const id of harness.world.starts) runs.set(id, (runs.get(id) ?? 0) + 1);
  for (const { id, status, reason, statusMessage } of finals) {
    const times = runs.get(id) ?? 0;
    expect({ id, times, status, statusMessage }).toMatchObject({ times: expect.toSatisfy((n: number) => n <= 1) });
    if (status === 'COMPLETE' && reason === 'exited') {
      expect(times).toBe(1);
      expect(await harness.logs.read(id)).toBe(`hello ${sent.get(id)}\n`);
    }
    if (status === 'CANCELLED') expect(times).toBe(0);
  }
  for (const actor of actors) {
    // The starts of a stateless actor may overlap. Its claims are in order, or the harness complains.
    if (harness.store.get('actors', actor)?.stateless) continue;
    const inOrder = [...harness.store.by('executions', 'actor', actor)]
      .sort((a, b) => a.sequence - b.sequence)
      .map(({ id }) => id);
    const started = harness.world.starts.filter((id) => inOrder.includes(id));
    expect(started).toEqual(inOrder.filter((id) => runs.has(id)));
  }
  await harness.until(() => harness.world.runs.size === 0);
  expect(harness.store.count('messages')).toBe(0);
  expect([...harness.store.all('tokens')]).toEqual([]);
  const workers = new Set([...harness.store.all('workers')].map(({ id }) => id));
  await harness.until(() => [...harness.world.networks].every((id) => workers.has(id)));
  return finals;
};

const retired = async (harness: SchedulerHarness) => {
  await harness.close();
  expect(harness.complaints).toEqual([]);
};

/** Sets up two actors and four messages, one of them with its body in a file. The first start fails. */
const play = async (harness: SchedulerHarness, sent: Map<string, string>): Promise<readonly string[]> => {
  let failing = 1;
  harness.world.faults.start = () => {
    failing -= 1;
    return failing >= 0 ? new ExecutorError('start', 'not this time') : undefined;
  };
  const actors = [await harness.actor({ stateless: false }), await harness.actor({ token: true })];
  for (const [at, text] of ['a', 'b', 'c', 'd'].entries()) {
    const actor = actors[at % 2] ?? '';
    const inFile = text === 'c';
    const bodyFile = inFile ? await harness.bodies.put(Buffer.from(text)) : null;
    const fields = inFile ? { text: null, bodyFile, size: 1 } : {};
    sent.set(await harness.send(actor, text, fields), text);
  }
  return actors;
};

const allFinal = (harness: SchedulerHarness, sent: ReadonlyMap<string, string>): boolean =>
  [...sent.keys()].every((id) => !['SUBMITTED', 'RUNNING'].includes(harness.execution(id)?.status ?? ''));

describe('a killed daemon', () => {
  it('loses no message and runs none twice, whichever step of the protocol is interrupted', async () => {
    const rehearsal = await buildSchedulerHarness();
    const all = new Map<string, string>();
    const from = rehearsal.daemon.knife.crossed.length;
    await checkEnd(rehearsal, all, await play(rehearsal, all));
    await rehearsal.until(() => allFinal(rehearsal, all) && rehearsal.world.runs.size === 0);
    const steps = rehearsal.daemon.knife.crossed.length;
    expect(new Set(rehearsal.daemon.knife.crossed)).toEqual(
      new Set([
        ...rehearsal.daemon.knife.crossed,
        'create!',
        'transact!',
        'start!',
        'ended',
        'close!',
        'remove!',
        'read!',
      ]),
    );
    await retired(rehearsal);

    for (let step = from + 1; step <= steps; step += 1) {
      const harness = await buildSchedulerHarness();
      const sent = new Map<string, string>();
      harness.daemon.knife.when = (_, index) => index === step;
      const actors = await play(harness, sent);
      await harness.until(() => harness.daemon.knife.cut || allFinal(harness, sent));
      harness.daemon.knife.cut = true;
      await harness.restart();
      const finals = await checkEnd(harness, sent, actors);
      expect({ step, statuses: finals.map(({ status }) => status) }).toEqual({
        step,
        statuses: ['COMPLETE', 'COMPLETE', 'COMPLETE', 'COMPLETE'],
      });
      await retired(harness);
    }
  });

  it('without an engine reattaches to the running execution when the engine is back', async () => {
    const harness = await buildSchedulerHarness();
    const actor = await harness.actor({ image: 'untilTerm', stateless: false });
    const first = await harness.send(actor, 'one');
    const second = await harness.send(actor, 'two');
    await harness.until(() => harness.world.starts.includes(first));
    harness.daemon.knife.cut = true;
    harness.world.setAvailable(false);
    await harness.restart();
    const standing = (id: string) => harness.scheduler.standingOf({ id, actorId: actor });
    await harness.until(() => standing(first).trouble !== undefined);
    expect(standing(second).isEngineKnown).toBe(false);
    await harness.scheduler.halt(first);
    expect(harness.execution(first)).toMatchObject({ status: 'RUNNING', stopping: 'halted' });
    expect(harness.execution(second)?.status).toBe('SUBMITTED');
    harness.world.setAvailable(true);
    expect(await harness.final(first)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
    await harness.until(() => harness.world.starts.includes(second));
    expect(standing(second)).toMatchObject({ trouble: undefined, isEngineKnown: true });
    await harness.scheduler.halt(second);
    await harness.final(second);
    expect(harness.world.peak.get(actor)).toBe(1);
    await retired(harness);
  });

  it('leaves no resource that the next start does not clean up', async () => {
    const harness = await buildSchedulerHarness();
    const actor = await harness.actor({ token: true });
    await harness.until(() => harness.store.get('actors', actor)?.status === 'READY');
    harness.daemon.knife.when = (crossing) => crossing === 'create!';
    const id = await harness.send(actor, 'one');
    await harness.daemon.knife.severed;
    const orphanBody = await harness.bodies.put(Buffer.from('nobody names this'));
    harness.world.networks.add('w00000000dead');
    expect(harness.world.runs.size).toBe(1);
    await harness.restart();
    expect((await harness.final(id)).status).toBe('COMPLETE');
    await harness.until(() => harness.world.runs.size === 0 && !harness.world.networks.has('w00000000dead'));
    await expect(harness.bodies.read(orphanBody)).rejects.toThrow();
    await retired(harness);
  });

  it('at random moments loses and repeats no message during halts, purges, failed starts and engine outages', async () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.record({ do: fc.constant('send' as const), actor: fc.nat(2) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('halt' as const), which: fc.nat(30) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('purge' as const), actor: fc.nat(2) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('crashAfter' as const), crossings: fc.nat(25) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('away' as const), away: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('failStart' as const), times: fc.nat(2) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('diskFull' as const), times: fc.nat(3) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('rest' as const), ms: fc.nat(6) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const harness = await buildSchedulerHarness();
        const actors = [
          await harness.actor({ stateless: false }),
          await harness.actor(),
          await harness.actor({ token: true, maxWorkers: 2 }),
        ];
        const sent = new Map<string, string>();
        let failing = 0;
        let full = 0;
        harness.world.faults.start = () => {
          failing -= 1;
          return failing >= 0 ? new ExecutorError('start', 'not this time') : undefined;
        };
        harness.refuse = () => {
          full -= 1;
          return full >= 0;
        };
        const revive = async () => {
          if (harness.daemon.knife.cut) await harness.restart();
        };
        for (const now of steps) {
          if (now.do !== 'rest') await revive();
          if (now.do === 'send') {
            const text = String(sent.size);
            sent.set(await harness.send(actors[now.actor] ?? '', text), text);
          }
          if (now.do === 'halt') {
            const id = [...sent.keys()][now.which];
            if (id !== undefined)
              await Promise.race([harness.scheduler.halt(id).catch(() => undefined), harness.daemon.knife.severed]);
          }
          if (now.do === 'purge') await harness.purge(actors[now.actor] ?? '');
          if (now.do === 'crash') await harness.crash();
          if (now.do === 'crashAfter') {
            const { knife } = harness.daemon;
            const at = knife.crossed.length + now.crossings;
            knife.when = (_, index) => index >= at;
          }
          if (now.do === 'away') harness.world.setAvailable(!now.away);
          if (now.do === 'failStart') failing = now.times;
          if (now.do === 'diskFull') full = now.times;
          if (now.do === 'rest') await new Promise((resolve) => setTimeout(resolve, now.ms));
        }
        failing = 0;
        full = 0;
        harness.world.setAvailable(true);
        await harness.crash();
        await checkEnd(harness, sent, actors);
        expect(harness.world.peak.get(actors[0] ?? '') ?? 0).toBeLessThanOrEqual(1);
        expect(harness.world.peak.get(actors[2] ?? '') ?? 0).toBeLessThanOrEqual(2);
        await retired(harness);
      }),
      { numRuns: examples(40) },
    );
  });
});

// Kill -9 of the daemon at any step: every acknowledged message leads to one finished execution, and none runs twice.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExecutorError } from '../../../daemon/ports/executor.ts';
import { buildSchedulerHouse, type SchedulerHouse } from '../../support/engine/scheduler-house.ts';
import { examples } from '../../support/runner/examples.ts';

/** Waits until everything has finished, then checks the rules that hold after any sequence of events. */
const checkEnd = async (house: SchedulerHouse, sent: ReadonlyMap<string, string>, actors: readonly string[]) => {
  const finals = await Promise.all([...sent.keys()].map(house.final));
  const runs = new Map<string, number>();
  for (const id of house.world.starts) runs.set(id, (runs.get(id) ?? 0) + 1);
  for (const { id, status, reason, statusMessage } of finals) {
    const times = runs.get(id) ?? 0;
    expect({ id, times, status, statusMessage }).toMatchObject({ times: expect.toSatisfy((n: number) => n <= 1) });
    if (status === 'COMPLETE' && reason === 'exited') {
      expect(times).toBe(1);
      expect(await house.logs.read(id)).toBe(`hello ${sent.get(id)}\n`);
    }
    if (status === 'CANCELLED') expect(times).toBe(0);
  }
  for (const actor of actors) {
    // The starts of a stateless actor may overlap. Its claims are in order, or the house complains.
    if (house.store.get('actors', actor)?.stateless) continue;
    const inOrder = [...house.store.by('executions', 'actor', actor)]
      .sort((a, b) => a.sequence - b.sequence)
      .map(({ id }) => id);
    const started = house.world.starts.filter((id) => inOrder.includes(id));
    expect(started).toEqual(inOrder.filter((id) => runs.has(id)));
  }
  await house.until(() => house.world.runs.size === 0);
  expect(house.store.count('messages')).toBe(0);
  expect([...house.store.all('tokens')]).toEqual([]);
  const workers = new Set([...house.store.all('workers')].map(({ id }) => id));
  await house.until(() => [...house.world.networks].every((id) => workers.has(id)));
  return finals;
};

const retired = async (house: SchedulerHouse) => {
  await house.close();
  expect(house.complaints).toEqual([]);
};

/** Sets up two actors and four messages, one of them with its body in a file. The first start fails. */
const play = async (house: SchedulerHouse, sent: Map<string, string>): Promise<readonly string[]> => {
  let failing = 1;
  house.world.faults.start = () => {
    failing -= 1;
    return failing >= 0 ? new ExecutorError('start', 'not this time') : undefined;
  };
  const actors = [await house.actor({ stateless: false }), await house.actor({ token: true })];
  for (const [at, text] of ['a', 'b', 'c', 'd'].entries()) {
    const actor = actors[at % 2] ?? '';
    const inFile = text === 'c';
    const bodyFile = inFile ? await house.bodies.put(Buffer.from(text)) : null;
    const fields = inFile ? { text: null, bodyFile, size: 1 } : {};
    sent.set(await house.send(actor, text, fields), text);
  }
  return actors;
};

const allFinal = (house: SchedulerHouse, sent: ReadonlyMap<string, string>): boolean =>
  [...sent.keys()].every((id) => !['SUBMITTED', 'RUNNING'].includes(house.execution(id)?.status ?? ''));

describe('a killed daemon', () => {
  it('loses no message and runs none twice, whichever step of the protocol is interrupted', async () => {
    const rehearsal = await buildSchedulerHouse();
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
      const house = await buildSchedulerHouse();
      const sent = new Map<string, string>();
      house.daemon.knife.when = (_, index) => index === step;
      const actors = await play(house, sent);
      await house.until(() => house.daemon.knife.cut || allFinal(house, sent));
      house.daemon.knife.cut = true;
      await house.restart();
      const finals = await checkEnd(house, sent, actors);
      expect({ step, statuses: finals.map(({ status }) => status) }).toEqual({
        step,
        statuses: ['COMPLETE', 'COMPLETE', 'COMPLETE', 'COMPLETE'],
      });
      await retired(house);
    }
  });

  it('without an engine reattaches to the running execution when the engine is back', async () => {
    const house = await buildSchedulerHouse();
    const actor = await house.actor({ image: 'untilTerm', stateless: false });
    const first = await house.send(actor, 'one');
    const second = await house.send(actor, 'two');
    await house.until(() => house.world.starts.includes(first));
    house.daemon.knife.cut = true;
    house.world.setAvailable(false);
    await house.restart();
    await house.scheduler.halt(first);
    expect(house.execution(first)).toMatchObject({ status: 'RUNNING', stopping: 'halted' });
    expect(house.execution(second)?.status).toBe('SUBMITTED');
    house.world.setAvailable(true);
    expect(await house.final(first)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
    await house.until(() => house.world.starts.includes(second));
    await house.scheduler.halt(second);
    await house.final(second);
    expect(house.world.peak.get(actor)).toBe(1);
    await retired(house);
  });

  it('leaves nothing behind that the next start does not clean up', async () => {
    const house = await buildSchedulerHouse();
    const actor = await house.actor({ token: true });
    await house.until(() => house.store.get('actors', actor)?.status === 'READY');
    house.daemon.knife.when = (crossing) => crossing === 'create!';
    const id = await house.send(actor, 'one');
    await house.daemon.knife.severed;
    const orphanBody = await house.bodies.put(Buffer.from('nobody names this'));
    house.world.networks.add('w00000000dead');
    expect(house.world.runs.size).toBe(1);
    await house.restart();
    expect((await house.final(id)).status).toBe('COMPLETE');
    await house.until(() => house.world.runs.size === 0 && !house.world.networks.has('w00000000dead'));
    await expect(house.bodies.read(orphanBody)).rejects.toThrow();
    await retired(house);
  });

  it('at random moments keeps these rules during halts, purges, failed starts and engine outages', async () => {
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
        const house = await buildSchedulerHouse();
        const actors = [
          await house.actor({ stateless: false }),
          await house.actor(),
          await house.actor({ token: true, maxWorkers: 2 }),
        ];
        const sent = new Map<string, string>();
        let failing = 0;
        let full = 0;
        house.world.faults.start = () => {
          failing -= 1;
          return failing >= 0 ? new ExecutorError('start', 'not this time') : undefined;
        };
        house.refuse = () => {
          full -= 1;
          return full >= 0;
        };
        const revive = async () => {
          if (house.daemon.knife.cut) await house.restart();
        };
        for (const now of steps) {
          if (now.do !== 'rest') await revive();
          if (now.do === 'send') {
            const text = String(sent.size);
            sent.set(await house.send(actors[now.actor] ?? '', text), text);
          }
          if (now.do === 'halt') {
            const id = [...sent.keys()][now.which];
            if (id !== undefined)
              await Promise.race([house.scheduler.halt(id).catch(() => undefined), house.daemon.knife.severed]);
          }
          if (now.do === 'purge') await house.purge(actors[now.actor] ?? '');
          if (now.do === 'crash') await house.crash();
          if (now.do === 'crashAfter') {
            const { knife } = house.daemon;
            const at = knife.crossed.length + now.crossings;
            knife.when = (_, index) => index >= at;
          }
          if (now.do === 'away') house.world.setAvailable(!now.away);
          if (now.do === 'failStart') failing = now.times;
          if (now.do === 'diskFull') full = now.times;
          if (now.do === 'rest') await new Promise((resolve) => setTimeout(resolve, now.ms));
        }
        failing = 0;
        full = 0;
        house.world.setAvailable(true);
        await house.crash();
        await checkEnd(house, sent, actors);
        expect(house.world.peak.get(actors[0] ?? '') ?? 0).toBeLessThanOrEqual(1);
        expect(house.world.peak.get(actors[2] ?? '') ?? 0).toBeLessThanOrEqual(2);
        await retired(house);
      }),
      { numRuns: examples(40) },
    );
  });
});

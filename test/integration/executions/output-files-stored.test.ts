// Results and states that executions return in files, with a real store and an engine in memory whose daemon is killed.
import { describe, expect, it } from 'vitest';
import { putNextState } from '../../../daemon/domain/actors/state.ts';
import type { ScriptIo } from '../../support/engine/fake-world.ts';
import { build, closeHarnesses, gated, harness } from '../../support/engine/scheduler-fixture.ts';
import { buildSchedulerHarness, type SchedulerHarness } from '../../support/engine/scheduler-harness.ts';

closeHarnesses();

const returning = (name: string, script: (io: ScriptIo) => number) =>
  harness.world.images.set(name, async (io) => script(io));

const resultsOf = async (executionId: string, from = harness): Promise<readonly string[]> => {
  const taken: string[] = [];
  for (;;) {
    const bytes = await from.results.take(executionId);
    if (bytes === undefined) return taken;
    taken.push(String(bytes));
  }
};
const statesOf = (actorId: string, from = harness) => from.store.by('states', 'actor', actorId);

describe('output files', () => {
  it.each([
    ['a short result', 'x'],
    ['the longest result', 'y'.repeat(131_072)],
  ])('return %s behind the results that were sent, together with the end', async (_name, text) => {
    await build();
    const gate = gated('sending');
    const sends = harness.world.images.get('sending');
    harness.world.images.set('sending', async (io) => {
      const code = (await sends?.(io)) ?? 1;
      io.returned.result = text;
      return code;
    });
    const id = await harness.send(await harness.actor({ image: 'sending' }), 'go');
    await harness.until(() => gate.running().includes('go'));
    await harness.results.put(id, Buffer.from('first'));
    await gate.let('go');
    const execution = await harness.final(id);
    expect(execution).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
    expect(execution).not.toHaveProperty('statusMessage');
    expect(await resultsOf(id)).toEqual(['first', text]);
    expect(await harness.logs.read(id)).toBe('');
  });

  it('return a result and a state whatever the exit code, and also at a halt', async () => {
    await build();
    harness.world.images.set('returning', async ({ returned, terminated, environment }) => {
      if (environment['MSG'] === 'wait')
        await new Promise<void>((resolve) => terminated.addEventListener('abort', () => resolve()));
      returned.result = 'a result';
      returned.state = JSON.stringify([returned.state, environment['MSG']]);
      return 3;
    });
    const actor = await harness.actor({ image: 'returning', stateless: false });
    const failed = await harness.send(actor, 'fail');
    expect(await harness.final(failed)).toMatchObject({ status: 'COMPLETE', exitCode: 3 });
    const halted = await harness.send(actor, 'wait');
    await harness.until(() => harness.world.starts.includes(halted));
    await harness.scheduler.halt(halted);
    expect(await harness.final(halted)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
    expect([await resultsOf(failed), await resultsOf(halted)]).toEqual([['a result'], ['a result']]);
    const first = '["{}","fail"]';
    expect(statesOf(actor)).toMatchObject([
      { version: 1, text: first, bytes: first.length, by: 'ana', executionId: failed },
      { version: 2, text: JSON.stringify([first, 'wait']), executionId: halted },
    ]);
  });

  it('win over a state that was posted during the run, and leave it if they were not changed', async () => {
    await build();
    const gate = gated('posted');
    const runs = harness.world.images.get('posted');
    harness.world.images.set('posted', async (io) => {
      const code = (await runs?.(io)) ?? 1;
      if (io.environment['MSG'] === 'write') io.returned.state = '"file"';
      return code;
    });
    const actor = await harness.actor({ image: 'posted', stateless: false });
    for (const message of ['keep', 'write']) {
      const id = await harness.send(actor, message);
      await harness.until(() => gate.running().includes(message));
      await harness.store.transact((tx) =>
        putNextState(tx, { id: actor, tenant: 'DEV' }, { text: '"posted"', bytes: 8, by: 'ana', at: 1 }),
      );
      await gate.let(message);
      await harness.final(id);
    }
    expect(statesOf(actor).map(({ text }) => text)).toEqual(['"posted"', '"posted"', '"file"']);
  });

  it.each([
    ['', 'the file is empty'],
    ['{"n":', 'the file is not JSON'],
    ['{} {}', 'the file is not JSON'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'its JSON is nested deeper than 64 levels'],
    ['"\ud800"', undefined],
    ['1', undefined],
    ['null', undefined],
  ])('with the state %j leave the state as it was and say so, or store it', async (state, fault) => {
    await build();
    returning('stating', ({ returned, out }) => {
      out('no line end');
      returned.state = state;
      return 0;
    });
    const actor = await harness.actor({ image: 'stating', stateless: false });
    const id = await harness.send(actor);
    const complaint = `The state in _svc_state_file is not stored: ${fault}.`;
    const execution = await harness.final(id);
    expect(execution.status).toBe('COMPLETE');
    expect(execution.statusMessage).toBe(fault && complaint);
    expect(await harness.logs.read(id)).toBe(fault === undefined ? 'no line end' : `no line end\n[${complaint}]\n`);
    expect(statesOf(actor)).toHaveLength(fault === undefined ? 1 : 0);
  });

  it('over the limits are refused in the log and the status message', async () => {
    await build({ stateBytes: 5 });
    returning('large', ({ returned }) => {
      returned.result = 'x'.repeat(131_073);
      returned.state = '123456';
      return 0;
    });
    const actor = await harness.actor({ image: 'large', stateless: false });
    const id = await harness.send(actor);
    const words =
      'The result in _svc_result_file is not stored: the file has more than 131072 bytes. The state in _svc_state_file is not stored: the file has more than 5 bytes.';
    expect(await harness.final(id)).toMatchObject({ status: 'COMPLETE', statusMessage: words });
    expect(await harness.logs.read(id)).toBe(`[${words.replace('bytes. ', 'bytes.]\n[')}]\n`);
    expect([await resultsOf(id), statesOf(actor)]).toEqual([[], []]);
  });

  it('are refused if too many results wait', async () => {
    await build();
    const gate = gated('many');
    const runs = harness.world.images.get('many');
    harness.world.images.set('many', async (io) => {
      await runs?.(io);
      io.returned.result = 'one more';
      return 0;
    });
    const id = await harness.send(await harness.actor({ image: 'many' }), 'go');
    await harness.until(() => gate.running().includes('go'));
    for (let n = 0; n < 1_000; n += 1) await harness.results.put(id, Buffer.from('x'));
    await gate.let('go');
    expect((await harness.final(id)).statusMessage).toContain('1000 results are waiting');
    expect(await resultsOf(id)).toHaveLength(1_000);
  });

  it('of a run that the engine interrupted do not count, because it did not end by itself', async () => {
    await build();
    harness.world.images.set('broken', async ({ returned }) => {
      returned.result = 'half a re';
      await new Promise(() => undefined);
      return 0;
    });
    const id = await harness.send(await harness.actor({ image: 'broken' }));
    await harness.until(() => harness.world.starts.includes(id));
    harness.world.interrupt('the engine stopped');
    expect(await harness.final(id)).toMatchObject({ status: 'ERROR', statusMessage: 'the engine stopped' });
    expect(await resultsOf(id)).toEqual([]);
  });

  it('wait for a disk that refuses writes', async () => {
    await build();
    returning('waiting', ({ returned }) => {
      harness.refuse = () => true;
      returned.result = 'late';
      returned.state = '1';
      return 0;
    });
    const actor = await harness.actor({ image: 'waiting', stateless: false });
    const id = await harness.send(actor);
    await harness.until(() => [...harness.world.runs.values()].some(({ state }) => state === 'ended'));
    expect(harness.execution(id)?.status).toBe('RUNNING');
    harness.refuse = undefined;
    await harness.final(id);
    expect([await resultsOf(id), statesOf(actor).map(({ text }) => text)]).toEqual([['late'], ['1']]);
  });
});

describe('output files under a daemon that is killed', () => {
  const play = async (world: SchedulerHarness): Promise<readonly [string, string]> => {
    world.world.images.set('returning', async ({ returned, environment }) => {
      // Larger than a record, so that it is a file of the daemon too.
      returned.result = environment['MSG']?.repeat(5_000) ?? '';
      returned.state = `${returned.state === '{}' ? '' : returned.state}1`;
      return 0;
    });
    const actor = await world.actor({ image: 'returning', stateless: false });
    return [actor, await world.send(actor, 'm')];
  };
  const isFinal = (world: SchedulerHarness, id: string) => world.execution(id)?.status === 'COMPLETE';

  it('return their result and state exactly once, whichever step is interrupted', async () => {
    await build();
    const from = harness.daemon.knife.crossed.length;
    await harness.final((await play(harness))[1]);
    await harness.until(() => harness.world.runs.size === 0);
    const { crossed } = harness.daemon.knife;
    expect(crossed).toEqual(expect.arrayContaining(['outputs', 'outputs!', 'stage', 'stage!', 'close', 'transact']));
    for (let step = from + 1; step <= crossed.length; step += 1) {
      const world = await buildSchedulerHarness();
      world.daemon.knife.when = (_, index) => index === step;
      const [actor, id] = await play(world);
      await world.until(() => world.daemon.knife.cut || (isFinal(world, id) && world.world.runs.size === 0));
      world.daemon.knife.cut = true;
      await world.restart();
      await world.final(id);
      const found = [
        (await resultsOf(id, world)).map(({ length }) => length),
        statesOf(actor, world).map(({ text }) => text),
      ];
      expect({ step, found }).toEqual({ step, found: [[5_000], ['1']] });
      await world.close();
      expect(world.complaints).toEqual([]);
    }
  });
});

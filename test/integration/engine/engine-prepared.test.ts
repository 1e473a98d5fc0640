// The run of the next message is created while an earlier one runs: when it is used, and when it is removed.
import { describe, expect, it } from 'vitest';
import type { WorkerSlot } from '../../../daemon/engine/actor-workers.ts';
import { claimExecution } from '../../../daemon/engine/transactions.ts';
import { ExecutorError } from '../../../daemon/ports/executor.ts';
import { actorOf, build, closeHouses, gated, house, workersOf } from '../../support/engine/engine-fixture.ts';
import { stateRecord, tokenRecord } from '../../support/service/records.ts';

closeHouses();

/** Runs that are created and not started, by message. */
const waiting = (): readonly string[] =>
  [...house.world.runs.values()]
    .filter(({ state }) => state === 'created')
    .map(({ spec }) => spec.environment['MSG'] ?? '');

/** The messages of the created runs, in order. */
const creations = (): string[] => {
  const created: string[] = [];
  house.world.faults.create = ({ environment: { MSG = '' } }) => {
    created.push(MSG);
    return undefined;
  };
  return created;
};

/** An actor with one worker that runs `a`, while the run of `b` is created and `c` waits. */
const busyActor = async (fields: Parameters<typeof house.actor>[0] = {}) => {
  const gate = gated();
  const created = creations();
  const actor = await house.actor({ image: 'gated', maxWorkers: 1, ...fields });
  const [a, b, c] = [await house.send(actor, 'a'), await house.send(actor, 'b'), await house.send(actor, 'c')];
  await house.until(() => gate.running().includes('a') && waiting().includes('b'));
  const finish = async (...texts: readonly string[]) => {
    for (const text of texts) await gate.let(text);
  };
  return { actor, a, b, c, created, gate, finish };
};

describe('the run of the next message', () => {
  it('is created once, while the one before runs, in the same worker', async () => {
    await build();
    const { a, b, c, created, finish } = await busyActor();
    expect(waiting()).toEqual(['b']);
    expect(house.execution(b)?.status).toBe('SUBMITTED');
    await finish('a', 'b', 'c');
    const ends = await Promise.all([a, b, c].map(house.final));
    expect(created).toEqual(['a', 'b', 'c']);
    expect(house.world.starts).toEqual([a, b, c]);
    expect(new Set(ends.map(({ workerId }) => workerId)).size).toBe(1);
  });

  it('is created for a stateful actor that stores no state', async () => {
    await build();
    const { a, b, c, created, finish } = await busyActor({ stateless: false });
    await finish('a', 'b', 'c');
    await Promise.all([a, b, c].map(house.final));
    expect(created).toEqual(['a', 'b', 'c']);
    expect(house.world.peak.get('all')).toBe(1);
  });

  it('of a stateful actor that stores states is created after the one before has ended', async () => {
    await build();
    const { actor, a, b, c, created, gate, finish } = await busyActor({ stateless: false });
    const storeState = (version: number) =>
      house.store.transact((tx) => tx.put('states', stateRecord(actor, version, { text: `{"n":${version}}` })));
    await storeState(1);
    await finish('a');
    await house.final(a);
    await house.until(() => gate.running().includes('b'));
    // The prepared run had the state before.
    expect(created).toEqual(['a', 'b', 'b']);
    expect(waiting()).toEqual([]);
    await storeState(2);
    await finish('b', 'c');
    await Promise.all([b, c].map(house.final));
    expect(created).toEqual(['a', 'b', 'b', 'c']);
  });

  it('is created again if the description of the actor has changed', async () => {
    await build();
    const { actor, b, finish } = await busyActor();
    const version = (actorOf(actor)?.version ?? 1) + 1;
    await house.update(actor, { version, environment: { COLOUR: 'blue' } });
    let seen: string | undefined;
    house.world.faults.start = ({ environment: { COLOUR } }) => {
      seen = COLOUR;
      return undefined;
    };
    await finish('a', 'b');
    await house.final(b);
    expect(seen).toBe('blue');
    await finish('c');
  });

  it('R154 is created again if the actor has another owner, whose token it gets', async () => {
    await build();
    const { actor, b, created, gate, finish } = await busyActor({ token: true });
    await house.update(actor, { owner: 'heir' });
    await finish('a');
    await house.until(() => gate.running().includes('b'));
    // The run of c may be prepared by now.
    expect(created.slice(0, 3)).toEqual(['a', 'b', 'b']);
    expect(house.store.by('tokens', 'execution', b)).toMatchObject([{ username: 'heir' }]);
    await finish('b', 'c');
  });

  it('R154 is not claimed with a token of the owner of before', async () => {
    await build();
    const { actor, b, finish } = await busyActor();
    const { owner, revision } = actorOf(actor) ?? expect.fail('no actor');
    const verdicts: string[] = [];
    const tries = house.store.transact((tx) => {
      for (const username of ['former', owner]) {
        const token = tokenRecord('t', { username, executionId: b });
        const slot = { workerId: 'w', revision } as WorkerSlot;
        verdicts.push(claimExecution(tx, { executionId: b, slot, runRef: 'r', token, now: 1 }));
      }
      throw new Error('nothing is kept');
    });
    await expect(tries).rejects.toThrow('nothing is kept');
    expect(verdicts).toEqual(['stale', 'claimed']);
    await finish('a', 'b', 'c');
  });

  it('is removed at once when its message is purged', async () => {
    await build();
    const { actor, a, b, finish } = await busyActor();
    await house.purge(actor);
    await house.until(() => waiting().length === 0);
    const d = await house.send(actor, 'd');
    await house.until(() => waiting().includes('d'));
    await finish('a', 'd');
    await Promise.all([a, d].map(house.final));
    expect(house.world.starts).toEqual([a, d]);
    expect(house.execution(b)?.status).toBe('CANCELLED');
  });

  it('is removed at once by a new revision, which runs its message', async () => {
    await build();
    const { actor, a, b, c } = await busyActor();
    await house.update(actor, { revision: 2, image: 'hello', status: 'SUBMITTED' });
    await house.until(() => waiting().length === 0);
    await house.engine.halt(a);
    await Promise.all([a, b, c].map(house.final));
    expect(house.world.starts).toEqual([a, b, c]);
    expect(await house.logs.read(b)).toBe('hello b\n');
  });

  it('is removed at once when its worker is dismissed, and another worker runs its message', async () => {
    await build();
    const { actor, a, b, c, finish } = await busyActor();
    house.engine.dismissWorker(actor, workersOf(actor)[0]?.id ?? '');
    await house.until(() => waiting().length === 0);
    await finish('a', 'b', 'c');
    const [first, second] = await Promise.all([a, b, c].map(house.final));
    expect(second?.workerId).not.toBe(first?.workerId);
  });

  it('is removed when the actor is deleted', async () => {
    await build();
    const { actor, a } = await busyActor();
    await house.store.transact((tx) => {
      const record = tx.get('actors', actor);
      if (record !== undefined) tx.put('actors', { ...record, status: 'SHUTTING_DOWN' });
    });
    await house.engine.retire(actor);
    expect(house.world.starts).toEqual([a]);
    await house.until(() => house.world.leftovers().length === 0);
  });

  it('is removed when the daemon stops, and the next daemon runs its message', async () => {
    await build();
    const { a, b, c, finish } = await busyActor();
    await house.engine.stop({ deadlineMs: 0, killActors: false });
    expect(waiting()).toEqual([]);
    await house.restart();
    await finish('a', 'b', 'c');
    await Promise.all([a, b, c].map(house.final));
    expect(house.world.starts).toEqual([a, b, c]);
  });

  it('of a killed daemon is removed by the next one, which runs its message', async () => {
    await build();
    const { a, b, c, finish } = await busyActor();
    const left = [...house.world.runs.values()].find(({ state }) => state === 'created')?.ref ?? '';
    await house.crash();
    await house.until(() => !house.world.runs.has(left));
    await finish('a', 'b', 'c');
    await Promise.all([a, b, c].map(house.final));
    expect(house.world.starts).toEqual([a, b, c]);
    await house.until(() => house.world.runs.size === 0);
  });

  it('is removed if an earlier message returns to the mailbox', async () => {
    await build({ maxParallel: 2 });
    const gate = gated();
    let release: ((fault: Error | undefined) => void) | undefined;
    house.world.faults.start = ({ environment: { MSG } }) =>
      MSG === 'b' && release === undefined ? new Promise((resolve) => (release = resolve)) : undefined;
    const actor = await house.actor({ image: 'gated', maxWorkers: 2 });
    const sent: string[] = [];
    for (const text of ['a', 'b', 'c']) sent.push(await house.send(actor, text));
    await house.until(() => gate.running().includes('a') && release !== undefined && waiting().includes('c'));
    release?.(new ExecutorError('start', 'not this time'));
    await house.until(() => gate.running().includes('b'));
    for (const text of ['a', 'b', 'c']) await gate.let(text);
    await Promise.all(sent.map(house.final));
    expect(house.claims).toEqual([sent[0], sent[1], sent[1], sent[2]]);
  });

  it('is created at its turn if it could not be created before, and only that counts', async () => {
    await build();
    const gate = gated();
    const actor = await house.actor({ image: 'gated', maxWorkers: 1 });
    let refused = 0;
    house.world.faults.create = ({ environment: { MSG } }) => {
      if (MSG !== 'b' || refused > 0) return undefined;
      refused += 1;
      return new ExecutorError('start', 'not this time');
    };
    const [a, b] = [await house.send(actor, 'a'), await house.send(actor, 'b')];
    await house.until(() => refused === 1);
    expect(actorOf(actor)?.startFailures).toBe(0);
    await gate.let('a');
    await gate.let('b');
    await Promise.all([a, b].map(house.final));
    expect(house.world.starts).toEqual([a, b]);
  });

  it('gets a token whose lifetime begins at the claim', async () => {
    await build();
    const { a, b, finish } = await busyActor({ token: true, maxRunTime: 60 });
    await finish('a');
    await house.final(a);
    await house.until(() => house.execution(b)?.status === 'RUNNING');
    const [token] = house.store.by('tokens', 'execution', b);
    expect(token?.issuedAt).toBeGreaterThanOrEqual(house.execution(a)?.finishedAt ?? Number.POSITIVE_INFINITY);
    expect((token?.expiresAt ?? 0) - (token?.issuedAt ?? 0)).toBe(60_050);
    await finish('b', 'c');
  });
});

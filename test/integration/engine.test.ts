// The engine from message to final execution, over a real store and an engine in memory.
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { EngineSettings } from '../../daemon/engine/settings.ts';
import { ExecutorError } from '../../daemon/ports/executor.ts';
import { buildEngineHouse, type EngineHouse } from '../support/engine-house.ts';
import { outOfMemory } from '../support/fake-executor.ts';

let house: EngineHouse;

const build = async (settings: Partial<EngineSettings> = {}): Promise<EngineHouse> => {
  house = await buildEngineHouse(settings);
  return house;
};

afterEach(async () => {
  await house.close();
  expect(house.complaints).toEqual([]);
});

const statusOf = (actorId: string): string | undefined => house.store.get('actors', actorId)?.status;
const actorOf = (actorId: string) => house.store.get('actors', actorId);
const workersOf = (actorId: string) => house.store.by('workers', 'actor', actorId);
const startError = () => new ExecutorError('start', 'exec format error');

/** An image whose runs end when the test says so, in any order. */
const gated = (name = 'gated') => {
  const gates = new Map<string, () => void>();
  house.world.images.set(name, async ({ environment, terminated }) => {
    await new Promise<void>((resolve) => {
      gates.set(environment['MSG'] ?? '', resolve);
      terminated.addEventListener('abort', () => resolve());
    });
    return terminated.aborted ? 143 : 0;
  });
  return {
    running: () => [...gates.keys()],
    let: async (message: string) => {
      await house.until(() => gates.has(message));
      gates.get(message)?.();
      gates.delete(message);
    },
  };
};

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

describe('executions', () => {
  it('keep the log, the exit code, the times and the worker, and leave nothing in the engine', async () => {
    await build();
    const actor = await house.actor({ image: 'failing' });
    const id = await house.send(actor);
    const execution = await house.final(id);
    expect(execution).toMatchObject({ status: 'COMPLETE', reason: 'exited', exitCode: 3, finalState: { ExitCode: 3 } });
    expect(execution.startedAt).toBeGreaterThanOrEqual(execution.receivedAt - 1000);
    expect(execution.finishedAt).toBeGreaterThanOrEqual(execution.startedAt ?? Number.NaN);
    expect(execution).not.toHaveProperty('runRef');
    expect(await house.logs.read(id)).toBe('failing\n');
    expect(statusOf(actor)).toBe('READY');
    await house.until(() => house.world.runs.size === 0);
    expect(workersOf(actor)).toMatchObject([{ status: 'READY', lastExecutionAt: execution.finishedAt }]);
  });

  it('of one actor start in the order in which its messages were taken, side by side up to the bound', async () => {
    await build({ maxParallel: 3 });
    const actor = await house.actor();
    const sent: string[] = [];
    for (let i = 0; i < 30; i += 1) sent.push(await house.send(actor, String(i)));
    await Promise.all(sent.map(house.final));
    expect(house.world.starts).toEqual(sent);
    expect(house.world.peak.get(actor)).toBeLessThanOrEqual(3);
  });

  it('of a stateless actor run side by side up to maxWorkers, each in a worker of its own', async () => {
    await build({ maxParallel: 4, maxInFlight: 8 });
    const gate = gated();
    const actor = await house.actor({ image: 'gated', maxWorkers: 2 });
    const sent = await Promise.all(['a', 'b', 'c'].map((text) => house.send(actor, text)));
    await house.until(() => gate.running().length === 2);
    expect(workersOf(actor).map(({ status }) => status)).toEqual(['BUSY', 'BUSY']);
    expect(house.store.countBy('messages', 'actor', actor)).toBe(1);
    for (const text of ['b', 'a', 'c']) await gate.let(text);
    await Promise.all(sent.map(house.final));
    expect(house.world.peak.get(actor)).toBe(2);
  });

  it('of a stateful actor run one at a time', async () => {
    await build({ maxParallel: 4 });
    const actor = await house.actor({ stateless: false });
    const sent = await Promise.all(Array.from({ length: 10 }, (_, i) => house.send(actor, String(i))));
    await Promise.all(sent.map(house.final));
    expect(house.world.peak.get(actor)).toBe(1);
  });

  it('of other actors come in between those of a busy one', async () => {
    await build({ maxParallel: 1, maxInFlight: 1 });
    const [busy, other] = [await house.actor(), await house.actor()];
    await house.until(() => statusOf(busy) === 'READY' && statusOf(other) === 'READY');
    const many: string[] = [];
    for (let i = 0; i < 20; i += 1) many.push(await house.send(busy, String(i)));
    const one = await house.send(other);
    await Promise.all([...many, one].map(house.final));
    expect(house.world.starts.indexOf(one)).toBeLessThan(house.world.starts.length - 1);
    expect(house.world.peak.get('all')).toBe(1);
  });

  it('of all actors together stay within the bound of the instance', async () => {
    await build({ maxParallel: 4, maxInFlight: 3 });
    const actors = await Promise.all(Array.from({ length: 5 }, () => house.actor()));
    const sent = await Promise.all([...actors, ...actors, ...actors].map((actor) => house.send(actor)));
    await Promise.all(sent.map(house.final));
    expect(house.world.peak.get('all')).toBeLessThanOrEqual(3);
  });

  it('find message, state and context in their environment, and no variables of the daemon', async () => {
    await build();
    let seen: Readonly<Record<string, string>> = {};
    house.world.images.set('spy', async ({ environment }) => {
      seen = environment;
      return 0;
    });
    const actor = await house.actor({ image: 'spy', state: { n: 1 }, name: 'spy', environment: { A: '1', B: '1' } });
    const id = await house.send(actor, 'text', { variables: { B: '2' } });
    const { workerId } = await house.final(id);
    expect(seen).toEqual({
      PYTHONUNBUFFERED: '1',
      A: '1',
      B: '2',
      MSG: 'text',
      _svc_username: 'ana',
      _svc_api_server: 'http://172.30.0.1:8722',
      _svc_execution_id: id,
      _svc_Content_Type: 'str',
      _svc_actor_revision: '1',
      _svc_actor_dbid: `DEV_${actor}`,
      _svc_actor_id: actor,
      _svc_worker_id: workerId,
      _svc_container_repo: 'spy',
      _svc_actor_state: '{"n":1}',
      _svc_actor_name: 'spy',
    });
  });

  it('R154 are given a token of the owner that is valid while they run and nowhere in the clear', async () => {
    await build();
    const gate = gated();
    const actor = await house.actor({ image: 'gated', stateless: false, owner: 'eve', maxRunTime: 60 });
    const id = await house.send(actor, 'one');
    await house.until(() => gate.running().includes('one'));
    const secret = [...house.world.runs.values()][0]?.spec.environment['_svc_access_token'] ?? '';
    const [token, ...others] = house.store.by('tokens', 'execution', id);
    expect(others).toEqual([]);
    expect(token).toMatchObject({ username: 'eve', tenant: 'DEV', flow: 'execution', executionId: id });
    expect((token?.expiresAt ?? 0) - (token?.issuedAt ?? 0)).toBeLessThanOrEqual(60_000 + 50);
    expect(secret.length).toBeGreaterThan(40);
    expect(JSON.stringify(token)).not.toContain(secret);
    await gate.let('one');
    await house.final(id);
    expect(house.store.by('tokens', 'execution', id)).toEqual([]);
  });

  it('read a body that stands in a file, and the file goes when they have started', async () => {
    await build();
    const seen: string[] = [];
    house.world.images.set('spy', async ({ environment, files }) => {
      seen.push(environment['MSG'] ?? `file ${files.get(environment['MSG_FILE'] ?? '')?.length}`);
      return 0;
    });
    const actor = await house.actor({ image: 'spy' });
    for (const size of [100_000, 200_000]) {
      const bodyFile = await house.bodies.put(Buffer.alloc(size, 'x'));
      await house.final(await house.send(actor, '', { text: null, bodyFile, size }));
      await house.until(() => !existsSync(house.bodies.path(bodyFile)));
    }
    expect(seen).toEqual(['x'.repeat(100_000), 'file 200000']);
  });

  it('leave no body behind when the answer to the start is lost, nor when they are halted before it', async () => {
    await build();
    const actor = await house.actor();
    let answersLost = 1;
    house.world.faults.started = () => {
      answersLost -= 1;
      return answersLost >= 0 ? new ExecutorError('unavailable', 'connection reset') : undefined;
    };
    const withBody = async () => {
      const bodyFile = await house.bodies.put(Buffer.alloc(200_000, 'x'));
      return { bodyFile, id: await house.send(actor, '', { text: null, bodyFile, size: 200_000 }) };
    };
    const lost = await withBody();
    expect((await house.final(lost.id)).status).toBe('COMPLETE');
    let halting: Promise<void> | undefined;
    house.world.faults.start = ({ executionId }) => {
      halting ??= house.engine.halt(executionId);
      return startError();
    };
    const halted = await withBody();
    expect(await house.final(halted.id)).toMatchObject({ reason: 'halted' });
    await halting;
    await house.until(() => ![lost, halted].some(({ bodyFile }) => existsSync(house.bodies.path(bodyFile))));
  });

  it('that take too much memory end COMPLETE with the reason out_of_memory', async () => {
    await build();
    house.world.images.set('eater', async () => {
      throw outOfMemory;
    });
    const actor = await house.actor({ image: 'eater' });
    expect(await house.final(await house.send(actor))).toMatchObject({
      status: 'COMPLETE',
      reason: 'out_of_memory',
      exitCode: 137,
    });
  });

  it('whose engine dies under them end in ERROR with its words', async () => {
    await build();
    const actor = await house.actor({ image: 'forever' });
    const id = await house.send(actor);
    await house.until(() => house.world.starts.includes(id));
    house.world.interrupt('the fake engine was stopped');
    expect(await house.final(id)).toMatchObject({ status: 'ERROR', statusMessage: 'the fake engine was stopped' });
    expect(await house.final(id)).not.toHaveProperty('reason');
  });
});

describe('stopping', () => {
  it('by time limit ends COMPLETE with the reason timed_out', async () => {
    await build();
    const actor = await house.actor({ image: 'untilTerm', maxRunTime: 0.05 });
    expect(await house.final(await house.send(actor))).toMatchObject({ reason: 'timed_out', exitCode: 143 });
  });

  it('by halt ends COMPLETE with the reason halted, killed if it does not listen', async () => {
    await build();
    const actor = await house.actor({ image: 'forever' });
    const id = await house.send(actor);
    await house.until(() => house.execution(id)?.status === 'RUNNING');
    await house.engine.halt(id);
    expect(house.execution(id)?.stopping ?? 'final').toMatch(/halted|final/);
    expect(await house.final(id)).toMatchObject({ status: 'COMPLETE', reason: 'halted', exitCode: 137 });
  });

  it('is refused for an execution that does not run', async () => {
    await build();
    const actor = await house.actor({ image: 'nowhere' });
    const waiting = await house.send(actor);
    await expect(house.engine.halt(waiting)).rejects.toMatchObject({ code: 'NOT_RUNNING' });
    await expect(house.engine.halt('e000000000000')).rejects.toMatchObject({ code: 'NOT_RUNNING' });
    const over = await house.send(await house.actor());
    await house.final(over);
    await expect(house.engine.halt(over)).rejects.toMatchObject({ code: 'NOT_RUNNING' });
  });

  it('goes on when the daemon is killed in between', async () => {
    await build({ stopGraceMs: 10_000 });
    const actor = await house.actor({ image: 'untilTerm' });
    const id = await house.send(actor);
    await house.until(() => house.execution(id)?.status === 'RUNNING');
    house.daemon.knife.when = (crossing) => crossing === 'stop';
    await house.engine.halt(id);
    await house.until(() => house.daemon.knife.cut);
    await house.restart();
    expect(await house.final(id)).toMatchObject({ reason: 'halted', exitCode: 143 });
  });

  it('the engine waits for what runs, and begins nothing new', async () => {
    await build();
    const gate = gated();
    const actor = await house.actor({ image: 'gated', stateless: false });
    const [first, second] = [await house.send(actor, 'one'), await house.send(actor, 'two')];
    await house.until(() => gate.running().includes('one'));
    const stopped = house.engine.stop({ deadlineMs: 20_000, killActors: false });
    await gate.let('one');
    expect(await stopped).toEqual({ finished: 1, halted: 0, left: 0 });
    expect(house.execution(first)?.status).toBe('COMPLETE');
    expect(house.execution(second)?.status).toBe('SUBMITTED');
    await house.restart();
    await gate.let('two');
    expect((await house.final(second)).status).toBe('COMPLETE');
  });

  it('the engine leaves what still runs at the deadline to the next start, with its whole log', async () => {
    await build();
    const actor = await house.actor({ image: 'untilTerm' });
    const id = await house.send(actor);
    await house.until(() => house.world.starts.includes(id));
    expect(await house.engine.stop({ deadlineMs: 1, killActors: false })).toEqual({ finished: 0, halted: 0, left: 1 });
    expect(house.execution(id)?.status).toBe('RUNNING');
    await house.restart();
    await house.engine.halt(id);
    expect(await house.final(id)).toMatchObject({ reason: 'halted' });
    expect(await house.logs.read(id)).toBe('ready\n');
    expect(house.world.starts).toEqual([id]);
  });

  it('the engine halts what runs when told to', async () => {
    await build();
    const actor = await house.actor({ image: 'forever' });
    const id = await house.send(actor);
    await house.until(() => house.world.starts.includes(id));
    expect(await house.engine.stop({ deadlineMs: 10_000, killActors: true })).toEqual({
      finished: 0,
      halted: 1,
      left: 0,
    });
    expect(house.execution(id)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
    expect(house.world.runs.size).toBe(0);
  });
});

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

describe('trouble outside', () => {
  it('an engine that goes away between two messages is waited for', async () => {
    await build();
    const actor = await house.actor();
    await house.final(await house.send(actor));
    house.world.setAvailable(false);
    const id = await house.send(actor);
    await house.until(() => (actorOf(actor)?.statusMessage ?? '') !== '');
    expect(house.execution(id)?.status).toBe('SUBMITTED');
    house.world.setAvailable(true);
    expect((await house.final(id)).status).toBe('COMPLETE');
    await house.until(() => actorOf(actor)?.statusMessage === '');
  });

  it('a disk that is full at the end keeps the run in the engine until the end is written', async () => {
    await build();
    const gate = gated();
    const actor = await house.actor({ image: 'gated' });
    const id = await house.send(actor, 'one');
    await house.until(() => gate.running().includes('one'));
    let refused = 0;
    house.refuse = () => {
      refused += 1;
      return true;
    };
    await gate.let('one');
    await house.until(() => refused >= 3);
    expect(house.execution(id)?.status).toBe('RUNNING');
    expect(house.world.runs.size).toBe(1);
    house.refuse = undefined;
    expect((await house.final(id)).status).toBe('COMPLETE');
    await house.until(() => house.world.runs.size === 0);
  });

  it('a disk that is full at the claim leaves the message where it is, and nothing starts', async () => {
    await build();
    const actor = await house.actor();
    await house.until(() => statusOf(actor) === 'READY');
    let refused = 0;
    house.refuse = () => {
      refused += 1;
      return true;
    };
    const id = await house.send(actor);
    await house.until(() => refused >= 3);
    expect(house.world.starts).toEqual([]);
    house.refuse = undefined;
    expect((await house.final(id)).status).toBe('COMPLETE');
    expect(house.world.starts).toEqual([id]);
  });

  it('a run that somebody else removed ends in ERROR', async () => {
    await build();
    const actor = await house.actor({ image: 'forever' });
    const id = await house.send(actor);
    await house.until(() => house.world.starts.includes(id));
    house.daemon.knife.cut = true;
    house.world.forget();
    await house.restart();
    const execution = await house.final(id);
    expect(execution.status).toBe('ERROR');
    expect(execution.statusMessage).toContain('no longer knows');
  });

  it('a full disk does not save a run from its time limit', async () => {
    await build();
    const actor = await house.actor({ image: 'untilTerm', maxRunTime: 0.1 });
    const id = await house.send(actor);
    await house.until(() => house.world.starts.includes(id));
    house.refuse = () => true;
    await house.until(() => [...house.world.runs.values()].every(({ state }) => state === 'ended'));
    house.refuse = undefined;
    expect(await house.final(id)).toMatchObject({ reason: 'timed_out' });
  });
});

describe('purging and deleting', () => {
  it('wakes those who wait for a purged execution', async () => {
    await build();
    const actor = await house.actor({ image: 'nowhere' });
    const id = await house.send(actor);
    const waiting = house.final(id);
    await house.purge(actor);
    expect((await waiting).status).toBe('CANCELLED');
  });

  it('a purge against a claim leaves every message with one end, and nothing in the engine', async () => {
    await build({ maxParallel: 3 });
    const actor = await house.actor();
    const sent: string[] = [];
    for (let i = 0; i < 40; i += 1) {
      sent.push(await house.send(actor, String(i)));
      if (i % 8 === 7) await house.purge(actor);
    }
    const finals = await Promise.all(sent.map(house.final));
    const complete = finals.filter(({ status }) => status === 'COMPLETE').map(({ id }) => id);
    expect(house.world.starts).toEqual(complete);
    expect(new Set(finals.map(({ status }) => status))).toEqual(new Set(['COMPLETE', 'CANCELLED']));
    await house.until(() => house.world.runs.size === 0);
  });

  it('retiring an actor halts what runs and lets nothing else begin', async () => {
    await build();
    const actor = await house.actor({ image: 'untilTerm', stateless: false });
    const [first, second] = [await house.send(actor, 'one'), await house.send(actor, 'two')];
    await house.until(() => house.world.starts.includes(first));
    await house.store.transact((tx) => {
      const record = tx.get('actors', actor);
      if (record !== undefined) tx.put('actors', { ...record, status: 'SHUTTING_DOWN' });
    });
    await house.engine.retire(actor);
    expect(house.execution(first)).toMatchObject({ status: 'COMPLETE', reason: 'halted' });
    expect(house.world.starts).toEqual([first]);
    expect(house.execution(second)?.status).toBe('SUBMITTED');
    await house.until(() => house.world.leftovers().length === 0 && workersOf(actor).length === 0);
  });
});

describe('what is kept', () => {
  it('idle workers beyond the first go after a while, with what they held', async () => {
    await build({ workerIdleMs: 20 });
    const gate = gated();
    const actor = await house.actor({ image: 'gated' });
    const sent = [await house.send(actor, 'a'), await house.send(actor, 'b')];
    await house.until(() => gate.running().length === 2);
    for (const text of ['a', 'b']) await gate.let(text);
    await Promise.all(sent.map(house.final));
    await house.until(() => workersOf(actor).length === 1 && house.world.holders.size === 1);
    expect(workersOf(actor)).toMatchObject([{ status: 'READY' }]);
  });

  it('the last worker goes too when nothing has come for long, and the next message gets a new one', async () => {
    await build({ workerIdleMs: 10, lastWorkerIdleMs: 30 });
    const actor = await house.actor();
    const first = await house.final(await house.send(actor));
    await house.until(() => workersOf(actor).length === 0 && house.world.holders.size === 0);
    const second = await house.final(await house.send(actor));
    expect(second).toMatchObject({ status: 'COMPLETE', reason: 'exited' });
    expect(second.workerId).not.toBe(first.workerId);
  });

  it('the newest executions of each actor stay, older ones go with their logs; what is not final stays', async () => {
    await build({ executionRetention: { perActor: 2, total: 100, ageMs: 1e9 } });
    const [actor, other] = [await house.actor(), await house.actor({ image: 'nowhere' })];
    const waiting = await house.send(other);
    const sent: string[] = [];
    for (let i = 0; i < 5; i += 1) sent.push((await house.final(await house.send(actor))).id);
    await house.engine.sweep();
    expect(house.store.by('executions', 'actor', actor).map(({ id }) => id)).toEqual(sent.slice(3));
    expect(await house.logs.read(sent[0] ?? '')).toBe('');
    expect(await house.logs.read(sent[4] ?? '')).toBe('hello hi\n');
    expect(house.execution(waiting)?.status).toBe('SUBMITTED');
  });

  it('a log goes after the time its actor gives it, its record stays', async () => {
    await build();
    const [short, usual] = [await house.actor({ logEx: 0 }), await house.actor()];
    const [gone, kept] = [await house.send(short), await house.send(usual)];
    await Promise.all([gone, kept].map(house.final));
    await house.engine.sweep();
    expect(await house.logs.read(gone)).toBe('');
    expect(await house.logs.read(kept)).toBe('hello hi\n');
    expect(house.execution(gone)?.status).toBe('COMPLETE');
  });
});

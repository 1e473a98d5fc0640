// The calls that a start makes to a real engine, and containers that change between their creation and their start.
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collect, runSpec } from '../../ports/executor.suite.ts';
import { dockerRequirement, testDockerExecutor, testImages } from '../../support/engine/docker.ts';
import { type EngineProxy, engineProxy } from '../../support/engine/engine-proxy.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const never = new AbortController().signal;

describeIf(await dockerRequirement(), 'the start of a container', () => {
  const docker = new Docker();
  const images = testImages();
  let proxy: EngineProxy;
  let made: ReturnType<typeof testDockerExecutor>;
  let image: string;

  beforeAll(async () => {
    proxy = await engineProxy();
    made = testDockerExecutor({ dockerHost: proxy.host, env: {} });
    image = await images.script('echo "$MSG"');
  });
  afterAll(async () => {
    await made?.tidy();
    await proxy?.close();
    await images.remove();
  });

  const create = (workerId: string, text = 'once') =>
    made.executor.create(runSpec(image, { workerId, environment: { MSG: text } }), never);
  const finish = async (ref: string) => {
    const out = collect();
    const running = await made.executor.start(ref, out.sink);
    const { exitCode } = await running.ended;
    await made.executor.remove(ref);
    return { running, told: `${exitCode} ${out.stdout()}` };
  };

  it('needs one call if this daemon has created it, and nothing is asked until its removal if it ends normally', async () => {
    expect((await finish(await create('one'))).told).toBe('0 once\n');
    // Afterwards no spare network is made in between.
    await made.executor.prepare(image, () => undefined, never);
    const before = proxy.requests.length;
    expect((await finish(await create('one'))).told).toBe('0 once\n');
    const lines = proxy.requests.slice(before).map(({ line }) => line.replace(/\?.*/, ''));
    expect(lines.slice(0, 4)).toEqual([
      'POST /containers/create',
      'POST /containers/REF/attach',
      'POST /containers/REF/start',
      'DELETE /containers/REF',
    ]);
  });

  it('is followed to a normal end, with the times and the state of the events of the engine', async () => {
    const sleeper = await images.script('sleep 0.2');
    const ref = await made.executor.create(runSpec(sleeper), never);
    const filters = { container: [ref], event: ['start', 'die'] };
    const stream = await docker.getEvents({ filters });
    const told = new Promise<number[]>((resolve) => {
      let text = '';
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const lines = text.split('\n').slice(0, -1);
        const times = lines.map((line) => Math.floor((JSON.parse(line) as { timeNano: number }).timeNano / 1e6));
        if (times.length === 2) resolve(times);
      });
    });
    const ended = await (await made.executor.start(ref, () => undefined)).ended;
    const [startedAt = 0, finishedAt = 0] = await told;
    expect(ended).toMatchObject({ exitCode: 0, startedAt, finishedAt, outOfMemory: false });
    expect(ended.finalState).toEqual({
      ...(await docker.getContainer(ref).inspect()).State,
      StartedAt: new Date(startedAt).toISOString(),
      FinishedAt: new Date(finishedAt).toISOString(),
    });
    (stream as Readable).destroy();
    await made.executor.remove(ref);
  });

  it('is followed to an exit code that no label of the image can change', async () => {
    const labelled = await images.busybox(['/bin/sh', '-c', 'exit 3'], 'LABEL exitCode=0');
    const ref = await made.executor.create(runSpec(labelled), never);
    expect(await (await made.executor.start(ref, () => undefined)).ended).toMatchObject({ exitCode: 3 });
    await made.executor.remove(ref);
  });

  it('is followed to a lack of memory also if only a child was killed for it', async () => {
    const limits = { memoryBytes: 64 * 1024 * 1024 + 1, pids: 50 };
    const hungry = await images.script('tail /dev/zero; true');
    const ref = await made.executor.create(runSpec(hungry, { limits }), never);
    const ended = await (await made.executor.start(ref, () => undefined)).ended;
    expect(ended).toMatchObject({ exitCode: 0, outOfMemory: true });
    await made.executor.remove(ref);
  });

  it('follows a creation whose variables are sent in the body alone', async () => {
    const before = proxy.requests.length;
    await made.executor.remove(await create('one', 'a-secret-value'));
    const sent = proxy.requests.slice(before).filter(({ line }) => line.startsWith('POST /containers/create'));
    expect(sent.map(({ line }) => line)).toEqual(['POST /containers/create?name=REF']);
    expect(sent[0]?.body).toContain('a-secret-value');
  });

  it('creates it again if somebody has removed it since its creation', async () => {
    const ref = await create('two');
    await docker.getContainer(ref).remove();
    expect((await finish(ref)).told).toBe('0 once\n');
  });

  it('does not run it again if somebody has run it since its creation', async () => {
    const ref = await create('three');
    const container = docker.getContainer(ref);
    await container.start();
    await container.wait();
    const { startedAt } = await container.inspect().then(({ State }) => ({ startedAt: Date.parse(State.StartedAt) }));
    const { running, told } = await finish(ref);
    expect(told).toBe('0 once\n');
    expect(running.startedAt).toBe(startedAt);
  });
});

describeIf(await dockerRequirement(), 'the network of a new worker', () => {
  const images = testImages();
  let proxy: EngineProxy;
  let made: ReturnType<typeof testDockerExecutor>;
  let image: string;

  beforeAll(async () => {
    proxy = await engineProxy();
    made = testDockerExecutor({ dockerHost: proxy.host, env: {} });
    image = await images.script('true');
  });
  afterAll(async () => {
    await made?.tidy();
    await proxy?.close();
    await images.remove();
  });

  const prepare = () => made.executor.prepare(image, () => undefined, never);
  const create = (workerId: string) => made.executor.create(runSpec(image, { workerId }), never);
  const networks = async () => (await made.executor.list()).filter(({ kind }) => kind === 'holder');
  const spares = async () => (await networks()).filter(({ workerId }) => workerId === '').map(({ ref }) => ref);
  const creations = () => proxy.requests.filter(({ line }) => line.startsWith('POST /containers/create')).length;

  it('is the spare one, of which the instance has one however many actors are prepared', async () => {
    await Promise.all([prepare(), prepare()]);
    await prepare();
    expect(await networks()).toHaveLength(1);
    expect(await spares()).toHaveLength(1);
    const before = creations();
    await create('first');
    expect(creations() - before).toBe(1);
    expect((await networks()).map(({ workerId }) => workerId)).toContain('first');
  });

  it('is not that of another worker, and the spare one is replaced', async () => {
    while ((await spares()).length === 0) await pause(20);
    await Promise.all([create('second'), create('third')]);
    const owned = (await networks()).filter(({ workerId }) => workerId !== '');
    expect(owned.map(({ workerId }) => workerId).toSorted()).toEqual(['first', 'second', 'third']);
    expect(new Set(owned.map(({ ref }) => ref)).size).toBe(3);
  });

  it('is kept by the worker after a restart of the daemon, and the spare one belongs to no worker', async () => {
    while ((await spares()).length === 0) await pause(20);
    const before = (await networks()).find(({ workerId }) => workerId === 'first');
    const second = testDockerExecutor({ instanceId: made.instanceId });
    await second.executor.remove(await second.executor.create(runSpec(image, { workerId: 'first' }), never));
    expect((await second.executor.list()).filter(({ workerId }) => workerId === 'first')).toContainEqual(before);
    await second.executor.close({ removeAll: false });
    for (const workerId of ['first', 'second', 'third']) await made.executor.closeWorker(workerId);
    expect((await networks()).map(({ workerId }) => workerId)).toEqual(['']);
  });
});

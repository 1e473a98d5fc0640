// The calls that a start makes to a real engine, and containers that change between their creation and their start.
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
    return { running, output: `${exitCode} ${out.stdout()}` };
  };

  it('starting a container needs one call if this daemon created it, and an ended run is inspected once', async () => {
    expect((await finish(await create('one'))).output).toBe('0 once\n');
    // After that, no spare network is created in between.
    await made.executor.prepare(image, () => undefined, never);
    const before = proxy.requests.length;
    expect((await finish(await create('one'))).output).toBe('0 once\n');
    const lines = proxy.requests.slice(before).map(({ line }) => line.replace(/\?.*/, ''));
    expect(lines.slice(0, 5)).toEqual([
      'POST /containers/create',
      'POST /containers/REF/attach',
      'POST /containers/REF/start',
      'GET /containers/REF/json',
      'DELETE /containers/REF',
    ]);
  });

  it('runs have no address of the API if it does not listen for them, but wait if the engine is away', async () => {
    const away = await engineProxy();
    let isAway = false;
    const apiPort = async () => {
      if (isAway) await away.close();
      return undefined;
    };
    const { executor } = testDockerExecutor({ dockerHost: away.host, env: {}, apiPort });
    expect(await executor.apiServer('modern')).toBeUndefined();
    isAway = true;
    await expect(executor.apiServer('modern')).rejects.toMatchObject({ kind: 'unavailable' });
    await executor.close({ removeAll: false });
  });

  it('a started container is followed until the engine reports its exit code, times and state', async () => {
    const labelled = await images.busybox(['/bin/sh', '-c', 'exit 3'], 'LABEL exitCode=0 signal=9');
    const ref = await made.executor.create(runSpec(labelled), never);
    const ended = await (await made.executor.start(ref, () => undefined)).ended;
    const { State } = await docker.getContainer(ref).inspect();
    expect(ended).toMatchObject({ exitCode: 3, startedAt: Date.parse(State.StartedAt), finalState: State });
    expect(ended).not.toHaveProperty('interrupted');
    await made.executor.remove(ref);
  });

  it('a container is reported out of memory even if only a child process was killed', async () => {
    const limits = { memoryBytes: 64 * 1024 * 1024 + 1, pids: 50 };
    const hungry = await images.script('tail /dev/zero; true');
    const ref = await made.executor.create(runSpec(hungry, { limits }), never);
    const ended = await (await made.executor.start(ref, () => undefined)).ended;
    expect(ended).toMatchObject({ exitCode: 0, outOfMemory: true });
    await made.executor.remove(ref);
  });

  it('a start follows a creation whose variables are sent in the body only', async () => {
    const before = proxy.requests.length;
    await made.executor.remove(await create('one', 'a-secret-value'));
    // A spare network may be created at the same time.
    const sent = proxy.requests
      .slice(before)
      .filter(({ line, body }) => line.includes('a-secret-value') || body.includes('a-secret-value'));
    expect(sent.map(({ line }) => line)).toEqual(['POST /containers/create?name=REF']);
  });

  it('a start creates the container again if it was removed since its creation', async () => {
    const ref = await create('two');
    await docker.getContainer(ref).remove();
    expect((await finish(ref)).output).toBe('0 once\n');
  });

  it.each([
    ['before', false],
    ['only after', true],
  ])('a start does not repeat a run that was started externally, with output attached %s it', async (_, isLate) => {
    const attach = 'POST /containers/REF/attach';
    const attached = () => proxy.requests.filter(({ line }) => line.startsWith(attach)).length;
    const release = isLate ? proxy.hold(attach) : () => undefined;
    const before = attached();
    const ref = await create('three');
    await expect.poll(attached).toBe(before + 1);
    const container = docker.getContainer(ref);
    await container.start();
    await container.wait();
    const ends = () =>
      proxy
        .events()
        .split('\n')
        .filter((line) => line.includes(ref) && line.includes('"die"'));
    await expect.poll(ends).toHaveLength(1);
    release();
    const startedAt = Date.parse((await container.inspect()).State.StartedAt);
    const { running, output } = await finish(ref);
    expect(output).toBe('0 once\n');
    expect(running.startedAt).toBe(startedAt);
    expect(ends()).toHaveLength(1);
  });
});

describeIf(await dockerRequirement(), 'the network of a new worker', () => {
  const images = testImages();
  let made: ReturnType<typeof testDockerExecutor>;
  let image: string;

  beforeAll(async () => {
    made = testDockerExecutor();
    image = await images.script('true');
  });
  afterAll(async () => {
    await made?.tidy();
    await images.remove();
  });

  const prepare = () => made.executor.prepare(image, () => undefined, never);
  const create = (workerId: string) => made.executor.create(runSpec(image, { workerId }), never);
  const networks = async () => (await made.executor.list()).filter(({ kind }) => kind === 'pause');
  const spares = async () => (await networks()).filter(({ workerId }) => workerId === '').map(({ ref }) => ref);
  const idsOf = async (worker: string) => {
    const own = (await networks()).filter(({ workerId }) => workerId === worker);
    return Promise.all(own.map(async ({ ref }) => (await new Docker().getContainer(ref).inspect()).Id));
  };

  it('a new worker gets the spare network, and the instance has one spare for any number of actors', async () => {
    await Promise.all([prepare(), prepare()]);
    await prepare();
    expect(await networks()).toHaveLength(1);
    expect(await spares()).toHaveLength(1);
    const [spare] = await idsOf('');
    await create('first');
    expect(await idsOf('first')).toEqual([spare]);
  });

  it('a worker never gets the network of another worker, and the spare network is replaced', async () => {
    await expect.poll(spares).not.toEqual([]);
    await Promise.all([create('second'), create('third')]);
    const owned = (await networks()).filter(({ workerId }) => workerId !== '');
    expect(owned.map(({ workerId }) => workerId).toSorted()).toEqual(['first', 'second', 'third']);
    expect(new Set(owned.map(({ ref }) => ref)).size).toBe(3);
  });

  it('a worker keeps its network after a restart of the daemon, and the spare network has no worker', async () => {
    await expect.poll(spares).not.toEqual([]);
    const before = (await networks()).find(({ workerId }) => workerId === 'first');
    const second = testDockerExecutor({ instanceId: made.instanceId });
    await second.executor.remove(await second.executor.create(runSpec(image, { workerId: 'first' }), never));
    expect((await second.executor.list()).filter(({ workerId }) => workerId === 'first')).toContainEqual(before);
    await second.executor.close({ removeAll: false });
    for (const workerId of ['first', 'second', 'third']) await made.executor.closeWorker(workerId);
    expect((await networks()).map(({ workerId }) => workerId)).toEqual(['']);
  });
});

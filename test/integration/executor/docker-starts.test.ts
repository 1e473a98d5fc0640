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
    return { running, told: `${exitCode} ${out.stdout()}` };
  };

  it('needs one call if this daemon has created it, and nothing is asked between its creation and its start', async () => {
    expect((await finish(await create('one'))).told).toBe('0 once\n');
    const before = proxy.requests.length;
    expect((await finish(await create('one'))).told).toBe('0 once\n');
    const lines = proxy.requests.slice(before).map(({ line }) => line.replace(/\?.*/, ''));
    expect(lines.slice(0, 4)).toEqual([
      'POST /containers/create',
      'POST /containers/REF/attach',
      'POST /containers/REF/start',
      'GET /containers/REF/json',
    ]);
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

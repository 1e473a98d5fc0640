// Runs on a real engine: images that cannot run, large output, worker networks, resource usage, and listing.
// This file has over 250 lines because all its runs share one engine and its images.
import { createServer } from 'node:http';
import Docker from 'dockerode';
import { afterAll, describe, expect, it } from 'vitest';
import { ExecutorError, type LogSink, type RunSpec } from '../../../daemon/ports/executor.ts';
import { collect, runSpec } from '../../ports/executor.suite.ts';
import { dockerRequirement, flood, RUN_SCRIPT, testDockerExecutor, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const never = new AbortController().signal;
/** More than twice the memory that the test allows. */
const OUTPUT = 256 * 1024 ** 2;

describeIf(await dockerRequirement(), 'a run in Docker', () => {
  const docker = new Docker();
  const images = testImages();
  let apiPort: number | undefined;
  const { executor, instanceId, tidy } = testDockerExecutor({ apiPort: async () => apiPort });

  afterAll(async () => {
    await tidy();
    await images.remove();
  });

  const runImage = async (image: string, over: Partial<RunSpec> = {}, sink?: LogSink) => {
    const ref = await executor.create(runSpec(image, over), never);
    const out = collect();
    const ended = await (await executor.start(ref, sink ?? out.sink)).ended;
    await executor.remove(ref);
    return { ended, out: out.stdout() };
  };
  const run = async (script: string, over: Partial<RunSpec> = {}, sink?: LogSink) =>
    runImage(await images.script(RUN_SCRIPT), { ...over, environment: { ...over.environment, SCRIPT: script } }, sink);
  const failure = async (work: Promise<unknown>): Promise<ExecutorError> => {
    try {
      await work;
    } catch (error) {
      if (error instanceof ExecutorError) return error;
      throw error;
    }
    throw new Error('it did not fail');
  };
  const pauseOf = async (workerId: string) =>
    (await executor.list()).find((each) => each.kind === 'pause' && each.workerId === workerId)?.ref;

  const PATHS = { PATH: '/opt:/:/bin' };
  const script = (path: string, text: string) => ({ path, mode: 0o755, source: { bytes: Buffer.from(text) } });
  const files = () => [
    script('crlf.sh', '#!/bin/sh\r\necho\r\n'),
    script('env.sh', '#!/bin/env sh\r\necho\r\n'),
    script('bare.sh', '#!/no/interpreter -x\n'),
  ];
  const broken = (command: string) => images.holding(files, [command]);

  describe('a failing run', () => {
    it('reports an image that does not exist, with the message of the engine', async () => {
      const said: string[] = [];
      const error = await failure(executor.prepare('localhost:1/no/such:image', (text) => said.push(text), never));
      expect(error.kind).toBe('pull');
      expect(error.message).toMatch(/^cannot pull the image localhost:1\/no\/such:image: .*connection refused/);
      expect(error.message).toMatch(/cannot reach the registry localhost:1\. .*docker load -i FILE"$/);
      expect(said).toEqual(['pulling localhost:1/no/such:image']);
    });

    it('reports an image without a command', async () => {
      const error = await failure(executor.prepare(await images.empty(), () => undefined, never));
      expect(error).toMatchObject({ kind: 'image', message: expect.stringContaining('has nothing to run') });
    });

    it('reports an image that was removed after its preparation', async () => {
      const image = await images.script('true # it goes away');
      await executor.prepare(image, () => undefined, never);
      await docker.getImage(image).remove({ force: true });
      expect((await failure(executor.create(runSpec(image), never))).kind).toBe('image');
    });

    it.each([
      ['/no/such', 'it does not exist'],
      ['no-such', 'no folder of its PATH has it'],
      ['/etc', 'it is a folder'],
      ['/etc/passwd', 'chmod +x /etc/passwd'],
      ['/crlf.sh', 'CR LF'],
      ['crlf.sh', 'CR LF'],
      ['/env.sh', 'CR LF'],
      ['/bare.sh', 'its interpreter /no/interpreter does not exist'],
    ])('reports that the command %s can never start: %s', async (command, reason) => {
      const image = await broken(command);
      const { kind, message } = await failure(executor.create(runSpec(image, { environment: PATHS }), never));
      expect({ kind, message }).toEqual({ kind: 'never', message: expect.stringContaining(reason) });
      expect(message).toContain(`cannot run "${command}" of the image ${image}`);
    });

    it('reports a refused start, with the message of the engine', async () => {
      const image = await images.busybox(['/bin/true'], 'USER nobody-of-that-name');
      const ref = await executor.create(runSpec(image), never);
      const error = await failure(executor.start(ref, () => undefined));
      expect(error.kind).toBe('never');
      expect(error.message).toContain('unable to find user nobody-of-that-name');
      expect(error.message).toContain('Correct USER');
      await executor.remove(ref);
    });

    it('leaves no container behind', async () => {
      expect((await executor.list()).filter((each) => each.kind === 'run')).toEqual([]);
    });
  });

  it('a command without a folder is searched in PATH, of the image or of the actor', async () => {
    const image = await images.busybox(['echo', 'found']);
    expect((await runImage(image)).out).toBe('found\n');
    const elsewhere = await images.holding(() => [script('opt/own', '#!/bin/sh\necho own\n')], ['own']);
    expect((await runImage(elsewhere, { environment: PATHS })).out).toBe('own\n');
    const error = await failure(runImage(image, { environment: { PATH: '/opt' } }));
    expect(error.message).toContain('no folder of its PATH has it');
  });

  it('a quarter of a gigabyte of output passes through without being stored in memory', async () => {
    let bytes = 0;
    let peak = 0;
    const before = process.memoryUsage().rss;
    const { ended } = await run(flood(OUTPUT), {}, (_, data) => {
      bytes += data.length;
      peak = Math.max(peak, process.memoryUsage.rss());
    });
    expect(ended.exitCode).toBe(0);
    expect(bytes).toBe(OUTPUT);
    expect(peak - before).toBeLessThan(100 * 1024 * 1024);
  });

  it('a file of the host is copied into the container', async () => {
    const files = [{ path: '/_svc_message', source: { file: process.execPath }, variable: 'MSG_FILE' }];
    const { out } = await run('stat -c "%s %a" "$MSG_FILE"', { files });
    expect(out).toMatch(/^\d{7,} 444\n$/);
  });

  it('resource usage is reported if the host offers it: CPU time and received bytes', async () => {
    const { ended } = await run('i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done');
    if (ended.cpuNs !== undefined) expect(ended.cpuNs).toBeGreaterThan(1_000_000);
    if (ended.ioBytes !== undefined) expect(ended.ioBytes).toBeGreaterThanOrEqual(0);
    expect(ended.finalState).toMatchObject({ Status: 'exited', ExitCode: 0 });
  });

  it('a container reaches a server of the daemon at the gateway of the bridge, by address and by name', async () => {
    const gateway = await executor.gateway();
    expect(gateway).toBeDefined();
    const server = createServer((_, response) => response.end('the API'));
    await new Promise<void>((resolve) =>
      server.listen({ port: 0, host: gateway?.bindable ? gateway.address : '127.0.0.1' }, resolve),
    );
    const address = server.address();
    expect(await executor.apiServer('modern')).toBeUndefined();
    apiPort = typeof address === 'object' && address ? address.port : 0;
    const url = await executor.apiServer('modern');
    expect(url).toMatch(new RegExp(`^http://[^/]+:${apiPort}$`));
    try {
      const environment = { URL: String(url), NAMED: `http://host.docker.internal:${apiPort}` };
      expect((await run('wget -q -O - $URL; echo; wget -q -O - $NAMED', { environment })).out).toBe('the API\nthe API');
    } finally {
      server.close();
    }
  });

  describe('the network of a worker', () => {
    it('is created once for simultaneous runs, and is removed with the worker', async () => {
      const image = await images.script('true');
      const refs = await Promise.all([1, 2, 3].map(() => executor.create(runSpec(image, { workerId: 'one' }), never)));
      const ours = async () => (await executor.list()).filter((each) => each.workerId === 'one');
      expect((await ours()).filter((each) => each.kind === 'pause')).toHaveLength(1);
      for (const ref of refs) await executor.remove(ref);
      await executor.closeWorker('one');
      expect(await ours()).toEqual([]);
    });

    it('is reused after a restart of the daemon', async () => {
      const image = await images.script('true');
      const spec = runSpec(image);
      await executor.remove(await executor.create(spec, never));
      const before = await pauseOf(spec.workerId);
      expect(before).toBeDefined();
      const second = testDockerExecutor({ instanceId }).executor;
      await second.remove(await second.create(runSpec(image), never));
      expect(await pauseOf(spec.workerId)).toBe(before);
      await second.close({ removeAll: false });
    });

    it('is created again if its pause container was killed or removed, before or after the creation of a run', async () => {
      const image = await images.script('cat "$MSG_FILE"');
      const files = [{ path: '/_svc_msg', source: { bytes: Buffer.from('hello') }, variable: 'MSG_FILE' }];
      const spec = () => runSpec(image, { workerId: 'hurt', files });
      const finish = async (ref: string) => {
        const out = collect();
        const { exitCode } = await (await executor.start(ref, out.sink)).ended;
        await executor.remove(ref);
        return `${exitCode} ${out.stdout()}`;
      };
      const pauseContainer = async () => docker.getContainer(String(await pauseOf('hurt')));
      expect(await finish(await executor.create(spec(), never))).toBe('0 hello');
      for (const hurt of [
        (each: Docker.Container) => each.kill(),
        (each: Docker.Container) => each.remove({ force: true }),
      ]) {
        await hurt(await pauseContainer());
        expect(await finish(await executor.create(spec(), never))).toBe('0 hello');
        const waiting = await executor.create(spec(), never);
        await hurt(await pauseContainer());
        expect(await finish(waiting)).toBe('0 hello');
      }
    });

    it('is created for eight workers at once', async () => {
      const image = await images.script('true');
      const workers = Array.from({ length: 8 }, (_, i) => `many-${i}`);
      const exits = await Promise.all(
        workers.map(async (workerId) => (await runImage(image, { workerId })).ended.exitCode),
      );
      expect(exits).toEqual(workers.map(() => 0));
      await Promise.all(workers.map((workerId) => executor.closeWorker(workerId)));
    });
  });

  it.each([
    ['killed', 137, (container: Docker.Container) => container.kill()],
    ['stopped, and whose process then exits with 0,', 0, (container: Docker.Container) => container.stop({ t: 20 })],
  ])('a container that an operator %s is interrupted, and the reason says so', async (_, exitCode, act) => {
    const script = `trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done`;
    const ref = await executor.create(runSpec(await images.script(script)), never);
    const out = collect();
    const running = await executor.start(ref, out.sink);
    await out.until('ready');
    await act(docker.getContainer(ref));
    expect(await running.ended).toMatchObject({
      exitCode,
      outOfMemory: false,
      interrupted: expect.stringContaining('because it went down or somebody asked it to'),
    });
    await executor.remove(ref);
  });

  it('another instance has its own containers, and closing with removal deletes all of them and the network', async ({
    onTestFailed,
  }) => {
    const other = testDockerExecutor();
    onTestFailed(() => other.tidy());
    const image = await images.script('true');
    const theirs = await other.executor.create(runSpec(image), never);
    const ours = await executor.create(runSpec(image), never);
    const refs = (await executor.list()).map((each) => each.ref);
    expect(refs).toContain(ours);
    expect(refs).not.toContain(theirs);
    await executor.remove(ours);
    await other.executor.close({ removeAll: true });
    const label = [`actorctl.instance=${other.instanceId}`];
    expect(await docker.listContainers({ all: true, filters: { label } })).toEqual([]);
    expect(await docker.listNetworks({ filters: { label } })).toEqual([]);
  });
});

// Runs on a real engine: images that cannot run, very large output, the network of workers, figures, what is found again.
import { createServer } from 'node:http';
import Docker from 'dockerode';
import { afterAll, describe, expect, it } from 'vitest';
import { ExecutorError, type LogSink, type RunSpec } from '../../../daemon/ports/executor.ts';
import { collect, runSpec } from '../../ports/executor.suite.ts';
import { dockerRequirement, flood, testDockerExecutor, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const never = new AbortController().signal;
const MEGABYTES = 256;

describeIf(await dockerRequirement(), 'a run in Docker', () => {
  const docker = new Docker();
  const images = testImages();
  const { executor, instanceId, tidy } = testDockerExecutor();

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
    runImage(await images.script(script), over, sink);
  const failure = async (work: Promise<unknown>): Promise<ExecutorError> => {
    try {
      await work;
    } catch (error) {
      if (error instanceof ExecutorError) return error;
      throw error;
    }
    throw new Error('it did not fail');
  };
  const holderOf = async (workerId: string) =>
    (await executor.list()).find((each) => each.kind === 'holder' && each.workerId === workerId)?.ref;

  describe('cannot be had when', () => {
    it('the image is nowhere: the engine’s own words say why', async () => {
      const said: string[] = [];
      const error = await failure(executor.prepare('localhost:1/no/such:image', (text) => said.push(text), never));
      expect(error.kind).toBe('image');
      expect(error.message).toContain('the image localhost:1/no/such:image cannot be had: ');
      expect(error.message).toContain('connection refused');
      expect(said).toEqual(['pulling localhost:1/no/such:image']);
    });

    it('the image has no command', async () => {
      const error = await failure(executor.prepare(await images.empty(), () => undefined, never));
      expect(error).toMatchObject({ kind: 'image', message: expect.stringContaining('has nothing to run') });
    });

    it('the image went away after it was prepared', async () => {
      const image = await images.script('true # it goes away');
      await executor.prepare(image, () => undefined, never);
      await docker.getImage(image).remove({ force: true });
      expect((await failure(executor.create(runSpec(image), never))).kind).toBe('image');
    });

    it('the command is not in the image, is a folder, or may not be executed', async () => {
      const told = async (command: string) =>
        (await failure(executor.create(runSpec(await images.busybox([command])), never))).message;
      expect(await told('/no/such')).toContain('exec "/no/such": no such file or directory');
      expect(await told('no-such')).toContain('exec "no-such": executable file not found in $PATH');
      expect(await told('/etc')).toContain('permission denied');
      expect(await told('/etc/passwd')).toContain('permission denied');
    });

    it('the engine refuses to start it: its words say why', async () => {
      const image = await images.busybox(['/bin/true'], 'USER nobody-of-that-name');
      const ref = await executor.create(runSpec(image), never);
      const error = await failure(executor.start(ref, () => undefined));
      expect(error.kind).toBe('start');
      expect(error.message).toContain('unable to find user nobody-of-that-name');
      await executor.remove(ref);
    });

    it('nothing is left of any of them', async () => {
      expect((await executor.list()).filter((each) => each.kind === 'run')).toEqual([]);
    });
  });

  it('a command without a folder is found on the path', async () => {
    expect((await runImage(await images.busybox(['echo', 'found']))).out).toBe('found\n');
  });

  // A whole gigabyte goes through the built daemon in the tests of bad containers.
  it(`${MEGABYTES} MB of output go through without being kept`, { timeout: 300_000 }, async () => {
    let bytes = 0;
    let peak = 0;
    const before = process.memoryUsage().rss;
    const { ended } = await run(flood(MEGABYTES * 1024 ** 2), {}, (_, data) => {
      bytes += data.length;
      peak = Math.max(peak, process.memoryUsage.rss());
    });
    expect(ended.exitCode).toBe(0);
    expect(bytes).toBe(MEGABYTES * 1024 ** 2);
    expect(peak - before).toBeLessThan(100 * 1024 * 1024);
  });

  it('a file of this machine is handed over too', async () => {
    const files = [{ path: '/_svc_message', source: { file: process.execPath }, variable: 'MSG_FILE' }];
    const { out } = await run('stat -c "%s %a" "$MSG_FILE"', { files });
    expect(out).toMatch(/^\d{7,} 444\n$/);
  });

  it('figures that this machine shows are told: time of the processor, bytes that came in', async () => {
    const { ended } = await run('i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done');
    if (ended.cpuNs !== undefined) expect(ended.cpuNs).toBeGreaterThan(1_000_000);
    if (ended.ioBytes !== undefined) expect(ended.ioBytes).toBeGreaterThanOrEqual(0);
    expect(ended.finalState).toMatchObject({ Status: 'exited', ExitCode: 0 });
  });

  it('reaches a server of the daemon at the gateway of the bridge, by address and by name', async () => {
    const gateway = await executor.gateway();
    expect(gateway).toBeDefined();
    const server = createServer((_, response) => response.end('the API'));
    await new Promise<void>((resolve) =>
      server.listen({ port: 0, host: gateway?.bindable ? gateway.address : '127.0.0.1' }, resolve),
    );
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    expect(await executor.apiServer()).toBeUndefined();
    executor.setApiPort(port);
    const url = await executor.apiServer();
    expect(url).toMatch(new RegExp(`^http://[^/]+:${port}$`));
    try {
      const environment = { URL: String(url), NAMED: `http://host.docker.internal:${port}` };
      expect((await run('wget -q -O - $URL; echo; wget -q -O - $NAMED', { environment })).out).toBe('the API\nthe API');
    } finally {
      server.close();
    }
  });

  describe('the network of a worker', () => {
    it('is one, however many runs are created at once, and goes with the worker', async () => {
      const image = await images.script('true');
      const refs = await Promise.all([1, 2, 3].map(() => executor.create(runSpec(image, { workerId: 'one' }), never)));
      const ours = async () => (await executor.list()).filter((each) => each.workerId === 'one');
      expect((await ours()).filter((each) => each.kind === 'holder')).toHaveLength(1);
      for (const ref of refs) await executor.remove(ref);
      await executor.closeWorker('one');
      expect(await ours()).toEqual([]);
    });

    it('is taken up again after a restart of the daemon', async () => {
      const image = await images.script('true');
      await executor.remove(await executor.create(runSpec(image, { workerId: 'kept' }), never));
      const before = await holderOf('kept');
      const second = testDockerExecutor({ instanceId }).executor;
      await second.remove(await second.create(runSpec(image, { workerId: 'kept' }), never));
      expect(await holderOf('kept')).toBe(before);
      await second.close({ removeAll: false });
    });

    it('is made anew when its holder was killed or removed, before or after a run was created', {
      timeout: 60_000,
    }, async () => {
      const image = await images.script('cat "$MSG_FILE"');
      const files = [{ path: '/_svc_msg', source: { bytes: Buffer.from('told') }, variable: 'MSG_FILE' }];
      const spec = () => runSpec(image, { workerId: 'hurt', files });
      const finish = async (ref: string) => {
        const out = collect();
        const { exitCode } = await (await executor.start(ref, out.sink)).ended;
        await executor.remove(ref);
        return `${exitCode} ${out.stdout()}`;
      };
      const holder = async () => docker.getContainer(String(await holderOf('hurt')));
      expect(await finish(await executor.create(spec(), never))).toBe('0 told');
      for (const hurt of [
        (each: Docker.Container) => each.kill(),
        (each: Docker.Container) => each.remove({ force: true }),
      ]) {
        await hurt(await holder());
        expect(await finish(await executor.create(spec(), never))).toBe('0 told');
        const waiting = await executor.create(spec(), never);
        await hurt(await holder());
        expect(await finish(waiting)).toBe('0 told');
      }
    });

    it('is made for eight workers at once', async () => {
      const image = await images.script('true');
      const workers = Array.from({ length: 8 }, (_, i) => `many-${i}`);
      const exits = await Promise.all(
        workers.map(async (workerId) => (await runImage(image, { workerId })).ended.exitCode),
      );
      expect(exits).toEqual(workers.map(() => 0));
      await Promise.all(workers.map((workerId) => executor.closeWorker(workerId)));
    });
  });

  it('only what carries this instance’s label is found', async () => {
    const other = testDockerExecutor();
    try {
      const image = await images.script('true');
      const theirs = await other.executor.create(runSpec(image), never);
      const ours = await executor.create(runSpec(image), never);
      const refs = (await executor.list()).map((each) => each.ref);
      expect(refs).toContain(ours);
      expect(refs).not.toContain(theirs);
      await executor.remove(ours);
    } finally {
      await other.tidy();
    }
  });

  it('a container ended by somebody else is no interruption by the engine', async () => {
    const ref = await executor.create(runSpec(await images.script('echo ready; sleep 1000')), never);
    const out = collect();
    const running = await executor.start(ref, out.sink);
    await out.until('ready');
    await docker.getContainer(ref).kill();
    const ended = await running.ended;
    expect(ended.exitCode).toBe(137);
    expect(ended).not.toHaveProperty('interrupted');
    await executor.remove(ref);
  });

  it('closing with everything removes runs that never started, holders and the network', async () => {
    const own = testDockerExecutor();
    await own.executor.create(runSpec(await images.script('true')), never);
    await own.executor.close({ removeAll: true });
    const label = [`actorctl.instance=${own.instanceId}`];
    expect(await docker.listContainers({ all: true, filters: { label } })).toEqual([]);
    expect(await docker.listNetworks({ filters: { label } })).toEqual([]);
  });
});

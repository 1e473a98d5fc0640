// What `doctor` finds out by a container about the way from containers to the daemon.
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { INSTANCE_LABEL, KIND_LABEL } from '../../../daemon/executor/docker/labels.ts';
import { createReach } from '../../../daemon/executor/reach/reach.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { dockerRequirement, testDockerExecutor } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

describeIf(await dockerRequirement(), 'doctor', () => {
  let home: Home;
  beforeAll(async () => {
    home = inProcessHome();
    await home.up();
  });
  afterAll(() => home.remove());

  it('reaches the API, the results socket and the result file by a container, and leaves no run', async () => {
    // A busy engine may respond too late for the first status.
    const engines = async () => (await home.json<{ engines: { available: boolean }[] }>('status')).engines;
    await expect.poll(async () => (await engines())[0]?.available).toBe(true);
    const { stdout } = await home.cli(['doctor', '--json']);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; level: string; text: string }[] };
    expect(checks.filter(({ name }) => name === 'reach')).toEqual([
      expect.objectContaining({
        level: 'ok',
        text: expect.stringMatching(
          /^a container reaches http:\/\/\d+\.\d+\.\d+\.\d+:\d+ and returns results by socket and file$/,
        ),
      }),
    ]);
    const engine = checks.find(({ name }) => name === 'engine');
    const product = /podman/.test(process.env['DOCKER_HOST'] ?? '') ? 'Podman' : 'Docker';
    expect(engine?.text).toMatch(new RegExp(`^${product}\\b.* \\d+\\.\\d+.* API 1\\.\\d+ at /`));
    const status = JSON.parse((await home.cli(['status', '--json'])).stdout);
    expect(status.counts.executions).toMatchObject({ total: 0 });
  });
});

describeIf(await dockerRequirement(), 'a reach test', () => {
  const ids = ['AAAAAAAAAAAAA', 'AAAAAAAAAAAAB', 'AAAAAAAAAAAAC'];
  const never = new AbortController().signal;

  it('names each way that does not work, and removes its container', async () => {
    // Nothing listens at the port, and no socket is mounted.
    const { executor, instanceId, tidy } = testDockerExecutor({ apiPort: async () => 9 });
    const limits = { memoryBytes: 2 ** 28, pids: 100 };
    const reach = createReach({
      containers: executor,
      images: executor.builder,
      limits,
      newId: () => ids.shift() ?? '',
    });
    const { address, ways } = await reach.test(never);
    expect(address).toMatch(/^http:\/\/.*:9$/);
    expect(ways).toEqual([
      { way: 'api', fault: 'the connection is refused' },
      { way: 'socket', fault: 'it is not there' },
      { way: 'file', fault: 'it is not there' },
    ]);
    const filters = { label: [`${INSTANCE_LABEL}=${instanceId}`, `${KIND_LABEL}=run`] };
    expect(await new Docker().listContainers({ all: true, filters })).toEqual([]);
    await tidy();
  });
});

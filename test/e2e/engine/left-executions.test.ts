// Executions that a stopped daemon left running, halted from another shell.
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterEach, expect, it } from 'vitest';
import { INSTANCE_LABEL, KIND_LABEL } from '../../../daemon/executor/docker/labels.ts';
import { until } from '../../support/daemon/daemon.ts';
import { inProcessHome } from '../../support/daemon/home.ts';
import { dockerRequirement, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const tidy: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of tidy.splice(0).reverse()) await each();
});

describeIf(await dockerRequirement(), 'executions that run without a daemon', () => {
  it('are halted on the engine that DOCKER_HOST named when the daemon started', async () => {
    const docker = new Docker();
    const images = testImages(docker);
    tidy.push(() => images.remove());
    const image = await images.script('exec sleep 600');
    const home = inProcessHome();
    tidy.push(() => home.remove());
    const socket = join(home.folder, 'engine.sock');
    symlinkSync((process.env['DOCKER_HOST'] || 'unix:///var/run/docker.sock').replace('unix://', ''), socket);
    const start = { DOCKER_HOST: `unix://${socket}` };
    // A shell that names no address, and whose context cannot be used.
    const other = { DOCKER_CONTEXT: 'missing' };
    tidy.push(() => home.cli(['down', '--halt-executions'], { env: start }));
    const cli = async (env: Readonly<Record<string, string>>, ...args: string[]) => {
      const ended = await home.cli([...args, '--json'], { env });
      if (ended.code !== 0) throw new Error(`${args.join(' ')}: ${ended.stderr}`);
      return JSON.parse(ended.stdout) as Record<string, unknown>;
    };
    await cli(start, 'up', '--port', 'auto', '--login');
    await cli(start, 'actors', 'create', image, '--name', 'sleeper');
    await cli(start, 'send', 'sleeper', '-m', 'x');
    const log = readFileSync(join(home.folder, 'state', 'default', 'daemon.log'), 'utf8');
    const label = [`${INSTANCE_LABEL}=${/"instanceId":"([^"]+)"/.exec(log)?.[1]}`, `${KIND_LABEL}=run`];
    const running = () => docker.listContainers({ filters: { label } });
    await until(async () => (await running()).length === 1);
    expect((await cli(other, 'down', '--grace', '0s'))['left']).toHaveLength(1);
    expect((await cli(other, 'down', '--halt-executions'))['left']).toEqual([]);
    expect(await running()).toEqual([]);
  });
});

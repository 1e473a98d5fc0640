// Two instances on one engine: each has its own containers and network, and ending one does not affect the other.
import { readFileSync } from 'node:fs';
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

describeIf(await dockerRequirement(), 'two instances on one engine', () => {
  it('have separate containers and networks', async () => {
    const docker = new Docker();
    const images = testImages(docker);
    tidy.push(() => images.remove());
    const image = await images.script('echo here; exec sleep 600');
    const home = inProcessHome();
    tidy.push(() => home.remove());
    const names = ['default', 'second'] as const;
    const cli = async (instance: string, ...args: string[]) => {
      const ended = await home.cli([...args, '--instance', instance, '--json']);
      if (ended.code !== 0) throw new Error(`${instance}: ${args.join(' ')}: ${ended.stderr}`);
      return JSON.parse(ended.stdout) as Record<string, unknown>;
    };
    for (const name of names) {
      tidy.push(() => home.cli(['down', '--halt-executions', '--instance', name]));
      await cli(name, 'up', '--port', 'auto', '--login');
      const actor = await cli(name, 'actors', 'create', image);
      await cli(name, 'send', String(actor['id']), '-m', 'x');
    }
    const idOf = (name: string): string =>
      /"instanceId":"([^"]+)"/.exec(readFileSync(join(home.folder, 'state', name, 'daemon.log'), 'utf8'))?.[1] ?? '';
    const filters = (name: string) => ({ label: [`${INSTANCE_LABEL}=${idOf(name)}`] });
    const runs = async (name: string) =>
      (await docker.listContainers({ filters: filters(name) })).filter(({ Labels }) => Labels[KIND_LABEL] === 'run');
    const networks = (name: string) => docker.listNetworks({ filters: filters(name) });
    expect(idOf('default')).not.toBe(idOf('second'));
    for (const name of names) await until(async () => (await runs(name)).length === 1);
    const [one, other] = await Promise.all(names.map(networks));
    expect([one?.length, other?.length]).toEqual([1, 1]);
    expect(one?.[0]?.Id).not.toBe(other?.[0]?.Id);
    // A stop without time leaves the container, and says so. A second stop removes it.
    const [left] = (await cli('default', 'down', '--grace', '0s'))['left'] as { readonly ref: string }[];
    expect((await runs('default')).map(({ Names }) => Names[0])).toEqual([`/${left?.ref}`]);
    await cli('default', 'down', '--halt-executions');
    expect(await docker.listContainers({ all: true, filters: filters('default') })).toEqual([]);
    expect(await networks('default')).toEqual([]);
    expect(await runs('second')).toHaveLength(1);
    expect(await networks('second')).toHaveLength(1);
  });
});

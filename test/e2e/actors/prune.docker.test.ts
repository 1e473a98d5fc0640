// `prune` on a real engine: images that were built and that nothing uses any more.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import type { Manage } from '../../../src/local/daemon/manage.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { manageAt } from '../../support/daemon/management-call.ts';
import { dockerRequirement } from '../../support/engine/docker.ts';
import { scratchActor } from '../../support/engine/scratch-actor.ts';
import { describeIf } from '../../support/runner/requirements.ts';

type Prunable = ResultOf<Operations['data.prunable']>;

/** Each look asks the engine for all of its images. */
const SLOWLY = { interval: 200 };

describeIf(await dockerRequirement(), 'pruning images', () => {
  const engine = new Docker();
  const repository = `actorctl-test/${randomBytes(6).toString('hex')}`;
  let home: Home;
  let manage: Manage;

  beforeAll(async () => {
    home = inProcessHome();
    manage = manageAt(join(home.folder, 'state', 'default', 'daemon.sock'));
    await home.up();
  });
  afterAll(async () => {
    await home.remove();
    for (const { RepoTags } of await engine.listImages({ filters: { reference: [repository] } }))
      for (const tag of RepoTags ?? []) await engine.getImage(tag).remove({ force: true });
  });

  const deploy = (name: string, script: string, ...flags: readonly string[]): Promise<unknown> => {
    const image = `${repository}:${name}`;
    return home.json('actors', 'deploy', scratchActor(join(home.folder, name), script, { name, image }), ...flags);
  };
  const idOf = async (name: string): Promise<string> => (await engine.getImage(`${repository}:${name}`).inspect()).Id;
  const exists = async (id: string): Promise<boolean> => (await engine.listImages()).some(({ Id }) => Id === id);
  /** What a prune would do with images of this file. Others of the engine are not those of this test. */
  const found = async (): Promise<Prunable> => {
    const all = await manage('data.prunable', { olderThanMs: 0 });
    return { ...all, images: all.images.filter(({ builtAs }) => builtAs.startsWith(repository)) };
  };
  const prune = async () => {
    const { before, images } = await found();
    return manage('data.prune', { before, images: images.map(({ id }) => id) });
  };
  const unused = async (): Promise<readonly string[]> => (await found()).images.map(({ id }) => id).toSorted();

  it('R198 removes images whose actor was deleted or rebuilt, and no other image', async () => {
    await deploy('used', 'echo used\n', '--wait');
    await deploy('gone', 'echo gone\n');
    await deploy('kept', 'echo kept\n');
    await engine.getImage(`${repository}:kept`).tag({ repo: repository, tag: 'by-hand' });
    const [used, gone, kept] = [await idOf('used'), await idOf('gone'), await idOf('kept')];
    await home.json('actors', 'delete', 'gone', 'kept', '--yes');
    // The image of before has no name any more.
    writeFileSync(join(home.folder, 'used/main.sh'), 'echo renewed\n');
    await home.json('actors', 'deploy', join(home.folder, 'used'), '--wait');
    const renewed = await idOf('used');
    // The time of an image has no fraction of a second.
    await expect.poll(unused, SLOWLY).toEqual([used, gone].toSorted());

    const { images } = await prune();
    expect(images.map(({ id, name }) => [id, name])).toEqual(
      expect.arrayContaining([
        [used, null],
        [gone, `${repository}:gone`],
      ]),
    );
    expect(await Promise.all([used, gone, kept, renewed].map(exists))).toEqual([false, false, true, true]);
    expect((await home.cli(['run', 'used', '-m', 'hello'])).stdout).toBe('renewed\n');
    expect(await unused()).toEqual([]);
  });

  it('leaves images of another instance, and removes images of a deleted temporary instance', async () => {
    const there = ['--instance', 'other'];
    const flags = ['--ephemeral', '--port', 'auto', '--login'];
    await home.json('up', ...there, ...flags);
    await deploy('short', 'echo short\n', '--wait', ...there);
    const short = await idOf('short');
    const { Created } = await engine.getImage(short).inspect();
    await expect.poll(() => Date.now() - Date.parse(Created)).toBeGreaterThan(1_000);
    expect(await unused()).toEqual([]);
    await home.json('down', ...there, '--halt-executions');
    // Temporary instances of others on this engine keep it, see unused-images.test.ts.
    const others = async () => (await engine.listNetworks({ filters: { label: ['actorctl.temporary'] } })).length;
    const isFree = async () => (await unused()).length === ((await others()) === 0 ? 1 : 0);
    await expect.poll(isFree, SLOWLY).toBe(true);
    const { images } = await prune();
    expect(await exists(short)).toBe(images.length === 0);
  });
});

// `prune` on a real engine: images that were built and that nothing uses any more.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { dockerRequirement } from '../../support/engine/docker.ts';
import { scratchActor } from '../../support/engine/scratch-actor.ts';
import { describeIf } from '../../support/runner/requirements.ts';

interface Image {
  readonly id: string;
  readonly name: string | null;
  readonly bytes: number;
}

describeIf(await dockerRequirement(), 'pruning images', () => {
  const engine = new Docker();
  const repository = `actorctl-test/${randomBytes(6).toString('hex')}`;
  let home: Home;

  beforeAll(async () => {
    home = inProcessHome();
    await home.up();
  }, 60_000);
  afterAll(async () => {
    await home.remove();
    for (const { RepoTags } of await engine.listImages({ filters: { reference: [repository] } }))
      for (const tag of RepoTags ?? []) await engine.getImage(tag).remove({ force: true });
  }, 60_000);

  const deploy = (name: string, script: string, ...flags: readonly string[]): Promise<unknown> => {
    const image = `${repository}:${name}`;
    return home.json('actors', 'deploy', scratchActor(join(home.folder, name), script, { name, image }), ...flags);
  };
  const idOf = async (name: string): Promise<string> => (await engine.getImage(`${repository}:${name}`).inspect()).Id;
  const exists = async (id: string): Promise<boolean> => (await engine.listImages()).some(({ Id }) => Id === id);
  /** The age 0s may be the second in which an image was built, whose time has no fraction. */
  const prune = async (...flags: string[]): Promise<readonly Image[]> =>
    (await home.json<{ images: readonly Image[] }>('prune', '--older-than', '0s', ...flags)).images;

  it('R198 removes those whose actor is gone or renewed, and no other image', { timeout: 120_000 }, async () => {
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
    await expect.poll(() => prune('--dry-run'), { timeout: 60_000 }).toHaveLength(2);

    expect((await prune('--dry-run')).map(({ id }) => id).toSorted()).toEqual([used, gone].toSorted());
    const removed = await prune('--yes');
    expect(removed.map(({ id, name }) => [id, name])).toEqual(
      expect.arrayContaining([
        [used, null],
        [gone, `${repository}:gone`],
      ]),
    );
    expect(await Promise.all([used, gone, kept, renewed].map(exists))).toEqual([false, false, true, true]);
    expect((await home.cli(['run', 'used', '-m', 'hello'])).stdout).toBe('renewed\n');
    expect(await prune('--dry-run')).toEqual([]);
  });

  it('leaves those of another instance, and removes those of a temporary one once it is gone', {
    timeout: 120_000,
  }, async () => {
    const there = ['--instance', 'other'];
    const flags = ['--ephemeral', '--port', 'auto', '--login'];
    await home.json('up', ...there, ...flags);
    await deploy('short', 'echo short\n', '--wait', ...there);
    const short = await idOf('short');
    const { Created } = await engine.getImage(short).inspect();
    await expect.poll(() => Date.now() - Date.parse(Created), { timeout: 60_000 }).toBeGreaterThan(1_000);
    expect(await prune('--dry-run')).toEqual([]);
    await home.json('down', ...there, '--kill-actors');
    await expect.poll(() => prune('--yes'), { timeout: 60_000 }).toMatchObject([{ id: short }]);
    expect(await exists(short)).toBe(false);
  });
});

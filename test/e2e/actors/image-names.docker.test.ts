// Two folders never build one image unnoticed: an actor keeps running the code of its own folder.
import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Ended, type Home, inProcessHome } from '../../support/daemon/home.ts';
import { dockerRequirement } from '../../support/engine/docker.ts';
import { scratchActor } from '../../support/engine/scratch-actor.ts';
import { describeIf } from '../../support/runner/requirements.ts';

describeIf(await dockerRequirement(), 'the image of a folder', () => {
  const engine = new Docker();
  const tag = randomBytes(6).toString('hex');
  let home: Home;

  beforeAll(async () => {
    home = inProcessHome();
    await home.up();
  });
  afterAll(async () => {
    const folder = home.folder;
    await home.remove();
    for (const { Id, Labels } of await engine.listImages({ filters: { label: ['actorctl.built'] } }))
      if (Labels['actorctl.built']?.includes(` ${folder}/`)) await engine.getImage(Id).remove({ force: true });
  });

  const folderOf = (name: string, project: Readonly<Record<string, unknown>> = {}): string =>
    scratchActor(join(home.folder, name), `echo "code of ${name}"\n`, project);
  const deploy = (...args: readonly string[]): Promise<Ended> => home.cli(['actors', 'deploy', ...args, '--wait']);
  const outputOf = async (actor: string): Promise<string> => (await home.cli(['run', actor, '-m', 'hi'])).stdout;

  it.each([
    ['Größe2', 'Grüße2'],
    ['a..b', 'a--b'],
    ['日本', 'Привет'],
  ])('the image name for %s differs from the one for %s', async (one, two) => {
    const made: string[] = [];
    for (const name of [one, two]) {
      const { actor_id: id } = await home.json<{ actor_id: string }>('actors', 'deploy', folderOf(name), '--wait');
      made.push(id);
    }
    expect(await Promise.all(made.map(outputOf))).toEqual([`code of ${one}\n`, `code of ${two}\n`]);
  });

  it('an image is not replaced by another folder with the same name, unless a flag allows it', async () => {
    const image = `written-${tag}:dev`;
    await deploy(folderOf('first', { name: 'first', image }));
    const second = folderOf('second', { name: 'second', image: `docker.io/library/${image}` });
    const refused = await deploy(second);
    expect(refused.code).toBe(7);
    expect(refused.stderr).toContain(`actor first uses the image docker.io/library/${image} of ${home.folder}/first`);
    expect(refused.stderr).toContain('--tag TAG; or replace that image: add --take-over');
    for (const command of [['build'], ['check', '--no-run'], ['deploy', '--tag', 'dev']]) {
      const [verb = '', ...flags] = command;
      expect((await home.cli(['actors', verb, second, ...flags])).code).toBe(7);
    }
    expect(await outputOf('first')).toBe('code of first\n');
    expect(await deploy(second, '--tag', 'two')).toMatchObject({ code: 0 });
    expect(await outputOf('first')).toBe('code of first\n');
    const taken = await deploy(second, '--take-over');
    expect(taken.code).toBe(0);
    expect(taken.stderr).toContain(`${second} takes over docker.io/library/${image}, which ${home.folder}/first built`);
    expect(await outputOf('second')).toBe('code of second\n');
  });

  it('an image is not replaced by a project, which is refused before it builds anything', async () => {
    const image = `shared-${tag}:dev`;
    await deploy(folderOf('alone', { name: 'alone', image }));
    const folder = folderOf('project');
    const actors = { free: { image: `free-${tag}:dev`, build: {} }, taken: { image, build: {} } };
    writeFileSync(join(folder, 'actorctl.yaml'), JSON.stringify({ project: 'p', actors }));
    const refused = await home.cli(['apply', '-f', folder]);
    expect(refused.code).toBe(7);
    expect(refused.stderr).toContain(`actor alone uses the image ${image}`);
    await expect(engine.getImage(`free-${tag}:dev`).inspect()).rejects.toThrow(/no such image/i);
    expect(await outputOf('alone')).toBe('code of alone\n');
    expect(await home.cli(['apply', '-f', folder, '--take-over'])).toMatchObject({ code: 0 });
  });

  it('an image name follows a folder that is moved, and a folder that no actor uses', async () => {
    const old = folderOf('old', { name: 'moved', image: `moved-${tag}:dev` });
    await deploy(old);
    const moved = join(home.folder, 'new');
    renameSync(old, moved);
    const { code, stderr } = await deploy(moved);
    expect(code).toBe(0);
    expect(stderr).toContain(`${moved} takes over moved-${tag}:dev, which ${old} built before it was moved or removed`);
    expect((await deploy(moved)).stderr).not.toContain('takes over');
    await home.json('actors', 'delete', 'moved', '--yes');
    expect((await deploy(folderOf('third', { name: 'third', image: `moved-${tag}:dev` }))).code).toBe(0);
  });

  it('an image is not replaced by a folder that another instance deploys', async () => {
    const image = `apart-${tag}:dev`;
    await deploy(folderOf('here', { name: 'here', image }));
    const other = inProcessHome();
    try {
      await other.up();
      const there = folderOf('there', { name: 'there', image });
      const refused = await other.cli(['actors', 'deploy', there]);
      expect(refused.code).toBe(7);
      expect(refused.stderr).toContain(`actors of another instance may use the image ${image} of ${home.folder}/here`);
      // The same folder is deployed to as many instances as its owner likes.
      expect((await other.cli(['actors', 'deploy', join(home.folder, 'here')])).code).toBe(0);
    } finally {
      await other.remove();
    }
    expect(await outputOf('here')).toBe('code of here\n');
  });
});

// `admin images` and `admin example`: what new actors can be made from, on the machine of the daemon.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { type ListingEngine, listingEngine } from '../../support/local/listing-engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'actorctl-engine-'));
let engine: ListingEngine;
let home: Home;

beforeAll(async () => {
  engine = await listingEngine(folder);
  home = inProcessHome({ DOCKER_HOST: engine.host });
  await home.up();
});
afterAll(async () => {
  await home.remove();
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('admin images', () => {
  it('lists each name of an image, newest first, without unnamed images and those of actorctl', async () => {
    engine.images.splice(
      0,
      engine.images.length,
      { RepoTags: ['old:1', 'old:latest'], Size: 1_000, Created: 1_700_000_000 },
      { RepoTags: ['registry.example.org:5000/team/new:2'], Size: 2_500_000, Created: 1_800_000_000 },
      { RepoTags: ['<none>:<none>'], Size: 1, Created: 1_900_000_000 },
      { RepoTags: null, Size: 1, Created: 1_900_000_000 },
      { RepoTags: ['actorctl/pause:1', 'localhost/actorctl/reach:1'], Size: 1, Created: 1_900_000_000 },
    );
    expect(await home.json('admin', 'images')).toEqual([
      { name: 'registry.example.org:5000/team/new:2', size: 2_500_000, created: '2027-01-15T08:00:00.000Z' },
      { name: 'old:1', size: 1_000, created: '2023-11-14T22:13:20.000Z' },
      { name: 'old:latest', size: 1_000, created: '2023-11-14T22:13:20.000Z' },
    ]);
    expect((await home.cli(['admin', 'images', '-q'])).stdout).toBe(
      'registry.example.org:5000/team/new:2\nold:1\nold:latest\n',
    );
  });

  it('says that it lists only the newest 500', async () => {
    const many = Array.from({ length: 501 }, (_, at) => ({ RepoTags: [`many:${at}`], Size: 1, Created: at }));
    engine.images.splice(0, engine.images.length, ...many);
    const { stdout, stderr } = await home.cli(['admin', 'images', '--all', '-q']);
    expect(stdout.split('\n').filter(Boolean)).toHaveLength(500);
    expect(stdout).not.toContain('many:0\n');
    expect(stderr).toContain('only the newest 500 images are listed');
  });

  it('is an error that names the cause if no engine responds', async () => {
    await engine.close();
    const { code, stderr } = await home.cli(['admin', 'images']);
    expect(code).toBe(10);
    expect(stderr).toMatch(/cannot list the images of docker: .*engine\.sock/);
    expect(stderr).toContain('try: actorctl doctor');
  });
});

describe('admin example', () => {
  it('prints the image of a folder in the data folder, whose actor runs without a container engine', async () => {
    const { stdout } = await home.cli(['admin', 'example', '-q']);
    expect(stdout).toBe(`${pathToFileURL(join(home.folder, 'data', 'default', 'examples', 'wordcount')).href}\n`);
    await home.json('actors', 'create', stdout.trim(), '--name', 'wordcount', '--wait');
    expect((await home.cli(['run', 'wordcount', '-m', 'to be or not to be'])).stdout).toContain('words      6');
  });

  it('keeps a file that a person changed, and writes a missing one', async () => {
    const example = join(home.folder, 'data', 'default', 'examples', 'wordcount');
    writeFileSync(join(example, 'wordcount.sh'), 'echo changed\n');
    rmSync(join(example, 'actor.json'));
    await home.cli(['admin', 'example']);
    expect((await home.cli(['run', 'wordcount', '-m', 'x'])).stdout).toBe('changed\n');
  });
});

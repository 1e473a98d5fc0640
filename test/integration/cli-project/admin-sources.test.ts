// `admin images` and `admin example`: what new actors can be made from, on the machine of the daemon.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
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

describe('admin folders', () => {
  const at = (...names: string[]) => join(folder, 'tree', ...names);
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(at(name), '..'), { recursive: true });
      writeFileSync(at(name), text);
    }
  };
  const list = (path: string) => home.json('admin', 'folders', path);
  const refusal = async (path: string) => {
    const { code, stderr } = await home.cli(['admin', 'folders', path]);
    return { code, stderr };
  };

  beforeAll(() => {
    write({
      'all/wc/actor.json': '{"command": ["sh", "wc.sh"]}',
      'all/b/readme': 'text',
      'all/.hidden/readme': 'text',
      'all/file': 'text',
    });
    symlinkSync(at('all', 'wc'), at('all', 'a-link'));
    symlinkSync(at('all', 'file'), at('all', 'to-file'));
    symlinkSync(at('nosuch'), at('all', 'dangling'));
    symlinkSync(at('loop'), at('loop'));
  });

  it('lists folders and links to folders by name, and says which are actors', async () => {
    expect(await list(at('all'))).toEqual({
      path: at('all'),
      parent: at(),
      folders: [
        { name: 'a-link', is_actor: true },
        { name: 'b', is_actor: false },
        { name: 'wc', is_actor: true },
      ],
      more: false,
    });
    const { stdout } = await home.cli(['admin', 'folders', at('all')]);
    expect(stdout).toBe(`${at('all')}\n  a-link  actor\n  b\n  wc  actor\n`);
  });

  it('follows a link to where it leads, so that the parent contains the listed folder', async () => {
    expect(await list(at('all', 'a-link'))).toMatchObject({
      path: at('all', 'wc'),
      parent: at('all'),
      actor: { image: `file://${at('all', 'wc')}` },
    });
  });

  it('starts at the home folder, and ends at the root, which has no parent', async () => {
    expect(await home.json('admin', 'folders')).toMatchObject({ path: homedir() });
    expect(await list('/')).not.toHaveProperty('parent');
  });

  it('says that it lists only 500 folders', async () => {
    for (let number = 0; number < 501; number += 1) mkdirSync(at('many', `folder-${number}`), { recursive: true });
    const { folders, more } = await home.json<{ folders: readonly unknown[]; more: boolean }>(
      'admin',
      'folders',
      at('many'),
    );
    expect([folders.length, more]).toEqual([500, true]);
    expect((await home.cli(['admin', 'folders', at('many')])).stdout).toContain('  and more\n');
  });

  it('refuses what is not a folder, and says why', async () => {
    expect(await refusal('all')).toMatchObject({ code: 2, stderr: expect.stringContaining('not an absolute path') });
    expect(await refusal(at('nosuch'))).toMatchObject({ code: 6, stderr: expect.stringContaining('does not exist') });
    expect(await refusal(at('all', 'file'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it is not a folder'),
    });
    expect(await refusal(at('loop'))).toMatchObject({ code: 2, stderr: expect.stringContaining('form a loop') });
    expect(await refusal(`/${'x'.repeat(300)}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('its name is too long'),
    });
  });

  it('reads the project file of an actor as actors create does', async () => {
    write({
      'project/actor.json': '{"command": ["sh", "-c", "true"]}',
      'project/values.env': 'CITY=Bern\n',
      'project/actorctl.json': JSON.stringify({
        name: 'weather',
        description: 'Reads the weather',
        env_file: 'values.env',
        env: { LOG: 'info', KEY: { config: 'api', path: 'key' } },
        memory: '64m',
        cpus: 0.5,
        time_limit: 60,
        stateless: false,
        hints: ['nightly'],
        alias: 'w',
        permissions: { ABACO_WORLD: 'READ' },
      }),
    });
    const { actor, apart } = await home.json<Record<string, unknown>>('admin', 'folders', at('project'));
    await home.json('configs', 'create', 'api', '--value', '{"key":1}');
    const { id } = await home.json<{ id: string }>('actors', 'create', at('project'), '--name', 'weather');
    expect(actor).toEqual({
      image: `file://${at('project')}`,
      name: 'weather',
      description: 'Reads the weather',
      default_environment: { CITY: 'Bern', LOG: 'info' },
      config_environment: { KEY: { config: 'api', path: 'key' } },
      mem_limit: '64m',
      max_cpus: 500_000_000,
      max_run_time: 60,
      stateless: false,
      hints: ['nightly'],
    });
    expect(apart).toEqual(['alias', 'permissions']);
    expect(await home.json('actors', 'show', id)).toMatchObject(actor as object);
  });

  it('names the place of an error in a project file, and what a folder without actor.json lacks', async () => {
    write({
      'wrong/actor.json': '{"command": ["true"]}',
      'wrong/actorctl.json': '{"memori": "64m"}',
      'outside/actor.json': '{"command": ["true"]}',
      'outside/actorctl.json': '{"env_file": "../../all/file"}',
      'built/Dockerfile': 'FROM scratch\n',
      'described/actorctl.json': '{"name": "x"}',
    });
    expect(await list(at('wrong'))).toMatchObject({
      problem: `${at('wrong', 'actorctl.json')}:1:2: no field named "memori". Did you mean "memory"?`,
    });
    expect(await list(at('outside'))).toMatchObject({ problem: expect.stringContaining('outside') });
    expect(await list(at('built'))).toMatchObject({ problem: expect.stringContaining('actorctl actors deploy') });
    expect(await list(at('described'))).toMatchObject({ problem: expect.stringContaining('no actor.json') });
    for (const name of ['wrong', 'outside', 'built', 'described'])
      expect(await list(at(name))).not.toHaveProperty('actor');
  });
});

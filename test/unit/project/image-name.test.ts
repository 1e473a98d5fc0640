// Derived image names: two different actors never share a name.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { imageFault } from '../../../daemon/domain/actors/image-reference.ts';
import { readProjectFile } from '../../../src/commands/project/project-file.ts';
import { readWanted } from '../../../src/commands/project/read-desired-state.ts';
import { derivedImage, wholeReference } from '../../../src/local/project/image-name.ts';
import { readProject } from '../../../src/local/project/project.ts';
import { readSource } from '../../../src/local/user-files.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'actorctl-names-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const folderOf = (name: string, files: Readonly<Record<string, string>> = { Dockerfile: '' }): string => {
  const folder = path.join(base, name);
  mkdirSync(folder, { recursive: true });
  for (const [each, content] of Object.entries(files)) writeFileSync(path.join(folder, each), content);
  return folder;
};

const NAMES = [
  ...['Größe2', 'Grüße2', 'gr-e2', 'a..b', 'a--b', 'a__b', 'a-b', 'a_b', 'A-b', 'a-b-', '日本', 'Привет', 'actor'],
  ...['x'.repeat(60), 'x'.repeat(61), `${'x'.repeat(49)}-y`, '-', '__'],
];

it('folders whose names differ build images whose names differ and are valid', async () => {
  const images = await Promise.all(
    NAMES.map(async (name) => (await readProject(folderOf(name), { allowOutside: false })).image),
  );
  expect(new Set(images).size).toBe(NAMES.length);
  expect(images.map(imageFault).filter((fault) => fault !== undefined)).toEqual([]);
});

it('a name that is valid in an image is not changed', () => {
  expect(['hello', 'word-count2', 'a_b'].map((name) => derivedImage(name, { folder: base }))).toEqual([
    'hello:dev',
    'word-count2:dev',
    'a_b:dev',
  ]);
});

it('a changed image name is unique for each folder', () => {
  expect(derivedImage('Größe', { folder: '/a/Größe' })).not.toBe(derivedImage('Größe', { folder: '/b/Größe' }));
});

describe('the actors of projects', () => {
  const imagesIn = async (folder: string): Promise<readonly string[]> => {
    const { signal } = new AbortController();
    const openStdin = (): never => expect.unreachable('no file is -');
    const read = (file: string, limit = 0) => readSource(file, limit, { cwd: folder, openStdin, signal });
    const context = {
      cwd: folder,
      read,
      user: { env: {}, home: '/', platform: 'linux' as const, loginShell: () => undefined },
    };
    const { sources } = await readWanted(context, await readProjectFile(context, undefined), { allowOutside: false });
    return [...sources.values()].map(({ image }) => image);
  };
  const project = (name: string, actors: object, folder = name): string => {
    const made = folderOf(folder, { Dockerfile: '', 'actorctl.yaml': JSON.stringify({ project: name, actors }) });
    folderOf(`${folder}/alert`);
    return made;
  };

  it('build images whose names contain the project', async () => {
    expect(await imagesIn(project('one', { alert: { build: {} } }))).toEqual(['one.alert:dev']);
    expect(await imagesIn(project('two', { alert: 'alert' }))).toEqual(['two.alert:dev']);
  });

  it('have names that differ if project and actor could be split in two ways', async () => {
    const parts = [
      ['a-b', 'c'],
      ['a', 'b-c'],
      ['a', 'b.c'],
      ['A', 'b-c'],
    ] as const;
    const images = await Promise.all(
      parts.map(([name, actor], index) => imagesIn(project(name, { [actor]: { build: {} } }, `p${index}`))),
    );
    expect(new Set(images.flat()).size).toBe(parts.length);
    expect(images.flat().map(imageFault)).toEqual(parts.map(() => undefined));
  });

  it('of a folder with one actor have the name that actors deploy gives', async () => {
    const folder = folderOf('single', { Dockerfile: '', 'actorctl.json': '{"name":"hello"}' });
    expect(await imagesIn(folder)).toEqual([(await readProject(folder, { allowOutside: false })).image]);
  });

  it.each([
    ['two Dockerfiles', 'x:1', 'x:1', { dockerfile: 'Other' }],
    ['two spellings of one name', 'x', 'docker.io/library/x:latest', { target: 'second' }],
  ])('are refused if they build different images under one name: %s', async (_case, first, second, build) => {
    const folder = project('one', { a: { image: first, build: {} }, b: { image: second, build } });
    await expect(imagesIn(folder)).rejects.toThrow(/actors "a" and "b" build different images under the name/);
  });

  it('may share an image that is built in one way', async () => {
    const folder = project('one', { a: { image: 'x:1', build: {} }, b: { image: 'x:1', build: {} } });
    expect(await imagesIn(folder)).toEqual(['x:1', 'x:1']);
  });
});

it.each([
  ['hello', 'hello:latest'],
  ['localhost/hello:dev', 'hello:dev'],
  ['docker.io/library/hello', 'hello:latest'],
  ['index.docker.io/team/hello:1', 'team/hello:1'],
  ['host:5000/hello', 'host:5000/hello:latest'],
  ['hello@sha256:ab', 'hello@sha256:ab'],
])('the whole reference of %s is %s', (image, whole) => expect(wholeReference(image)).toBe(whole));

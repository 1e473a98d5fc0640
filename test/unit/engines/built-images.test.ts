// Which images the engine lists as unused, and how they are removed.
import { expect, it } from 'vitest';
import type { BuiltImage } from '../../../daemon/domain/data/unused-images.ts';
import type { Connection } from '../../../daemon/executor/engine/connection.ts';
import { createBuiltImages } from '../../../daemon/executor/images/built-images.ts';

const signal = new AbortController().signal;
const refused = (statusCode: number): Error => Object.assign(new Error(`HTTP code ${statusCode}`), { statusCode });

/** An engine with one image of the instance `own`. It refuses references as Docker does. */
const engineWith = (id: string, name: string) => {
  const images = new Map([[id, name]]);
  const idOf = (reference: string): string => {
    if (reference.startsWith('file:///')) throw refused(301);
    if (reference.startsWith('[')) throw refused(400);
    const found = [...images].find(([each, named]) => each === reference || named === reference)?.[0];
    if (found === undefined) throw refused(404);
    return found;
  };
  const listed = () =>
    [...images].map(([Id, tag]) => ({
      ...{ Id, RepoTags: tag === '' ? null : [tag], Created: 1, Size: 1 },
      Labels: { 'actorctl.built': `own ${name}` },
    }));
  const docker = {
    listImages: async () => listed(),
    listNetworks: async () => [],
    listContainers: async () => [],
    getImage: (reference: string) => ({
      inspect: async () => ({ Id: idOf(reference) }),
      remove: async () => images.delete(idOf(reference)),
    }),
  };
  const connection = { call: (work: (engine: unknown) => unknown) => work(docker) } as unknown as Connection;
  const use = { happened: () => true, record: async () => undefined };
  return { images, ...createBuiltImages(connection, { instanceId: 'own', isTemporary: false, use }) };
};

it.each(['file:///home/me/actor', '[::1]:5000/actor'])(
  'an actor with the image %s retains no built image',
  async (image) => {
    const engine = engineWith('sha256:a', 'weather:dev');
    const unused = await engine.unused({ images: [image], before: 2_000 }, signal);
    expect(unused.map(({ id }) => id)).toEqual(['sha256:a']);
  },
);

it('a build that takes the name of an unused image meanwhile keeps its own image', async () => {
  const { images, unused, remove } = engineWith('sha256:a', 'weather:dev');
  const found: readonly BuiltImage[] = await unused({ images: [], before: 2_000 }, signal);
  images.set('sha256:a', '').set('sha256:b', 'weather:dev');
  expect((await remove(found, signal)).map(({ id }) => id)).toEqual(['sha256:a']);
  expect([...images]).toEqual([['sha256:b', 'weather:dev']]);
});

// `admin images` and `admin example`: what new actors can be made from, on the machine of the daemon. Admins only.
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { CliFailure } from '../../failure.ts';
import type { View } from '../../ui/format/view.ts';
import { command, type LeafEntry } from '../framework/command.ts';

type Image = ResultOf<Operations['admin.images']>['images'][number];

const imageView: View<Image> = {
  id: ({ name }) => name,
  fields: ['name', 'size', 'created'],
  columns: [
    { header: 'IMAGE', value: ({ name }) => name, role: 'name' },
    { header: 'SIZE', value: ({ size }) => size, kind: 'bytes' },
    { header: 'CREATED', value: ({ created }) => created, kind: 'time' },
  ],
};

const images = command({
  name: 'images',
  summary: "List the images of the daemon's container engine",
  operations: ['admin.images'],
  list: true,
  run: async ({ call, output }) => {
    const { engine, available, detail, images: rows, more } = await call('admin.images');
    if (!available)
      throw new CliFailure('RUNTIME_UNAVAILABLE', `cannot list the images of ${engine}: ${detail}`, {
        hint: 'actorctl doctor',
      });
    output.rows(rows, imageView);
    if (more) output.warn(`only the newest ${rows.length} images are listed`);
    return 0;
  },
});

const example = command({
  name: 'example',
  summary: 'Write the word-count example and print its image',
  details:
    'Writes it to the data folder of the daemon. Existing files stay unchanged. It runs without a container engine.',
  operations: ['admin.example'],
  examples: ['actorctl actors create "$(actorctl admin example -q)" --name wordcount --wait'],
  run: async ({ call, output }) => {
    const found = await call('admin.example');
    output.result(found.image, found, found.image);
    output.next(`actorctl actors create ${found.image} --name ${found.name} --wait`);
    return 0;
  },
});

export const sourceCommands: readonly LeafEntry[] = [images, example];

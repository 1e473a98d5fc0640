// `admin images`, `admin folders` and `admin example`: what new actors can be made from, on the machine of the daemon. Admins only.
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { CliFailure } from '../../failure.ts';
import { shellWord } from '../../local/single-quoted.ts';
import type { View } from '../../ui/format/view.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { optional } from '../framework/option.ts';

type Folder = ResultOf<Operations['admin.folders']>;
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

const folderLines = ({ path, folders: rows, more, actor, problem }: Folder): readonly string[] => [
  path,
  ...rows.map(({ name, isActor }) => `  ${name.replaceAll('\n', '?')}${isActor ? '  actor' : ''}`),
  ...(more ? ['  and more'] : []),
  ...(actor === undefined ? [] : [`${path} is an actor: actorctl actors create ${shellWord(path)}`]),
  ...(problem === undefined ? [] : [problem]),
];

const folders = command({
  name: 'folders',
  summary: "Show the folders in a folder of the daemon's machine",
  details: 'Hidden folders are left out. Without a path it lists the home folder of the user of the daemon.',
  operations: ['admin.folders'],
  args: { path: optional('absolute path', 'folders') },
  run: async ({ call, output }, { path }) => {
    const found = await call('admin.folders', { query: path === undefined ? {} : { path } });
    output.report(folderLines(found).join('\n'), found, found.path);
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

export const sourceCommands: readonly LeafEntry[] = [images, folders, example];

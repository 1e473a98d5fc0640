// Connects what new actors can be made from to the machine of the daemon: images of the engine, folders, and the example
// of the package.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { IMAGES_MAX } from '../../src/contract/actors/sources.ts';
import { toWireTime } from '../../src/contract/wire.ts';
import { replaceFile } from '../../src/local/atomic-file.ts';
import { makeFolders } from '../../src/local/folders/make-folders.ts';
import type { EngineImages, Example, Sources } from '../actors/dependencies.ts';
import type { Builder } from '../ports/builder.ts';
import { type Executor, ExecutorError } from '../ports/executor.ts';
import { listFolder } from './list-folder.ts';

const readImages = async (
  { containers, builder }: Deps,
  signal: AbortSignal,
): Promise<Omit<EngineImages, 'engine'>> => {
  const status = await containers.probe(signal);
  if (!status.available) return { available: false, detail: status.reason, images: [], more: false };
  try {
    const all = await builder.named(signal);
    const images = all
      .slice(0, IMAGES_MAX)
      .map(({ name, size, createdAt }) => ({ name, size, created: toWireTime(createdAt) }));
    return { available: true, detail: status.description, images, more: all.length > images.length };
  } catch (error) {
    if (!(error instanceof ExecutorError)) throw error;
    return { available: false, detail: error.message, images: [], more: false };
  }
};

/** Folder of the package, two levels above this file and above its bundle. */
const SOURCES = fileURLToPath(new URL('../../examples/wordcount/', import.meta.url));

/** actor.json is the last one: a folder with it is complete. */
const FILES = ['gettysburg.txt', 'wordcount.sh', 'actor.json'] as const;

/** Existing files stay, because a person may have changed them. */
const writeExample = async (dataDir: string): Promise<Example> => {
  const folder = path.join(dataDir, 'examples', 'wordcount');
  await makeFolders(folder);
  for (const name of FILES) {
    const file = path.join(folder, name);
    if (existsSync(file)) continue;
    const text = await readFile(path.join(SOURCES, name), 'utf8');
    await replaceFile(file, (append) => append(text));
  }
  return {
    image: pathToFileURL(folder).href,
    name: 'wordcount',
    description: 'Counts the lines, words and characters of its message',
    message: 'to be or not to be',
  };
};

interface Deps {
  /** Name of the executor of container images. */
  readonly engine: string;
  readonly containers: Pick<Executor, 'probe'>;
  readonly builder: Pick<Builder, 'named'>;
  readonly dataDir: string;
  /** Home folder of the daemon's user. */
  readonly home: string;
}

export const createSources = (deps: Deps): Sources => ({
  folders: (folder) => listFolder(folder ?? deps.home),
  writeExample: () => writeExample(deps.dataDir),
  images: async (signal) => ({ engine: deps.engine, ...(await readImages(deps, signal)) }),
});

// Writes the word-count example of the package to the data folder, where it outlives an upgrade and a restore.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { replaceFile } from '../../src/local/atomic-file.ts';
import { makeFolders } from '../../src/local/folders/make-folders.ts';
import type { Example } from '../actors/dependencies.ts';

/** Folder of the package, two levels above this file and above its bundle. */
const SOURCES = fileURLToPath(new URL('../../examples/wordcount/', import.meta.url));

/** actor.json is the last one: a folder with it is complete. */
const FILES = ['gettysburg.txt', 'wordcount.sh', 'actor.json'] as const;

/** Existing files stay, because a person may have changed them. */
export const writeExample = async (dataDir: string): Promise<Example> => {
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

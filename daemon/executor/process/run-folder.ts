// The folders and files of a run, which the daemon creates before it passes the run to the runner.
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { RunFile } from '../../ports/executor.ts';

export const makeFolder = async (own: string, name: string): Promise<string> => {
  await mkdir(own, { recursive: true, mode: 0o700 });
  const path = join(own, name);
  await mkdir(path, { mode: 0o700 });
  return path;
};

/** Writes a file of a run into a folder and returns its path. @throws EEXIST if it is there */
export const writeRunFile = async (file: RunFile, folder: string): Promise<string> => {
  const path = join(folder, basename(file.path));
  if ('bytes' in file.source) await writeFile(path, file.source.bytes, { mode: 0o400, flag: 'wx' });
  else {
    // A copy and not a link, because the run must not be able to change the daemon's file. Some file systems share the
    // blocks.
    await copyFile(file.source.file, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await chmod(path, 0o400);
  }
  return path;
};

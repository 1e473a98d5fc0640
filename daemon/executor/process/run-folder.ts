// The folders and files of a run, which the daemon creates before it passes the run to the runner.
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import type { RunFile, RunSpec } from '../../ports/executor.ts';
import { makeOutputFiles } from '../outputs/output-files.ts';

/** The folder of the daemon's own node comes first, so that `node main.js` is found wherever node is installed. */
export const SYSTEM_PATH = [
  ...new Set([
    dirname(process.execPath),
    '/usr/local/sbin',
    '/usr/local/bin',
    '/usr/sbin',
    '/usr/bin',
    '/sbin',
    '/bin',
  ]),
].join(delimiter);

export const makeFolder = async (own: string, name: string): Promise<string> => {
  await mkdir(own, { recursive: true, mode: 0o700 });
  const path = join(own, name);
  await mkdir(path, { mode: 0o700 });
  return path;
};

/** Writes a file of a run into a folder and returns its path. @throws EEXIST if it is there */
const writeRunFile = async (file: RunFile, folder: string): Promise<string> => {
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

/** Folder of the output files. */
export const outputsOf = (own: string): string => join(own, 'outputs');

/** Makes the files of a run. Returns the variables with their paths. */
export const makeFiles = async (own: string, spec: RunSpec): Promise<Record<string, string>> => {
  const named: Record<string, string> = {};
  if (spec.files.length > 0) {
    const shelf = await makeFolder(own, 'files');
    for (const file of spec.files) named[file.variable] = await writeRunFile(file, shelf);
  }
  if (spec.outputs === undefined) return named;
  const { result, state } = await makeOutputFiles(outputsOf(own), spec.outputs, 0o600);
  return { ...named, _svc_result_file: result, ...(state !== undefined && { _svc_state_file: state }) };
};

// Restricts the files of a project to its folder, so that a project from another person cannot upload other files.
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { fileFailure, systemCode, usage } from '../../failure.ts';

/** True if `file` is `folder` or below it. Both are absolute. */
const isBelow = (folder: string, file: string): boolean => {
  const relative = path.relative(folder, file);
  return !/^\.\.(?:[\\/]|$)/.test(relative) && !path.isAbsolute(relative);
};

/**
 * The path without symbolic links. A path that does not exist is returned unchanged, because there is no file to
 * read.
 */
export const realOf = async (file: string): Promise<string> => {
  try {
    return await realpath(file);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return file;
    throw fileFailure('cannot read', file, error);
  }
};

export interface Fence {
  /** Absolute path. */
  readonly folder: string;
  /** True if the user accepts paths outside the folder. */
  readonly allowOutside: boolean;
}

/**
 * Absolute, without links. @throws CliFailure USAGE if it leads outside the folder.
 * @see docs/conformance/security.md R164
 */
export const insideFolder = async ({ folder, allowOutside }: Fence, name: string, what: string): Promise<string> => {
  const named = path.resolve(folder, name);
  const real = await realOf(named);
  if (allowOutside) return real;
  const hint = 'if you trust this folder, add --allow-outside';
  if (!isBelow(folder, named)) throw usage(`${what} "${name}" is outside the folder ${folder}`, hint);
  if (isBelow(await realOf(folder), real) || real === named) return real;
  throw usage(`${what} "${name}" is a symbolic link to ${real}, outside the folder ${folder}`, hint);
};

// Removes a folder that other programs have written to.
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../../failure.ts';

const remove = (tree: string): Promise<void> => rm(tree, { recursive: true, force: true, maxRetries: 3 });

/** Gives the owner all permissions on a folder and the folders below it. Follows no links. */
const unlock = async (folder: string): Promise<void> => {
  try {
    const { mode } = await lstat(folder);
    await chmod(folder, (mode & 0o777) | 0o700);
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries) if (entry.isDirectory()) await unlock(path.join(folder, entry.name));
  } catch {
    // Errors are ignored here: the removal reports files that remain.
  }
};

/**
 * Removes a folder with its contents, including read-only folders of this user such as the Go module cache. A
 * missing folder is not an error.
 */
export const removeTree = async (folder: string): Promise<void> => {
  try {
    await remove(folder);
  } catch (error) {
    if (systemCode(error) !== 'EACCES' || !(await lstat(folder)).isDirectory()) throw error;
    await unlock(folder);
    await remove(folder);
  }
};

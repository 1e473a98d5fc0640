// Creates folders with their parents.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../../failure.ts';

/**
 * Creates a folder and its missing parents. An existing folder stays unchanged. Creates one level at a time: the
 * `recursive` option of mkdir reports a read-only disk as ENOENT, and never returns below /proc.
 * @param mode permission bits before the umask; without it only the owner may enter
 */
export const makeFolders = async (folder: string, mode = 0o700): Promise<void> => {
  const make = async (): Promise<void> => {
    try {
      await mkdir(folder, mode);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  };
  try {
    await make();
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || path.dirname(folder) === folder) throw error;
    await makeFolders(path.dirname(folder), mode);
    await make();
  }
};

// Makes a folder private, and refuses a folder in which other users could have placed files.
import { lstat } from 'node:fs/promises';
import { makeFolders } from '../../src/local/folders/make-folders.ts';
import { FolderRefused, writing } from './store-errors.ts';

/**
 * Creates the folder (mode 0700, with its parents) if it is missing, and checks that only the current user can write to
 * it.
 * @throws FolderRefused when it is a symbolic link, not a folder, owned by another user, or writable for group or world
 * @see docs/conformance/security.md R140, R142
 */
export const prepareFolder = async (path: string): Promise<void> => {
  await writing(path, () => makeFolders(path));
  const found = await lstat(path);
  if (found.isSymbolicLink()) throw new FolderRefused(path, 'is a symbolic link', 'Use the folder it points to.');
  if (!found.isDirectory()) throw new FolderRefused(path, 'is not a folder', 'Remove it, or choose another folder.');
  const uid = process.getuid?.();
  if (uid !== undefined && found.uid !== uid) {
    throw new FolderRefused(
      path,
      `belongs to user ${found.uid}, not to you (${uid})`,
      'Choose a folder of your own, or start the daemon as that user.',
    );
  }
  if ((found.mode & 0o022) !== 0) {
    throw new FolderRefused(
      path,
      `can be written by other users (mode ${(found.mode & 0o777).toString(8)})`,
      `If you trust its content: chmod 700 ${path}`,
    );
  }
};

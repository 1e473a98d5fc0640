// Node's own cache of compiled code (`module.enableCompileCache`, from Node 22.8), in a private folder of the user.
import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import { homeFolder } from './folders/home-folder.ts';
import { cacheRoot } from './paths.ts';

/** The types of Node 20 do not declare this function. */
type EnableCompileCache = (folder: string) => unknown;

/** True if only the user or root can replace the folder or any folder above it. */
const isBelowOwnFolders = (folder: string, self: number): boolean => {
  const { uid, mode } = lstatSync(folder);
  if ((uid !== self && uid !== 0) || (mode & 0o022) !== 0) return false;
  const parent = path.dirname(folder);
  return parent === folder || isBelowOwnFolders(parent, self);
};

/**
 * Creates a folder and its parents one level at a time, because the option `recursive` of mkdir may hang below /proc.
 */
const make = (folder: string): void => {
  if (existsSync(folder)) return;
  if (path.dirname(folder) !== folder) make(path.dirname(folder));
  mkdirSync(folder, 0o700);
};

/** The nearest existing folder at or above the path. */
const existing = (folder: string): string => (existsSync(folder) ? folder : existing(path.dirname(folder)));

/** Returns the folder if no other user can write to it or replace it, because code in the cache runs as the user. */
export const privateFolder = (folder: string, self: number | undefined): string | undefined => {
  try {
    // Root must not create folders in the home of another user.
    if (self !== undefined && !isBelowOwnFolders(realpathSync(existing(folder)), self)) return undefined;
    make(folder);
    const found = lstatSync(folder);
    if (!found.isDirectory()) return undefined;
    if (self === undefined) return folder;
    return found.uid === self && (found.mode & 0o077) === 0 ? folder : undefined;
  } catch {
    // The folder cannot be created or read. The program then only starts more slowly.
    return undefined;
  }
};

/** Lets Node keep the compiled code of the files that are loaded after this call. Does nothing on Node 20. */
export const keepCompiled = (env: NodeJS.ProcessEnv): void => {
  const { enableCompileCache } = Module as { enableCompileCache?: EnableCompileCache };
  if (enableCompileCache === undefined || env['NODE_DISABLE_COMPILE_CACHE'] !== undefined) return;
  let home: string;
  try {
    home = homeFolder(env);
  } catch {
    // There is no home folder. Another part of the program reports that.
    return;
  }
  const root = cacheRoot({ env, platform: process.platform, home });
  const folder = privateFolder(path.join(root, 'compiled'), process.getuid?.());
  if (folder !== undefined) enableCompileCache(folder);
};

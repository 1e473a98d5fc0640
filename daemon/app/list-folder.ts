// Lists the folders in one folder of this machine, for admins, who may run any of them as an actor. Names only: of files
// it reads those that describe an actor.
import type { Dirent } from 'node:fs';
import { access, opendir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { FOLDERS_MAX } from '../../src/contract/actors/sources.ts';
import { folderActor } from '../../src/local/project/folder-actor.ts';
import type { FolderListing } from '../actors/dependencies.ts';
import { Failure } from '../domain/failure.ts';

/** Maximum number of entries that are read, so that a huge folder costs little. */
const ENTRIES_MAX = 20_000;

/** Time after which a listing fails. A network file system whose server is away does not respond at all. */
const LIMIT_MS = 10_000;

/** Maximum number of listings without a response. Each occupies one of the four threads that the store needs too. */
const UNANSWERED_MAX = 2;

/**
 * Lists folders one after the other, each for a limited time.
 * @param deadline called when a listing begins
 */
export const createLimit = (deadline: () => AbortSignal) => {
  let last: Promise<unknown> = Promise.resolve();
  let unanswered = 0;
  return <T>(folder: string, list: () => Promise<T>): Promise<T> => {
    const turn = last.then(async () => {
      if (unanswered >= UNANSWERED_MAX)
        throw new Failure(
          'VALIDATION',
          `cannot list ${folder}: earlier requests still wait for a file system that does not respond`,
        );
      const listing = list();
      const signal = deadline();
      const late = new Promise<'late'>((resolve) => {
        signal.addEventListener('abort', () => resolve('late'), { once: true });
        if (signal.aborted) resolve('late');
      });
      const ended = listing.then(
        () => 'ended' as const,
        () => 'ended' as const,
      );
      if ((await Promise.race([ended, late])) === 'ended') return listing;
      unanswered += 1;
      void ended.then(() => {
        unanswered -= 1;
      });
      throw new Failure(
        'VALIDATION',
        `cannot list ${folder}: its file system, or that of a folder in it, does not respond`,
      );
    });
    last = turn.catch(() => undefined);
    return turn;
  };
};

const limited = createLimit(() => AbortSignal.timeout(LIMIT_MS));

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/** @throws Failure VALIDATION, NOT_FOUND */
const refuse = (folder: string, error: unknown): never => {
  const code = codeOf(error);
  if (code === 'ENOENT') throw new Failure('NOT_FOUND', `the folder ${folder} does not exist`);
  const why =
    code === 'EACCES' || code === 'EPERM'
      ? 'the daemon is not allowed to read it'
      : code === 'ENOTDIR'
        ? 'it is not a folder'
        : code === 'ELOOP'
          ? 'its symbolic links form a loop'
          : code === 'ENAMETOOLONG'
            ? 'its name is too long'
            : undefined;
  if (why === undefined) throw error;
  throw new Failure('VALIDATION', `cannot list ${folder}: ${why}`);
};

/** A symbolic link counts as a folder if its target is one. */
const isFolder = async (parent: string, entry: Dirent): Promise<boolean> => {
  if (entry.isDirectory()) return true;
  if (!entry.isSymbolicLink()) return false;
  try {
    return (await stat(path.join(parent, entry.name))).isDirectory();
  } catch {
    return false;
  }
};

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

const childrenOf = async (folder: string): Promise<Pick<FolderListing, 'folders' | 'more'>> => {
  const names: string[] = [];
  let read = 0;
  for await (const entry of await opendir(folder)) {
    read += 1;
    if (read > ENTRIES_MAX) break;
    // A hidden folder can be typed.
    if (!entry.name.startsWith('.') && (await isFolder(folder, entry))) names.push(entry.name);
  }
  names.sort((one, other) => one.localeCompare(other));
  const shown = names.slice(0, FOLDERS_MAX);
  const folders: FolderListing['folders'][number][] = [];
  // One after the other: a listing occupies only one thread, even if several of these are on file systems that are away.
  for (const name of shown) folders.push({ name, isActor: await exists(path.join(folder, name, 'actor.json')) });
  return {
    folders,
    more: read > ENTRIES_MAX || names.length > FOLDERS_MAX,
  };
};

const read = async (asked: string): Promise<FolderListing> => {
  try {
    // Without links, a parent is the folder in which the listed one really is.
    const folder = await realpath(asked);
    const children = await childrenOf(folder);
    const actor = await folderActor(folder);
    return {
      path: folder,
      ...(path.dirname(folder) !== folder && { parent: path.dirname(folder) }),
      ...children,
      ...(actor !== undefined &&
        ('problem' in actor ? actor : { actor: { ...actor.description }, apart: [...actor.apart] })),
    };
  } catch (error) {
    if (error instanceof Failure) throw error;
    return refuse(asked, error);
  }
};

/** @param asked absolute path. @throws Failure VALIDATION, NOT_FOUND */
export const listFolder = async (asked: string): Promise<FolderListing> => {
  if (!path.isAbsolute(asked)) throw new Failure('VALIDATION', `"${asked}" is not an absolute path, like /home/ana`);
  return limited(asked, () => read(asked));
};

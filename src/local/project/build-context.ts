// Packs a folder as the build context of an image: a tar archive without the files that .dockerignore excludes.
import { constants } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import { CliFailure, isError, messageOf, reasonOf, systemCode, usage } from '../../failure.ts';
import { readFolderFile } from '../small-file.ts';
import { ignoreRules } from './ignore-rules.ts';

interface ContextEntry {
  /** Relative path with forward slashes. */
  readonly name: string;
  readonly file: string;
  readonly kind: 'file' | 'folder' | 'link';
  readonly size: number;
  readonly mode: number;
  readonly mtime: Date;
}

export interface BuildContext {
  /** The archive. It can be read once. */
  readonly archive: AsyncIterable<Uint8Array>;
  readonly files: number;
  /** Total size of the files in bytes. */
  readonly bytes: number;
}

const IGNORE_FILE = '.dockerignore';

/**
 * The ignore rules: those of the Dockerfile's own ignore file if there is one, else those of the folder. Also returns
 * whether a rule with `!` re-includes files.
 */
const rules = (folder: string, dockerfile: string) => {
  const text =
    readFolderFile(path.join(folder, `${dockerfile}${IGNORE_FILE}`)) ?? readFolderFile(path.join(folder, IGNORE_FILE));
  const { ignores, takesBack } = ignoreRules(text?.toString('utf8') ?? '');
  // The engine needs these two files even if they are ignored. It leaves them out of the image itself.
  const needed = new Set([dockerfile, IGNORE_FILE]);
  return {
    ignores: (name: string): boolean => !needed.has(name) && ignores(name),
    takesBack: takesBack || dockerfile.includes('/'),
  };
};

const collect = async (folder: string, dockerfile: string): Promise<readonly ContextEntry[]> => {
  const { ignores, takesBack } = rules(folder, dockerfile);
  const found: ContextEntry[] = [];
  // Files inside an ignored folder are listed too, because a rule with `!` may re-include them. An ignored folder that
  // cannot be read counts as empty.
  const unlessClosed = async <T>(ignored: boolean, act: Promise<T>): Promise<T | undefined> => {
    try {
      return await act;
    } catch (error) {
      if (ignored && systemCode(error) === 'EACCES') return undefined;
      throw error;
    }
  };
  const walk = async (relative: string, within: boolean): Promise<void> => {
    const names = ((await unlessClosed(within, readdir(path.join(folder, relative)))) ?? []).sort();
    for (const each of names) {
      const name = relative === '' ? each : `${relative}/${each}`;
      const ignored = ignores(name);
      const file = path.join(folder, name);
      const stats = await unlessClosed(ignored, lstat(file));
      if (stats === undefined) continue;
      const entry = { name, file, size: 0, mode: stats.mode & 0o7777, mtime: stats.mtime };
      if (stats.isDirectory()) {
        if (!ignored) found.push({ ...entry, kind: 'folder' });
        if (!ignored || takesBack) await walk(name, ignored);
      } else if (ignored) continue;
      else if (stats.isSymbolicLink()) found.push({ ...entry, kind: 'link' });
      // Sockets, pipes and devices are left out, because an image cannot contain them.
      else if (stats.isFile()) found.push({ ...entry, kind: 'file', size: stats.size });
    }
  };
  await walk('', false);
  return found;
};

/** A file that was replaced by a link or a FIFO since it was listed is not read. Windows has neither flag. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

const fill = async (archive: ReturnType<typeof pack>, entries: readonly ContextEntry[]): Promise<void> => {
  for (const { name, file, kind, size, mode, mtime } of entries) {
    // The owner is set to root, because a user of this machine has no meaning inside an image.
    const header = { name, mode, mtime, uid: 0, gid: 0 };
    if (kind === 'folder') archive.entry({ ...header, name: `${name}/`, type: 'directory' });
    else if (kind === 'link') archive.entry({ ...header, type: 'symlink', linkname: await readlink(file) });
    else if (size === 0) archive.entry({ ...header, size: 0 }, '');
    // If a file grows meanwhile, the archive contains its original length. If a file shrinks, the archive fails.
    else {
      const content = (await open(file, flags)).createReadStream({ end: size - 1 });
      await pipeline(content, archive.entry({ ...header, size }));
    }
  }
  archive.finalize();
};

/** System error codes for a file that was deleted, or replaced by another kind of file, since it was listed. */
const CHANGED = ['ELOOP', 'ENOENT', 'ENXIO'];

const packFailure = (error: unknown): CliFailure => {
  const message = messageOf(error);
  if (CHANGED.includes(systemCode(error) ?? '') || message === 'Size mismatch') {
    return new CliFailure('USAGE', `cannot pack the folder: it changed meanwhile: ${message}`, { cause: error });
  }
  const file = isError(error) && 'path' in error ? error.path : 'a file of the folder';
  return new CliFailure('USAGE', `cannot read ${file}: ${reasonOf(error)}`, {
    hint: `make it readable, or name it in ${IGNORE_FILE}`,
    cause: error,
  });
};

/** The archive as an async iterable. The types of tar-stream do not declare the element type. */
async function* bytesOf(archive: AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const chunk of archive) if (chunk instanceof Uint8Array) yield chunk;
  } catch (error) {
    throw packFailure(error);
  }
}

/**
 * Names are sorted and owners left out: the same content gives the same archive except for times.
 * @param dockerfile path of the Dockerfile, relative to the folder and inside it
 */
export const packContext = async (folder: string, dockerfile: string): Promise<BuildContext> => {
  const inside = path.posix.normalize(dockerfile.replaceAll(path.sep, '/'));
  if (path.isAbsolute(dockerfile) || inside.startsWith('..')) {
    throw usage(`the Dockerfile "${dockerfile}" is outside the folder ${folder}`, 'name a file inside the folder');
  }
  if (readFolderFile(path.join(folder, inside)) === undefined) {
    throw usage(
      `no file named "${dockerfile}" in ${folder}`,
      'write it, or create a folder with: actorctl actors init',
    );
  }
  let entries: readonly ContextEntry[];
  try {
    entries = await collect(folder, inside);
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    throw new CliFailure('USAGE', `cannot pack ${folder}: ${messageOf(error)}`, { cause: error });
  }
  const archive = pack();
  fill(archive, entries).catch((error: unknown) => archive.destroy(isError(error) ? error : undefined));
  const files = entries.filter(({ kind }) => kind === 'file');
  return { archive: bytesOf(archive), files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
};

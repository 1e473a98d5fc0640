// Loads the built files of a program with V8's code cache, so that a start does not compile them again.
//
// The cache of `main.cjs` is a file like `main.cjs.v20.20.2.cache` beside it, because a user who may write there may
// change the program anyway. A cache that cannot be read, belongs to other code or was written by another user is
// ignored. Only the time of the start depends on it.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { constants as linking, Script } from 'node:vm';

export interface Program {
  /** The exports of the program's file. */
  readonly exports: unknown;
  /** Writes a cache for each loaded file that has none. It contains the functions that have run so far. Never throws. */
  readonly keepCompiled: () => void;
}

interface Loaded {
  readonly script: Script;
  readonly source: Buffer;
  readonly cacheFile: string;
}

const DIGEST_BYTES = 32;

/** Digest of a cache and the source that it was made from. V8 itself compares only the length of the source. */
const digestOf = (source: Buffer, compiled: Buffer): Buffer =>
  createHash('sha256').update(source).update(compiled).digest();

/** Returns the content of a cache file; undefined if it must not be used. */
const readCache = (file: string, source: Buffer, owner: number): Buffer | undefined => {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    const { uid } = fstatSync(fd);
    if (uid !== owner && uid !== process.getuid?.()) return undefined;
    const bytes = readFileSync(fd);
    const compiled = bytes.subarray(DIGEST_BYTES);
    return digestOf(source, compiled).equals(bytes.subarray(0, DIGEST_BYTES)) ? compiled : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
};

const writeCache = ({ script, source, cacheFile }: Loaded): void => {
  const temporary = `${cacheFile}.${process.pid}`;
  try {
    const compiled = script.createCachedData();
    writeFileSync(temporary, Buffer.concat([digestOf(source, compiled), compiled]), { flag: 'wx' });
    renameSync(temporary, cacheFile);
  } catch {
    // The folder is read-only or belongs to another user: the program runs without a cache.
    rmSync(temporary, { force: true });
  }
};

/**
 * Loads a CommonJS file of ASCII text, and the files that it requires by relative paths. Other modules are required as
 * usual.
 */
export const loadProgram = (main: string): Program => {
  const modules = new Map<string, { exports: unknown }>();
  const uncached: Loaded[] = [];

  const load = (file: string): unknown => {
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const fd = openSync(file, constants.O_RDONLY);
    const owner = fstatSync(fd).uid;
    const source = readFileSync(fd);
    closeSync(fd);
    const cacheFile = `${file}.${process.version}.cache`;
    const cachedData = readCache(cacheFile, source, owner);
    const text = source.toString('latin1');
    const script = new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
      filename: file,
      importModuleDynamically: linking.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(cachedData !== undefined && { cachedData }),
    });
    if (cachedData === undefined || script.cachedDataRejected) uncached.push({ script, source, cacheFile });
    const module = { exports: {} as unknown };
    modules.set(file, module);
    const folder = path.dirname(file);
    const requireOther = createRequire(file);
    const require = (id: string): unknown =>
      id.startsWith('.') ? load(path.resolve(folder, id)) : (requireOther(id) as unknown);
    script.runInThisContext()(module.exports, require, module, file, folder);
    return module.exports;
  };

  return {
    exports: load(main),
    keepCompiled: () => {
      for (const each of uncached.splice(0)) writeCache(each);
    },
  };
};

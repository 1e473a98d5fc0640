// Loads the built files of a program with V8's code cache, so that a start does not compile them again.
//
// The cache of `main.cjs` is a file like `main.cjs.v20.20.2.cache` beside it, because a user who may write there may
// change the program anyway. A cache that cannot be read, belongs to other code or was written by another user is
// ignored. Only the time of the start depends on it.
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

export interface Program {
  readonly exports: unknown;
  /**
   * Writes the caches that are missing: of the file, and of the files that it has loaded so far. They contain the
   * functions that have run. Never throws.
   */
  readonly keepCompiled: () => void;
}

const SUM_BYTES = 4;

/**
 * Checksum of a cache and the source that it was made from. V8 itself compares only the length of the source, and a
 * damaged cache crashes it. A digest would protect from nothing more: a user who can write the cache can write its
 * digest.
 */
const sumOf = (source: Buffer, compiled: Buffer): Buffer => {
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32LE(crc32(compiled, crc32(source)));
  return sum;
};

/** Returns the content of a cache file; undefined if it must not be used. */
const readCache = (file: string, source: Buffer, owner: number): Buffer | undefined => {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    const { uid } = fstatSync(fd);
    if (uid !== owner && uid !== process.getuid?.()) return undefined;
    const bytes = readFileSync(fd);
    const compiled = bytes.subarray(SUM_BYTES);
    return sumOf(source, compiled).equals(bytes.subarray(0, SUM_BYTES)) ? compiled : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
};

const writeCache = (cacheFile: string, source: Buffer, script: Script): void => {
  const temporary = `${cacheFile}.${process.pid}`;
  try {
    const compiled = script.createCachedData();
    writeFileSync(temporary, Buffer.concat([sumOf(source, compiled), compiled]), { flag: 'wx' });
    renameSync(temporary, cacheFile);
  } catch {
    // The folder is read-only or belongs to another user: the program runs without a cache.
    rmSync(temporary, { force: true });
  }
};

/**
 * Loads a CommonJS file of ASCII text. The files that it requires by a relative path are loaded in the same way. A file
 * that has `import()` is loaded by Node without a cache, because code from a cache cannot import. Such a file must not
 * require other files of the program.
 */
export const loadProgram = (main: string): Program => {
  const requireModule = createRequire(main);
  const modules = new Map<string, { exports: unknown }>();
  const missing: (() => void)[] = [];

  const load = (file: string): unknown => {
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const fd = openSync(file, constants.O_RDONLY);
    const owner = fstatSync(fd).uid;
    const source = readFileSync(fd);
    closeSync(fd);
    if (source.includes('import(')) return requireModule(file);
    const cacheFile = `${file}.${process.version}.cache`;
    const cachedData = readCache(cacheFile, source, owner);
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname) {${source.toString('latin1')}\n})`,
      { filename: file, ...(cachedData !== undefined && { cachedData }) },
    );
    if (cachedData === undefined || script.cachedDataRejected)
      missing.push(() => writeCache(cacheFile, source, script));
    const folder = path.dirname(file);
    const required = (id: string): unknown => (id.startsWith('.') ? load(path.join(folder, id)) : requireModule(id));
    const module = { exports: {} as unknown };
    modules.set(file, module);
    const define = script.runInThisContext() as (...names: unknown[]) => void;
    define(module.exports, Object.assign(required, requireModule), module, file, folder);
    return module.exports;
  };

  return {
    exports: load(main),
    keepCompiled: () => {
      for (const write of missing.splice(0)) write();
    },
  };
};

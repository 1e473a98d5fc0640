// Loads the built file of a program with V8's code cache, so that a start does not compile it again.
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
  readonly exports: unknown;
  /** Writes the cache if there was none. It contains the functions that have run so far. Never throws. */
  readonly keepCompiled: () => void;
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

const writeCache = (cacheFile: string, source: Buffer, script: Script): void => {
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

/** Loads a CommonJS file of ASCII text. */
export const loadProgram = (file: string): Program => {
  const fd = openSync(file, constants.O_RDONLY);
  const owner = fstatSync(fd).uid;
  const source = readFileSync(fd);
  closeSync(fd);
  const cacheFile = `${file}.${process.version}.cache`;
  const cachedData = readCache(cacheFile, source, owner);
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${source.toString('latin1')}\n})`,
    {
      filename: file,
      importModuleDynamically: linking.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(cachedData !== undefined && { cachedData }),
    },
  );
  const module = { exports: {} as unknown };
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file));
  const isCached = cachedData !== undefined && !script.cachedDataRejected;
  return {
    exports: module.exports,
    keepCompiled: () => {
      if (!isCached) writeCache(cacheFile, source, script);
    },
  };
};

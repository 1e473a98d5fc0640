// Loads the built files of a program with V8's code cache, so that a start does not compile them again.
//
// The cache of `main.cjs` is a file like `main.cjs.v20.20.2.cache` beside it, because a user who may write there may
// change the program anyway. A cache that cannot be read, belongs to other code or was written by another user is
// ignored. Only the time of the start depends on it.
//
// A cache contains the functions of the commands that have run with it. The first run of another command adds its own.
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Script } from 'node:vm';

export interface Program {
  readonly exports: unknown;
  /**
   * Writes the caches that are missing or lack the functions of this command: of the file, and of the files that it has
   * loaded so far. Never throws.
   * @param command name of what has run
   */
  readonly keepCompiled: (command: string) => void;
}

/** A file of the program, and the commands whose functions its cache contains. */
interface Loaded {
  readonly cacheFile: string;
  readonly source: Buffer;
  readonly script: Script;
  readonly commands: readonly number[];
}

interface Cache {
  /** Numbers that stand for the names of the commands. */
  readonly commands: readonly number[];
  readonly compiled: Buffer;
}

/** The content of a cache starts with the number of its commands. Each word has four bytes. */
const WORD = 4;
/** Most commands that add to a cache, so that a program with many names does not write it forever. */
const MOST_COMMANDS = 64;

/** A number that stands for the name of a command. If two names share one, a command compiles a little more. */
const numberOf = (name: string): number =>
  [...name].reduce((sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 0x01000193) >>> 0, 0x811c9dc5);

/**
 * The content of a cache file: it has the content twice, and then the source that it was made from. V8 itself compares
 * only the length of the source, and a damaged cache crashes it. Comparing copies needs no module of Node; a
 * checksum needs `node:zlib`, which costs a command one millisecond. A digest would protect from nothing more: a user who
 * can write the cache can write its digest.
 */
const contentOf = (bytes: Buffer, source: Buffer): Buffer | undefined => {
  const half = (bytes.length - source.length) / 2;
  if (!Number.isInteger(half) || half < WORD || !bytes.subarray(2 * half).equals(source)) return undefined;
  const content = bytes.subarray(0, half);
  return content.equals(bytes.subarray(half, 2 * half)) ? content : undefined;
};

/** Returns the content of a cache file; undefined if it must not be used. */
const readCache = (file: string, source: Buffer, owner: number): Cache | undefined => {
  let fd: number | undefined;
  try {
    // A FIFO of this name must not block the start; reading it gives nothing.
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { uid } = fstatSync(fd);
    if (uid !== owner && uid !== process.getuid?.()) return undefined;
    const content = contentOf(readFileSync(fd), source);
    if (content === undefined) return undefined;
    const count = content.readUInt32LE(0);
    const commands = Array.from({ length: count }, (_, index) => content.readUInt32LE((index + 1) * WORD));
    return { commands, compiled: content.subarray((count + 1) * WORD) };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
};

const bytesOf = ({ source, script, commands }: Loaded): Buffer => {
  const head = Buffer.alloc((commands.length + 1) * WORD);
  for (const [index, word] of [commands.length, ...commands].entries()) head.writeUInt32LE(word, index * WORD);
  const content = [head, script.createCachedData()];
  return Buffer.concat([...content, ...content, source]);
};

const writeCache = (loaded: Loaded): void => {
  const temporary = `${loaded.cacheFile}.${process.pid}`;
  try {
    // Opened first: in a folder that cannot be written, nothing is serialized.
    const fd = openSync(temporary, 'wx');
    try {
      writeFileSync(fd, bytesOf(loaded));
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, loaded.cacheFile);
  } catch {
    // The folder is read-only or belongs to another user: the program runs without a cache.
    rmSync(temporary, { force: true });
  }
};

/**
 * Loads a CommonJS file of ASCII text. The files that it requires by a relative path are loaded in the same way, and all
 * other modules are those of Node. A file that another one requires while it is defined is loaded at the first use of
 * one of its names: the help of a command needs its options, and not what its action needs. So a file must do nothing
 * but define. A file that has `import()` is loaded by Node without a cache, because code from a cache cannot import. If
 * such a file requires others, Node loads a second copy of them, so those must have no state.
 */
export const loadProgram = (main: string): Program => {
  const modules = new Map<string, { exports: unknown }>();
  const files: Loaded[] = [];

  const load = (file: string): unknown => {
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const fd = openSync(file, constants.O_RDONLY);
    const owner = fstatSync(fd).uid;
    const source = readFileSync(fd);
    closeSync(fd);
    if (source.includes('import(')) return process.getBuiltinModule('node:module').createRequire(main)(file);
    const cacheFile = `${file}.${process.version}.cache`;
    const cache = readCache(cacheFile, source, owner);
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname) {${source.toString('latin1')}\n})`,
      { filename: file, ...(cache && { cachedData: cache.compiled }) },
    );
    files.push({ cacheFile, source, script, commands: cache && !script.cachedDataRejected ? cache.commands : [] });
    const folder = path.dirname(file);
    let isDefining = true;
    const required = (id: string): unknown => {
      if (!id.startsWith('.')) return process.getBuiltinModule(id);
      const other = path.join(folder, id);
      return isDefining ? atFirstUse(other) : load(other);
    };
    const module = { exports: {} as unknown };
    modules.set(file, module);
    const define = script.runInThisContext() as (...names: unknown[]) => void;
    define(module.exports, required, module, file, folder);
    isDefining = false;
    return module.exports;
  };
  const atFirstUse = (file: string): unknown =>
    modules.get(file)?.exports ?? new Proxy({}, { get: (_, name) => Reflect.get(load(file) as object, name) });

  return {
    exports: load(main),
    keepCompiled: (name) => {
      const command = numberOf(name);
      for (const { commands, ...file } of files.splice(0)) {
        if (commands.includes(command) || commands.length >= MOST_COMMANDS) continue;
        writeCache({ ...file, commands: [...commands, command] });
      }
    },
  };
};

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
import { STAMP, WRAPPED } from './wrapped-code.ts';

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
  readonly stamp: Buffer;
  readonly script: Script;
  readonly commands: readonly number[];
}

interface Cache {
  /** Numbers that stand for the names of the commands. */
  readonly commands: readonly number[];
  readonly compiled: Buffer;
}

/**
 * Bytes of an entry. A cache starts with the number of its commands and their numbers. V8 copies code that is not
 * aligned.
 */
const ENTRY = 8;
/** Most commands that add to a cache, so that a program with many names does not write it forever. */
const MOST_COMMANDS = 64;

/** A number that stands for the name of a command. If two names share one, a command compiles a little more. */
const numberOf = (name: string): number =>
  [...name].reduce((sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 0x01000193) >>> 0, 0x811c9dc5);

/** A disk writes whole sectors of at least so many bytes. */
const SECTOR = 512;
const WORD = 4;
const WORDS = SECTOR / WORD;

/**
 * The last word of each whole sector that is not zero, one after the other: a sector that was never written is full of
 * zeros. @param content starts at a multiple of a word in memory
 */
const sampled = (content: Buffer): Buffer => {
  const all = new Int32Array(content.buffer, content.byteOffset, Math.floor(content.length / SECTOR) * WORDS);
  const words = new Int32Array(all.length / WORDS);
  for (let index = 0; index < words.length; index += 1) {
    let at = (index + 1) * WORDS - 1;
    while (all[at] === 0 && at > index * WORDS) at -= 1;
    words[index] = all[at] ?? 0;
  }
  return Buffer.from(words.buffer);
};

/**
 * The content of a cache file: a word of each of its sectors follows, and then the stamp of the file that it was made
 * from. V8 itself compares only the length of the source, and a damaged cache crashes it. The words show what a power
 * cut leaves: a file that is cut off, or sectors that were never written. A checksum of all bytes needs a module of Node,
 * which costs a command a millisecond or more, and it would protect from nothing more: a user who can write the cache
 * can write its checksum.
 */
const contentOf = (bytes: Buffer, stamp: Buffer): Buffer | undefined => {
  const end = bytes.length - STAMP;
  if (end < ENTRY || !bytes.subarray(end).equals(stamp)) return undefined;
  // Of n bytes, floor(n / SECTOR) words follow.
  const sectors = Math.floor(end / (SECTOR + WORD));
  const content = bytes.subarray(0, end - sectors * WORD);
  return sampled(content).equals(bytes.subarray(content.length, end)) ? content : undefined;
};

/** Returns the content of a cache file; undefined if it must not be used. */
const readCache = (file: string, stamp: Buffer, owner: number): Cache | undefined => {
  let fd: number | undefined;
  try {
    // A FIFO of this name must not block the start; reading it gives nothing.
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { uid } = fstatSync(fd);
    if (uid !== owner && uid !== process.getuid?.()) return undefined;
    const content = contentOf(readFileSync(fd), stamp);
    if (content === undefined) return undefined;
    const count = content.readUInt32LE(0);
    const commands = Array.from({ length: count }, (_, index) => content.readUInt32LE((index + 1) * ENTRY));
    return { commands, compiled: content.subarray((count + 1) * ENTRY) };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
};

const bytesOf = ({ stamp, script, commands }: Loaded): Buffer => {
  const head = Buffer.alloc((commands.length + 1) * ENTRY);
  for (const [index, entry] of [commands.length, ...commands].entries()) head.writeUInt32LE(entry, index * ENTRY);
  const content = Buffer.concat([head, script.createCachedData()]);
  return Buffer.concat([content, sampled(content), stamp]);
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
 * but define. The build does not wrap a file that has `import()`, because code from a cache cannot import. Node loads it
 * without a cache, and it must not require files of the program.
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
    const text = source.toString('latin1');
    if (!text.startsWith(WRAPPED)) return process.getBuiltinModule('node:module').createRequire(main)(file);
    const cacheFile = `${file}.${process.version}.cache`;
    const stamp = source.subarray(0, STAMP);
    const cache = readCache(cacheFile, stamp, owner);
    const script = new Script(text, { filename: file, ...(cache && { cachedData: cache.compiled }) });
    files.push({ cacheFile, stamp, script, commands: cache && !script.cachedDataRejected ? cache.commands : [] });
    const folder = path.dirname(file);
    let isDefining = true;
    const required = (id: string): unknown => {
      if (!id.startsWith('.')) return process.getBuiltinModule(id);
      // Files of one folder require each other.
      const other = folder + id.slice(1);
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

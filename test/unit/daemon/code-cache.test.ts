// The code cache of the built programs: when it is used, and when it is not.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadProgram } from '../../../bin/code-cache.ts';
import { wrap } from '../../../bin/wrapped-code.ts';

let folder: string;
let main: string;
let cache: string;

const code = (word: string): string => `exports.answer = () => '${word} ' + require('node:path').basename(__filename);`;

/** The text of a file as the build writes it. */
const wrapped = (code: string): string => wrap(code, createHash('sha256').update(code).digest('base64url'));

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'actorctl-code-cache-'));
  main = path.join(folder, 'main.cjs');
  cache = `${main}.${process.version}.cache`;
  writeFileSync(main, wrapped(code('one')));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Loads the program, calls its function and keeps what was compiled, as a start of the daemon does. */
const start = (command = 'start'): string => {
  const { exports, keepCompiled } = loadProgram(main);
  const said = (exports as { answer(): string }).answer();
  keepCompiled(command);
  return said;
};

/** The same bytes, with another one at a place. */
const changedAt = (bytes: Buffer, place: number): Buffer =>
  Buffer.from(bytes.with(place, 255 - (bytes.at(place) ?? 0)));

/** Bytes of a sector of a disk. */
const SECTOR = 512;

/** The same bytes, with zeros in place of a sector whose last word is zero already. */
const withoutSectorOfZeros = (bytes: Buffer): Buffer => {
  for (let end = SECTOR; end <= bytes.length; end += SECTOR) {
    const sector = bytes.subarray(end - SECTOR, end);
    if (sector.readInt32LE(SECTOR - 4) === 0 && sector.some((byte) => byte !== 0)) {
      sector.fill(0);
      return bytes;
    }
  }
  throw new Error('no sector ends with zeros');
};

const identity = (file: string): number => statSync(file).ino;

describe('the code cache', () => {
  it('is written by the first start, and used by the next without being written again', () => {
    expect(start()).toBe('one main.cjs');
    expect(readdirSync(folder)).toEqual(['main.cjs', `main.cjs.${process.version}.cache`]);
    const before = identity(cache);
    expect(start()).toBe('one main.cjs');
    expect(identity(cache)).toBe(before);
  });

  it('gains the functions of a command when that command runs for the first time', () => {
    writeFileSync(
      main,
      wrapped("exports.answer = () => 'one'; exports.other = () => [1, 2, 3].map((each) => each * 2).join();"),
    );
    expect(start()).toBe('one');
    const before = statSync(cache).size;
    const run = (): void => {
      const { exports, keepCompiled } = loadProgram(main);
      expect((exports as { other(): string }).other()).toBe('2,4,6');
      keepCompiled('other');
    };
    run();
    const { size, ino } = statSync(cache);
    // The name of another command takes eight bytes, and a sector more another word.
    expect(size).toBeGreaterThan(before + 12);
    run();
    expect(start()).toBe('one');
    expect(identity(cache)).toBe(ino);
  });

  it('R167 is replaced when the program has changed, even if its length has not', () => {
    start();
    const before = identity(cache);
    writeFileSync(main, wrapped(code('two')));
    expect(start()).toBe('two main.cjs');
    expect(identity(cache)).not.toBe(before);
  });

  it.each<readonly [string, (bytes: Buffer) => Buffer]>([
    ['cut off', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['empty', () => Buffer.alloc(0)],
    ['without its first sector', (bytes) => bytes.fill(0, 0, SECTOR)],
    ['without a sector in the middle', (bytes) => bytes.fill(0, SECTOR, 2 * SECTOR)],
    ['without a sector that ends with zeros', withoutSectorOfZeros],
    ['without its end', (bytes) => bytes.fill(0, Math.floor((bytes.length - 1) / SECTOR) * SECTOR)],
    ['changed in a word of a sector', (bytes) => changedAt(bytes, SECTOR - 1)],
    ['of another program', (bytes) => changedAt(bytes, -9)],
    ['full of zeros', (bytes) => bytes.fill(0)],
    ['longer', (bytes) => Buffer.concat([bytes, Buffer.alloc(2)])],
    ['one word long', () => Buffer.alloc(4)],
  ])('is replaced when it is %s', (_, damage) => {
    start();
    const whole = readFileSync(cache);
    writeFileSync(cache, damage(Buffer.from(whole)));
    const before = readFileSync(cache);
    expect(start()).toBe('one main.cjs');
    expect(readFileSync(cache).equals(before)).toBe(false);
  });

  it('R167 is not read through a symbolic link', () => {
    start();
    const elsewhere = path.join(folder, 'elsewhere');
    writeFileSync(elsewhere, readFileSync(cache));
    rmSync(cache);
    symlinkSync(elsewhere, cache);
    expect(start()).toBe('one main.cjs');
    expect(statSync(cache).isFile() && identity(cache) !== identity(elsewhere)).toBe(true);
  });

  it('R167 is not waited for if a FIFO has its name', () => {
    execFileSync('mkfifo', [cache]);
    expect(start()).toBe('one main.cjs');
    expect(statSync(cache).isFile()).toBe(true);
  });

  it.runIf(process.getuid?.() === 0)('R167 is not used if another user wrote it', () => {
    start();
    const before = identity(cache);
    chownSync(cache, 65_534, 65_534);
    expect(start()).toBe('one main.cjs');
    expect(identity(cache)).not.toBe(before);
  });

  it('loads a file that is required at the beginning when a name of it is used first', () => {
    const part = (name: string) => path.join(folder, name);
    writeFileSync(part('used.cjs'), wrapped("globalThis.order.push('used'); exports.word = 'a word';"));
    writeFileSync(part('unused.cjs'), wrapped("globalThis.order.push('unused');"));
    writeFileSync(
      part('later.cjs'),
      wrapped("globalThis.order.push('later'); exports.word = 'another'; exports.then = 1;"),
    );
    writeFileSync(
      main,
      wrapped(`const used = require('./used.cjs'), unused = require('./unused.cjs');
       globalThis.order.push('main');
       exports.answer = () => used.word;
       exports.later = () => Object.keys(require('./later.cjs'));`),
    );
    const order: string[] = [];
    Object.assign(globalThis, { order });
    const { exports } = loadProgram(main);
    const { answer, later } = exports as { answer(): string; later(): readonly string[] };
    expect(order).toEqual(['main']);
    expect([answer(), answer()]).toEqual(['a word', 'a word']);
    expect(order).toEqual(['main', 'used']);
    // A file that is required later is wanted now.
    expect(later()).toEqual(['word', 'then']);
    expect(order).toEqual(['main', 'used', 'later']);
  });

  it('reports a file that is missing when a name of it is used', () => {
    writeFileSync(main, wrapped("const gone = require('./gone.cjs'); exports.answer = () => gone.word;"));
    const { exports } = loadProgram(main);
    expect((exports as { answer(): string }).answer).toThrow(/ENOENT.*gone\.cjs/);
  });

  it('holds also the files that the program requires, each of which is loaded once', () => {
    const part = path.join(folder, 'part.cjs');
    writeFileSync(part, wrapped("exports.answer = () => 'a part'; exports.main = require('./main.cjs');"));
    writeFileSync(
      main,
      wrapped("const part = require('./part.cjs'); exports.answer = () => String(part.main === exports);"),
    );
    expect(start()).toBe('true');
    const before = identity(`${part}.${process.version}.cache`);
    expect(start()).toBe('true');
    expect(identity(`${part}.${process.version}.cache`)).toBe(before);
  });

  it('is not made of a file that is not wrapped: it imports, and code from a cache cannot', async () => {
    writeFileSync(path.join(folder, 'libraries.cjs'), "exports.path = () => import('node:path');");
    writeFileSync(main, wrapped("exports.answer = require('./libraries.cjs').path;"));
    for (const round of [1, 2]) {
      const { exports, keepCompiled } = loadProgram(main);
      const { basename } = await (exports as { answer(): Promise<typeof path> }).answer();
      keepCompiled('start');
      expect(basename('a/b'), `round ${round}`).toBe('b');
    }
    expect(readdirSync(folder)).not.toContain(`libraries.cjs.${process.version}.cache`);
  });

  it('is not needed: a program in a folder that cannot be written starts all the same', () => {
    symlinkSync('/proc/self/nowhere', `${cache}.${process.pid}`);
    expect(start()).toBe('one main.cjs');
    expect(readdirSync(folder)).not.toContain(path.basename(cache));
  });
});

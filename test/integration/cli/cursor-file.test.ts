// The file that stores the cursor of a tail.
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cursorFile } from '../../../src/local/cursor-file.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'actorctl-cursor-'));
  file = join(folder, 'cursor');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a cursor file', () => {
  it('that does not exist holds no cursor', async () => {
    expect(await cursorFile(file).read()).toBeUndefined();
  });

  it('holds the last cursor, and no other file remains in the folder', async () => {
    const kept = cursorFile(file);
    for (const cursor of ['1', 'Ab1.2', 'Ab1.300']) await kept.keep(cursor);
    expect(readFileSync(file, 'utf8')).toBe('Ab1.300\n');
    expect(await cursorFile(file).read()).toBe('Ab1.300');
    expect(readdirSync(folder)).toEqual(['cursor']);
  });

  it.each(['', '\n', 'abc\n', '12 13', '-1', '{"cursor":1}', '1234567890123456', 'a.b.1', '.1', 'a.'])(
    'that holds %j is refused, because starting from the beginning could miss events',
    async (text) => {
      writeFileSync(file, text);
      await expect(cursorFile(file).read()).rejects.toMatchObject({ code: 'USAGE' });
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it('that is a symbolic link stays one, and its target is updated', async () => {
    const real = join(folder, 'real');
    writeFileSync(real, '7\n');
    symlinkSync(real, file);
    const kept = cursorFile(file);
    expect(await kept.read()).toBe('7');
    await kept.keep('8');
    expect(readFileSync(real, 'utf8')).toBe('8\n');
    expect(readlinkSync(file)).toBe(real);
  });

  it('that cannot be read or written is an error', async () => {
    await expect(cursorFile(folder).read()).rejects.toMatchObject({ code: 'USAGE' });
    await expect(cursorFile(join(folder, 'none', 'cursor')).keep('1')).rejects.toMatchObject({ code: 'USAGE' });
    await expect(cursorFile(folder).keep('1')).rejects.toMatchObject({ code: 'USAGE' });
    expect(readdirSync(folder)).toEqual([]);
  });
});

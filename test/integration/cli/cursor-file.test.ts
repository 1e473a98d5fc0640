// The file that remembers how far a tail has come.
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
  it('that is not there holds no cursor', async () => {
    expect(await cursorFile(file).read()).toBeUndefined();
  });

  it('holds the last cursor that was kept, and leaves nothing beside it', async () => {
    const kept = cursorFile(file);
    for (const cursor of ['1', '2', '300']) await kept.keep(cursor);
    expect(readFileSync(file, 'utf8')).toBe('300\n');
    expect(await cursorFile(file).read()).toBe('300');
    expect(readdirSync(folder)).toEqual(['cursor']);
  });

  it.each(['', '\n', 'abc\n', '12 13', '-1', '{"cursor":1}', '1234567890123456'])(
    'that holds %j is refused, because to begin anew would miss events',
    async (text) => {
      writeFileSync(file, text);
      await expect(cursorFile(file).read()).rejects.toMatchObject({ code: 'USAGE' });
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it('behind a link stays behind it', async () => {
    const real = join(folder, 'real');
    writeFileSync(real, '7\n');
    symlinkSync(real, file);
    const kept = cursorFile(file);
    expect(await kept.read()).toBe('7');
    await kept.keep('8');
    expect(readFileSync(real, 'utf8')).toBe('8\n');
    expect(readlinkSync(file)).toBe(real);
  });

  it('that cannot be read or written says so', async () => {
    await expect(cursorFile(folder).read()).rejects.toMatchObject({ code: 'USAGE' });
    await expect(cursorFile(join(folder, 'none', 'cursor')).keep('1')).rejects.toMatchObject({ code: 'USAGE' });
    await expect(cursorFile(folder).keep('1')).rejects.toMatchObject({ code: 'USAGE' });
    expect(readdirSync(folder)).toEqual([]);
  });
});

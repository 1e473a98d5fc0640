// The changes of a watched folder, with files that editors and Git replace.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchFolder } from '../../../src/local/project/watch-folder.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

describe('a watched folder', () => {
  let folder: string;
  let end: AbortController;
  let reports: (readonly string[])[];

  const write = (name: string, text = ''): void => writeFileSync(path.join(folder, name), text);
  const next = async (): Promise<readonly string[]> => {
    await expect.poll(() => reports.length).toBeGreaterThan(0);
    return [...new Set(reports.splice(0).flat())];
  };

  beforeEach(async () => {
    folder = temporaryFolder();
    end = new AbortController();
    reports = [];
    for (const name of ['.git', 'deep']) mkdirSync(path.join(folder, name));
    for (const name of ['a', 'ignored', '.git/index', 'deep/b']) write(name);
    await watchFolder(
      folder,
      (name) => name === 'ignored',
      (names) => reports.push(names),
      end.signal,
    );
  });
  afterEach(() => end.abort());

  it.each(['a', 'deep/b'])('reports each change of %s after it was replaced', async (name) => {
    for (const text of ['one', 'two', 'three']) {
      const other = `${folder}.next`;
      writeFileSync(other, text);
      renameSync(other, path.join(folder, name));
      expect(await next()).toEqual([name]);
    }
    write(name, 'in place');
    expect(await next()).toEqual([name]);
  });

  it('reports a file that was removed and one that is written again', async () => {
    rmSync(path.join(folder, 'a'));
    expect(await next()).toEqual(['a']);
    write('a', 'again');
    expect(await next()).toEqual(['a']);
  });

  it('reports the files of a new folder', async () => {
    mkdirSync(path.join(folder, 'new/inner'), { recursive: true });
    write('new/inner/c');
    expect(await next()).toContain('new/inner/c');
  });

  it('ignores what tools write and what the caller ignores', async () => {
    for (const name of ['.git/index', 'ignored', 'a~', '.a.swp']) write(name, 'changed');
    write('a', 'changed');
    expect(await next()).toEqual(['a']);
  });

  it('reports nothing after its end', async () => {
    end.abort();
    write('a', 'changed');
    const other = new AbortController();
    const later: (readonly string[])[] = [];
    await watchFolder(
      folder,
      () => false,
      (names) => later.push(names),
      other.signal,
    );
    write('a', 'again');
    await expect.poll(() => later).toEqual([['a']]);
    other.abort();
    expect(reports).toEqual([]);
  });
});

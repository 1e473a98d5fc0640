// Files and stdin that a user names: pipes are read to their end, and an interruption ends the wait for them.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readSource, replaceTarget, type Sources } from '../../../src/local/user-files.ts';

const idle = new AbortController().signal;

/** A stream that never gives anything. */
const silent: AsyncIterable<Buffer> = {
  [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }),
};

const folderOf = (): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-source-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync('mkfifo', [path.join(folder, 'pipe')]);
  return folder;
};

const sources = (cwd: string, signal = idle): Sources => ({ cwd, openStdin: () => silent, signal });

it.each(['pipe', '-'])('a read of %s that nobody writes to ends with an interruption', async (source) => {
  const interruption = new AbortController();
  const reading = readSource(source, 10, sources(folderOf(), interruption.signal));
  interruption.abort();
  await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
});

it('a pipe is read until its last writer closes it', async () => {
  const folder = folderOf();
  const reading = readSource('pipe', 10, sources(folder));
  const writer = await open(path.join(folder, 'pipe'), 'w');
  await writer.write('one ');
  await writer.write('two');
  await writer.close();
  expect((await reading).toString()).toBe('one two');
});

it('a pipe with more than the limit is refused', async () => {
  const folder = folderOf();
  const reading = readSource('pipe', 10, sources(folder));
  const refused = expect(reading).rejects.toMatchObject({ code: 'USAGE', message: 'pipe has more than 10 bytes' });
  const writer = await open(path.join(folder, 'pipe'), 'w');
  await writer.write('eleven byte');
  await refused;
  await writer.close();
});

it('a file with more than the limit is refused', async () => {
  const folder = folderOf();
  writeFileSync(path.join(folder, 'file'), 'eleven byte');
  await expect(readSource('file', 10, sources(folder))).rejects.toMatchObject({ code: 'USAGE' });
  expect((await readSource('file', 11, sources(folder))).toString()).toBe('eleven byte');
});

it('a file of the user that is replaced keeps its link, its mode and its owner', async () => {
  const folder = folderOf();
  const [file, link] = [path.join(folder, 'file'), path.join(folder, 'link')];
  writeFileSync(file, 'before');
  chmodSync(file, 0o640);
  const root = process.getuid?.() === 0;
  if (root) chownSync(file, 1234, 1235);
  symlinkSync(file, link);
  await replaceTarget(link, 'after');
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('after');
  const { mode, uid, gid } = statSync(file);
  expect(mode & 0o7777).toBe(0o640);
  if (root) expect([uid, gid]).toEqual([1234, 1235]);
});

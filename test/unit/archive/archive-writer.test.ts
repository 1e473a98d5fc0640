// The bytes of an archive: its headers, its digests, its progress, and files that change while they are read.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ArchiveFile, writeArchive } from '../../../daemon/store/archive/archive-writer.ts';
import { type ArchiveManifest, MANIFEST } from '../../../src/local/archive/archive-manifest.ts';
import { membersOf, testManifest } from '../../support/store/archives.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

const manifest = (bytes = 0): ArchiveManifest => testManifest({ created_at: '2026-01-31T12:00:00.900Z', bytes });
const file = (name: string, ...texts: string[]): ArchiveFile => ({
  name,
  size: Buffer.byteLength(texts.join('')),
  pieces: () => texts.map((text) => Buffer.from(text)),
});
const write = async (files: readonly ArchiveFile[], bytes?: number) => {
  const folder = temporaryFolder();
  const archive = path.join(folder, 'x.tar.gz');
  const progress: number[] = [];
  const signal = new AbortController().signal;
  const size = await writeArchive(archive, manifest(bytes), files, {
    onProgress: (part) => progress.push(part),
    signal,
  });
  return { archive, progress, size };
};

describe('a written archive', () => {
  it('has its manifest first, the files in their order, and their digests last', async () => {
    const { archive, size } = await write([file('b', 'one', 'two'), file('a'), file('c', 'x'.repeat(512))]);
    const members = membersOf(archive).map(({ name, content }) => [name, content.toString()]);
    const said = `${JSON.stringify(manifest(), null, 2)}\n`;
    const sums = [['manifest.json', said] as const, ['b', 'onetwo'] as const, ['a', ''] as const];
    const digests = [...sums, ['c', 'x'.repeat(512)] as const].map(
      ([name, text]) => `${createHash('sha256').update(text).digest('hex')}  ${name}\n`,
    );
    expect(members).toEqual([...sums, ['c', 'x'.repeat(512)], ['SHA256SUMS', digests.join('')]]);
    expect(size).toBe(statSync(archive).size);
    const tar = gunzipSync(readFileSync(archive));
    // The time of each file is that of the manifest, in whole seconds.
    expect(tar.toString('latin1', 136, 147)).toBe((Date.UTC(2026, 0, 31, 12) / 1000).toString(8).padStart(11, '0'));
    expect(tar.length % 512).toBe(0);
    expect(tar.subarray(-1024).every((byte) => byte === 0)).toBe(true);
  });

  it('may be larger than what is compressed at once', async () => {
    const texts = Array.from({ length: 9 }, (_, n) => String(n).repeat(40_000));
    const { archive } = await write([file('long', ...texts)]);
    expect(membersOf(archive)[1]?.content.toString()).toBe(texts.join(''));
  });

  it('reports its progress, and never more than 100 %', async () => {
    const own = `${JSON.stringify(manifest(1_000), null, 2)}\n`.length;
    const { progress } = await write([file('a', 'x'.repeat(200), 'y'.repeat(100))], 1_000);
    const digests = [MANIFEST, 'a'].reduce((sum, name) => sum + 64 + '  '.length + name.length + 1, 0);
    const done = [own, own + 200, own + 300, own + 300 + digests];
    expect(progress).toEqual(done.map((bytes) => bytes / 1_000));
    expect((await write([], 0)).progress).toEqual([1, 1]);
  });

  it('is refused when a file is not as long as announced, or when it is interrupted', async () => {
    const folder = temporaryFolder();
    const target = path.join(folder, 'x.tar.gz');
    const options = { onProgress: () => undefined, signal: new AbortController().signal };
    for (const [size, text] of [
      [3, 'four'],
      [5, 'four'],
    ] as const) {
      const changed = { ...file('logs/a', text), size };
      await expect(writeArchive(target, manifest(), [changed], options)).rejects.toThrow(
        `logs/a changed while it was read: 4 bytes instead of ${size}`,
      );
    }
    const interrupted = { ...options, signal: AbortSignal.abort() };
    await expect(writeArchive(target, manifest(), [], interrupted)).rejects.toThrow('aborted');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('closes the file that is read when it is interrupted', async () => {
    const folder = temporaryFolder();
    const interruption = new AbortController();
    const piece = Buffer.alloc(64 * 1024);
    let closed = false;
    const pieces = async function* () {
      try {
        for (let n = 0; ; n += 1) {
          yield piece;
          if (n === 5) interruption.abort();
        }
      } finally {
        closed = true;
      }
    };
    const endless = { name: 'logs/a', size: 2 ** 40, pieces };
    const options = { onProgress: () => undefined, signal: interruption.signal };
    await expect(writeArchive(path.join(folder, 'x.tar.gz'), manifest(), [endless], options)).rejects.toThrow(
      'aborted',
    );
    await expect.poll(() => closed).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });
});

// The reader of archives refuses whatever actorctl does not write, by name, before anything counts.
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { isContentName } from '../../../src/local/archive/archive-manifest.ts';
import { checkArchive, readArchiveManifest } from '../../../src/local/archive/archive-reader.ts';
import { readTarHeader } from '../../../src/local/archive/tar-header.ts';
import {
  type Member,
  packed,
  tarHeader,
  testManifest,
  withChecksum,
  withDigests,
} from '../../support/store/archives.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

const BODY = `bodies/${'a'.repeat(32)}`;

const manifest = (changes: Readonly<Record<string, unknown>> = {}): Member => ({
  name: 'manifest.json',
  content: Buffer.from(JSON.stringify(testManifest({ files: 1, bytes: 4, ...changes }))),
});
const body = (name = BODY, text = 'body'): Member => ({ name, content: Buffer.from(text) });

const fileOf = (bytes: Uint8Array): string => {
  const file = path.join(temporaryFolder(), 'x.tar.gz');
  writeFileSync(file, bytes);
  return file;
};
const check = (members: readonly Member[], rest?: readonly Uint8Array[]) =>
  checkArchive(fileOf(packed(members, rest)), { schema: 3 });
const sound = withDigests([manifest(), body()]);

/** A header of another type of entry. */
const typed = (name: string, type: string, size = 0): Buffer => {
  const block = tarHeader(name, size);
  block.write(type, 156, 'latin1');
  return withChecksum(block);
};

/** The header that tar-stream writes. */
const written = async (name: string, size: number): Promise<Buffer> => {
  const archive = pack();
  archive.entry({ name, size, type: 'file' }).on('error', () => undefined);
  for await (const piece of archive as AsyncIterable<Buffer>) return piece;
  throw new Error('no header was written');
};

describe('the reader of archives', () => {
  it('accepts an archive that matches its manifest and digests', async () => {
    expect((await check(sound)).product).toBe('9.9.9');
  });

  it.each([
    ['another format', manifest({ format: 'zip' }), 'it is not an archive of actorctl'],
    [
      'a newer format',
      manifest({ version: 2 }),
      'it has format 2, but this actorctl reads format 1. It was written by actorctl "9.9.9"',
    ],
    [
      'newer records',
      manifest({ schema: 4 }),
      'its records have schema version 4, but this actorctl reads version 3. It was written by actorctl "9.9.9"',
    ],
    ['a manifest without a field', manifest({ files: undefined }), 'its manifest.json is damaged: files'],
    ['a negative number of bytes', manifest({ bytes: -1 }), 'its manifest.json is damaged: bytes'],
    ['more bytes than announced', manifest({ bytes: 3 }), 'it contains more than its manifest says'],
    ['fewer bytes than announced', manifest({ bytes: 5 }), 'it contains less than its manifest says'],
    ['fewer files than announced', manifest({ files: 2 }), 'it contains less than its manifest says'],
  ])('R168 refuses %s', async (_what, first, message) => {
    await expect(check(withDigests([first, body()]))).rejects.toThrow(message);
  });

  it.each([
    '../outside',
    'bodies/../../outside',
    '/etc/passwd',
    'db/../../x.json',
    'db/x.json/..',
    'bodies/short',
    'lock',
    'runs/x',
    'config-key.json',
    'snapshots/x.tar.gz',
    'db/manifest.json\n',
    './db/users.json',
    'C:\\x',
    'SHA256SUMS2',
  ])('R168 refuses a file named %j', async (name) => {
    await expect(check(withDigests([manifest(), body(name)]))).rejects.toThrow(
      /which actorctl does not write|is missing/,
    );
  });

  it.each([
    ['a hard link', '1'],
    ['a symbolic link', '2'],
    ['a device', '3'],
    ['a folder', '5'],
    ['a FIFO', '6'],
    ['a long name of GNU tar', 'L'],
    ['an extended header', 'x'],
    ['a global header', 'g'],
  ])('R168 refuses %s, whatever its name', async (_what, type) => {
    await expect(check([manifest()], [typed('db/users.json', type)])).rejects.toThrow('which is not a regular file');
  });

  it('R168 refuses a duplicate file, and an archive inside an archive', async () => {
    const twice = withDigests([manifest({ files: 2, bytes: 8 }), body(), body()]);
    await expect(check(twice)).rejects.toThrow('twice');
    await expect(check(withDigests([body()]))).rejects.toThrow('it is not an archive of actorctl');
  });

  it('R168 refuses a digest that does not match, and names the file', async () => {
    const changed = [...sound.slice(0, 1), body(BODY, 'bodY'), ...sound.slice(2)];
    await expect(check(changed)).rejects.toThrow(`the digest of "${BODY}" does not match`);
    const other = [manifest({ instance: 'other' }), ...sound.slice(1)];
    await expect(check(other)).rejects.toThrow('its SHA256SUMS is damaged');
  });

  it('R168 refuses half an archive, wherever it is cut', async () => {
    const bytes = packed(sound);
    const plain = gunzipSync(bytes);
    for (let cut = 1; cut < bytes.length; cut += 37) {
      await expect(checkArchive(fileOf(bytes.subarray(0, cut)))).rejects.toThrow(/its end is missing|damaged/);
    }
    for (let cut = 0; cut < plain.length - 1024; cut += 256) {
      await expect(checkArchive(fileOf(gzipSync(plain.subarray(0, cut))))).rejects.toThrow(/its end is missing/);
    }
  });

  it('R168 refuses data after the end, and a file that is no archive', async () => {
    const plain = gunzipSync(packed(sound));
    await expect(checkArchive(fileOf(gzipSync(Buffer.concat([plain, Buffer.from('x')]))))).rejects.toThrow(
      'data follows after its end',
    );
    await expect(checkArchive(fileOf(Buffer.from('plain text')))).rejects.toThrow('it is not a gzip file');
    await expect(checkArchive(fileOf(gzipSync(Buffer.alloc(1024, 'x'))))).rejects.toThrow('it is not a tar archive');
    await expect(checkArchive(temporaryFolder())).rejects.toThrow('it is not a file');
  });

  it('R168 stops unpacking a decompression bomb at the size in its manifest', async () => {
    // 8 MiB of zeros in 8 KiB. The header announces them, the manifest does not.
    const bomb = [tarHeader(BODY, 8 * 1024 * 1024), Buffer.alloc(8 * 1024 * 1024)];
    const file = fileOf(packed([manifest()], bomb));
    expect(statSync(file).size).toBeLessThan(16 * 1024);
    let read = 0;
    await expect(checkArchive(file, { onProgress: (part) => (read = part) })).rejects.toThrow(
      'more than its manifest says',
    );
    expect(read).toBe(0);
    // A manifest that is a bomb itself, and zeros without end.
    const large = fileOf(gzipSync(Buffer.concat([tarHeader('manifest.json', 8 * 1024 * 1024), Buffer.alloc(1024)])));
    await expect(checkArchive(large)).rejects.toThrow('its manifest.json is too large');
    const digests = tarHeader('SHA256SUMS', 8 * 1024 * 1024);
    const announced = fileOf(packed([manifest({ files: 2 ** 40 }), body()], [digests, Buffer.alloc(8 * 1024 * 1024)]));
    await expect(checkArchive(announced)).rejects.toThrow('its SHA256SUMS is too large');
    const zeros = fileOf(packed(sound, [Buffer.alloc(1024 * 1024)]));
    await expect(checkArchive(zeros)).rejects.toThrow('data follows after its end');
  });

  it('R168 refuses any archive in which one byte differs', async () => {
    const plain = gunzipSync(packed(sound));
    // The last 1024 bytes and the padding are zeros that say nothing.
    await fc.assert(
      fc.asyncProperty(fc.nat(plain.length - 1025), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = Buffer.from(plain);
        changed[at] = (changed[at] ?? 0) ^ flip;
        const outcome = await checkArchive(fileOf(gzipSync(changed)), { schema: 3 }).catch(
          (error: Error) => error.name,
        );
        if (typeof outcome === 'object') expect(plain[at]).toBe(0);
        else expect(outcome).toBe('ArchiveRefused');
      }),
      { numRuns: 60 },
    );
  });

  it('reads a manifest although the rest is damaged', async () => {
    const bytes = packed([manifest(), body(BODY, 'x'.repeat(300_000))]);
    expect((await readArchiveManifest(fileOf(bytes))).instance).toBe('test');
  });
});

describe('a tar header', () => {
  it.each([
    [' \0', async (name: string, size: number) => await written(name, size)],
    ['\0 ', async (name: string, size: number) => tarHeader(name, size)],
  ])('reads every name and size, even beyond 8 GiB, with a checksum that ends in %j', async (end, header) => {
    const name = fc.string({ minLength: 1, maxLength: 100, unit: fc.constantFrom(...'abcXYZ019/.-_') });
    await fc.assert(
      fc.asyncProperty(name, fc.maxSafeNat(), async (each, size) => {
        const block = await header(each, size);
        expect(block.toString('latin1', 154, 156)).toBe(end);
        expect(readTarHeader(block)).toEqual({ is: 'file', name: each, size });
      }),
    );
  });

  it('is damaged if any of its bytes differs', () => {
    const header = tarHeader(BODY, 4);
    for (const flip of [0x01, 0x20, 0xff]) {
      for (const at of header.keys()) {
        const changed = Buffer.from(header);
        changed[at] = (changed[at] ?? 0) ^ flip;
        expect(readTarHeader(changed), `byte ${at}`).toEqual({ is: 'damaged' });
      }
    }
  });

  it('with a content name never leads outside its folder', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab/.\\:d\0\n') }), (name) => {
        if (isContentName(name)) expect(path.posix.normalize(name)).toBe(name);
        expect(isContentName(`../${name}`) || isContentName(`/${name}`)).toBe(false);
      }),
    );
  });
});

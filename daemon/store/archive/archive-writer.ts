// Writes a data archive: a gzipped tar file that is also a data folder once it is unpacked.
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type ArchiveManifest, DIGESTS, MANIFEST } from '../../../src/local/archive/archive-manifest.ts';
import { END_BLOCKS, paddingOf, tarHeader } from '../../../src/local/archive/tar-header.ts';
import { replaceFile } from '../../../src/local/atomic-file.ts';
import type { ArchiveOptions } from '../../ports/archives.ts';

/** A file to write, whose size is known. */
export interface ArchiveFile {
  readonly name: string;
  readonly size: number;
  /** Exactly `size` bytes. Called once. */
  readonly pieces: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** A fast compression: the time of an export is that of reading the records. */
const LEVEL = 2;
/** Bytes collected before they are handed on, because most logs and bodies are small. */
const BATCH = 64 * 1024;

const batches = async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let batch: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    batch.push(piece);
    size += piece.length;
    if (size < BATCH) continue;
    yield Buffer.concat(batch, size);
    batch = [];
    size = 0;
  }
  yield Buffer.concat(batch, size);
};

const whole = (name: string, text: string): ArchiveFile => {
  const bytes = Buffer.from(text);
  return { name, size: bytes.length, pieces: () => [bytes] };
};

/** The bytes of the unpacked archive. @param onBytes called with the bytes of each piece of a content */
const tarBytes = async function* (
  manifest: ArchiveManifest,
  files: readonly ArchiveFile[],
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const seconds = Math.floor(Date.parse(manifest.created_at) / 1000);
  let digests = '';
  const entry = async function* ({ name, size, pieces }: ArchiveFile): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    let written = 0;
    yield tarHeader(name, size, seconds);
    for await (const piece of pieces()) {
      hash.update(piece);
      written += piece.length;
      yield piece;
      onBytes(piece.length);
    }
    if (written !== size) throw new Error(`${name} changed while it was read: ${written} bytes instead of ${size}`);
    yield Buffer.alloc(paddingOf(size));
    digests += `${hash.digest('hex')}  ${name}\n`;
  };
  yield* entry(whole(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`));
  for (const file of files) yield* entry(file);
  yield* entry(whole(DIGESTS, digests));
  yield END_BLOCKS;
};

/**
 * Writes an archive under a temporary name and renames it, so that a file of this name is always whole. Returns its size
 * in bytes.
 * @param onProgress called with the part that is written, from 0 to 1
 */
export const writeArchive = (
  file: string,
  manifest: ArchiveManifest,
  files: readonly ArchiveFile[],
  { onProgress, signal, isNew = false }: Pick<ArchiveOptions, 'onProgress' | 'signal' | 'isNew'>,
): Promise<number> => {
  let done = 0;
  const onBytes = (bytes: number): void => {
    done += bytes;
    onProgress(Math.min(1, done / Math.max(1, manifest.bytes)));
  };
  return replaceFile(
    file,
    (append) =>
      pipeline(
        batches(tarBytes(manifest, files, onBytes)),
        createGzip({ level: LEVEL }),
        async (packed: AsyncIterable<Buffer>) => {
          for await (const piece of packed) await append(piece);
        },
        { signal },
      ),
    { isNew },
  );
};

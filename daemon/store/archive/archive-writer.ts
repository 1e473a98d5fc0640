// Writes a data archive: a gzipped tar file that is also a data folder once it is unpacked.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { type ArchiveManifest, DIGESTS, MANIFEST } from '../../../src/local/archive/archive-manifest.ts';
import { replaceFile } from '../../../src/local/atomic-file.ts';
import type { ArchiveOptions } from '../../ports/archives.ts';

export interface ArchiveFile {
  readonly name: string;
  readonly size: number;
  /** The content of the file, exactly `size` bytes. Called once. */
  readonly pieces: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** A fast compression level, so that an export takes no longer than reading the records. */
const LEVEL = 2;
/** Number of bytes collected before they are passed on, because most logs and bodies are small. */
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

const fill = async (
  archive: Pack,
  manifest: ArchiveManifest,
  files: readonly ArchiveFile[],
  onBytes: (bytes: number) => void,
): Promise<void> => {
  const mtime = new Date(manifest.created_at);
  let digests = '';
  const add = async ({ name, size, pieces }: ArchiveFile): Promise<void> => {
    const hash = createHash('sha256');
    let written = 0;
    const entry = archive.entry({ name, size, mode: 0o600, mtime });
    // Rejects when the archive is destroyed, even if nothing is waiting for the entry at that moment.
    const ended = finished(entry);
    ended.catch(() => undefined);
    for await (const piece of pieces()) {
      hash.update(piece);
      written += piece.length;
      if (!entry.write(piece)) await Promise.race([once(entry, 'drain'), ended]);
      onBytes(piece.length);
    }
    if (written !== size) throw new Error(`${name} changed while it was read: ${written} bytes instead of ${size}`);
    entry.end(undefined);
    await ended;
    digests += `${hash.digest('hex')}  ${name}\n`;
  };
  await add(whole(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`));
  for (const file of files) await add(file);
  await add(whole(DIGESTS, digests));
  archive.finalize();
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
    (append) => {
      const archive = pack();
      fill(archive, manifest, files, onBytes).catch((error: Error) => archive.destroy(error));
      return pipeline(
        // The types of tar-stream do not declare the element type.
        batches(archive as AsyncIterable<Uint8Array>),
        createGzip({ level: LEVEL }),
        async (packed: AsyncIterable<Buffer>) => {
          for await (const piece of packed) await append(piece);
        },
        { signal },
      );
    },
    { isNew },
  );
};

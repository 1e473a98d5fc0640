// Writes tar archives of read-only files, for the files of a container and for images, and reads a file from one.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { extract, type Pack, pack } from 'tar-stream';

export interface TarEntry {
  /** Path in the archive. A leading slash is dropped. */
  readonly path: string;
  readonly mode: number;
  readonly source: { readonly bytes: Uint8Array } | { readonly file: string };
}

/** All files get the same time, so that the same files give the same archive. */
const EPOCH = new Date(0);

const fill = async (archive: Pack, entries: readonly TarEntry[]): Promise<void> => {
  for (const { path, mode, source } of entries) {
    const header = { name: path.replace(/^\/+/, ''), mode, mtime: EPOCH };
    const { size, content } =
      'bytes' in source
        ? { size: source.bytes.byteLength, content: [source.bytes] }
        : { size: (await stat(source.file)).size, content: createReadStream(source.file) };
    // Entries are added one at a time: nothing would handle the failure of a later entry while an earlier one waits.
    await pipeline(content, archive.entry({ ...header, size }));
  }
  archive.finalize();
};

/**
 * The archive as a stream. Files of this machine are streamed; a file whose size changes meanwhile destroys the stream.
 */
export const tar = (entries: readonly TarEntry[]): Readable => {
  const archive = pack();
  fill(archive, entries).catch((error: Error) => archive.destroy(error));
  return Readable.from(archive);
};

/** The content of the first file of an archive. Empty if the archive has no file. */
export const firstFileIn = async (archive: Buffer): Promise<Buffer> => {
  const entries = extract();
  entries.end(archive);
  for await (const entry of entries) {
    const content = await buffer(entry);
    if (entry.header.type === 'file') return content;
  }
  return Buffer.alloc(0);
};

// Writes tar archives of read-only files, for the files of a container and for images.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';

export interface TarEntry {
  /** Relative or absolute; a leading slash is dropped. */
  readonly path: string;
  readonly mode: number;
  readonly source: { readonly bytes: Uint8Array } | { readonly file: string };
}

/** The same time for each file, so that the same files give the same archive. */
const EPOCH = new Date(0);

const fill = async (archive: Pack, entries: readonly TarEntry[]): Promise<void> => {
  for (const { path, mode, source } of entries) {
    const header = { name: path.replace(/^\/+/, ''), mode, mtime: EPOCH };
    const { size, content } =
      'bytes' in source
        ? { size: source.bytes.byteLength, content: [source.bytes] }
        : { size: (await stat(source.file)).size, content: createReadStream(source.file) };
    // One at a time: an entry that waits would raise the failure of a later one where nobody hears it.
    await pipeline(content, archive.entry({ ...header, size }));
  }
  archive.finalize();
};

/** The archive. Files of this machine are streamed; one that changes its size meanwhile destroys the stream. */
export const tar = (entries: readonly TarEntry[]): Readable => {
  const archive = pack();
  fill(archive, entries).catch((error: Error) => archive.destroy(error));
  return Readable.from(archive);
};

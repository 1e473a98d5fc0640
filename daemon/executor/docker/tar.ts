// Writes tar archives (ustar) of read-only files, for the files of a container and for images.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

export interface TarEntry {
  /** Relative or absolute; a leading slash is dropped. */
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  readonly source: { readonly bytes: Uint8Array } | { readonly file: string };
}

const BLOCK = 512;
const NAME_BYTES = 100;

const header = (name: string, mode: number, size: number): Buffer => {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, width: number) =>
    block.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at, 'ascii');
  block.write(name, 0, 'utf8');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.fill(' ', 148, 156);
  block.write('0', 156, 'ascii');
  block.write('ustar\0' + '00', 257, 'ascii');
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return block;
};

/**
 * The archive in pieces. Files of this machine are streamed.
 * @throws Error when a path is longer than 100 bytes or a file changes its size while it is read
 */
export async function* tar(entries: readonly TarEntry[]): AsyncGenerator<Buffer> {
  for (const { path, mode, source } of entries) {
    const name = path.replace(/^\/+/, '');
    if (name === '' || Buffer.byteLength(name) > NAME_BYTES)
      throw new Error(
        `cannot put the path "${path}" into a tar archive: it is empty or longer than ${NAME_BYTES} bytes`,
      );
    const size = 'bytes' in source ? source.bytes.byteLength : (await stat(source.file)).size;
    yield header(name, mode, size);
    if ('bytes' in source) yield Buffer.from(source.bytes.buffer, source.bytes.byteOffset, size);
    else {
      let sent = 0;
      for await (const chunk of createReadStream(source.file)) {
        sent += chunk.length;
        yield chunk;
      }
      if (sent !== size) throw new Error(`${source.file} changed while it was read`);
    }
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
  }
  yield Buffer.alloc(2 * BLOCK);
}

// Reads a data archive piece by piece and verifies file names, sizes, digests and the end marker.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { systemCode } from '../../failure.ts';
import {
  type ArchiveManifest,
  ArchiveRefused,
  DIGESTS,
  isContentName,
  KEY_FILE,
  MANIFEST,
  parseManifest,
} from './archive-manifest.ts';
import { BLOCK, paddingOf, readTarHeader } from './tar-header.ts';

/** Largest size of a manifest, in bytes. */
const MANIFEST_LIMIT = 1024 * 1024;
/** Longest line in the digests file, in bytes: digest, spaces, file name and line break. */
const DIGEST_LINE = 64 + 2 + 100 + 1;
/** Number of bytes to read and unpack at once. */
const CHUNK = 128 * 1024;
/** Largest number of zero bytes after the last file. */
const END_LIMIT = 64 * 1024;

const shown = (name: string): string => JSON.stringify(name.slice(0, 120));

/** Reads a stream of chunks in the lengths that the reader requests. */
const reading = (chunks: AsyncIterator<Buffer>) => {
  let rest: Buffer = Buffer.alloc(0);
  const more = async (): Promise<boolean> => {
    const { done, value } = await chunks.next();
    rest = done === true ? Buffer.alloc(0) : value;
    return done !== true;
  };
  /** The next bytes, at most `length`; undefined at the end. */
  const piece = async (length: number): Promise<Buffer | undefined> => {
    while (rest.length === 0) if (!(await more())) return undefined;
    const taken = rest.subarray(0, length);
    rest = rest.subarray(taken.length);
    return taken;
  };
  return {
    piece,
    /** Yields `length` bytes. @throws ArchiveRefused if there are fewer */
    async *pieces(length: number): AsyncGenerator<Buffer> {
      for (let left = length; left > 0; ) {
        const next = await piece(left);
        if (next === undefined) throw new ArchiveRefused('its end is missing');
        left -= next.length;
        yield next;
      }
    },
  };
};

const collect = async (pieces: AsyncIterable<Buffer>): Promise<Buffer> => {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
};

export interface ArchiveSink {
  /** Called once, before the first file. */
  readonly begin: (manifest: ArchiveManifest) => Promise<void>;
  /**
   * Called for each file. It must read all pieces. The digest of the file is verified later, so the data must not be
   * used before `readArchive` returns.
   */
  readonly file: (name: string, size: number, pieces: AsyncIterable<Buffer>) => Promise<void>;
}

export interface ReadOptions {
  /** Newest readable schema version. Absent: any version. */
  readonly schema?: number;
  /** Called with the read fraction, from 0 to 1. */
  readonly onProgress?: (part: number) => void;
  readonly signal?: AbortSignal;
}

/** Counts the files and bytes of an archive, and refuses an archive that exceeds its manifest. */
const tally = (manifest: ArchiveManifest) => {
  const digests = new Map<string, string>();
  let bytes = 0;
  return {
    digests,
    bytes: () => bytes,
    add(name: string, size: number): void {
      if (!isContentName(name) || (name === KEY_FILE && !manifest.keys))
        throw new ArchiveRefused(`it holds ${shown(name)}, which actorctl does not write`);
      if (digests.has(name)) throw new ArchiveRefused(`it holds ${shown(name)} twice`);
      bytes += size;
      // Reserves the name. The digest is added later.
      digests.set(name, '');
      if (bytes > manifest.bytes || digests.size > manifest.files)
        throw new ArchiveRefused('it contains more than its manifest says');
    },
    check(text: string, whole: string): void {
      const lines = [...digests].map(([name, digest]) => `${digest}  ${name}\n`).join('');
      if (digests.size !== manifest.files || bytes !== manifest.bytes)
        throw new ArchiveRefused('it contains less than its manifest says');
      if (`${whole}${lines}` === text) return;
      const said = new Set(text.split('\n'));
      const wrong = [...digests].find(([name, digest]) => !said.has(`${digest}  ${name}`));
      throw new ArchiveRefused(wrong ? `the digest of ${shown(wrong[0])} does not match` : `its ${DIGESTS} is damaged`);
    },
  };
};

const unpack = async (file: string, signal: AbortSignal | undefined) => {
  // Without O_NONBLOCK the open of a FIFO would wait for a writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  if (!(await handle.stat()).isFile()) {
    await handle.close();
    throw new ArchiveRefused('it is not a file');
  }
  const packed = handle.createReadStream({ highWaterMark: CHUNK, ...(signal && { signal }) });
  const unpacked = createGunzip({ chunkSize: CHUNK });
  packed.once('error', (error) => unpacked.destroy(error));
  unpacked.once('close', () => packed.destroy());
  return packed.pipe(unpacked);
};

const refusalOf = (error: unknown): unknown => {
  const code = systemCode(error);
  if (code === 'Z_BUF_ERROR') return new ArchiveRefused('its end is missing');
  if (code?.startsWith('Z_')) return new ArchiveRefused('it is not a gzip file, or it is damaged');
  return error;
};

type Bytes = ReturnType<typeof reading>;

/** The next file; undefined at the end of the archive. @throws ArchiveRefused for anything that is not a file */
const nextFile = async (bytes: Bytes) => {
  const entry = readTarHeader(await collect(bytes.pieces(BLOCK)));
  if (entry.is === 'end') return undefined;
  if (entry.is === 'damaged') throw new ArchiveRefused('it is not a tar archive, or it is damaged');
  if (entry.is === 'other')
    throw new ArchiveRefused(`it holds ${shown(entry.name)}, which is not a regular file (type ${shown(entry.type)})`);
  return entry;
};

const contentOf = async (bytes: Bytes, size: number, limit: number, name: string): Promise<Buffer> => {
  if (size > limit) throw new ArchiveRefused(`its ${name} is too large`);
  const content = await collect(bytes.pieces(size));
  await collect(bytes.pieces(paddingOf(size)));
  return content;
};

const readFirst = async (bytes: Bytes, schema: number | undefined) => {
  const first = await nextFile(bytes);
  if (first?.name !== MANIFEST) throw new ArchiveRefused('it is not an archive of actorctl');
  const content = await contentOf(bytes, first.size, MANIFEST_LIMIT, MANIFEST);
  return { content, manifest: parseManifest(content.toString('utf8'), schema) };
};

const checkEnd = async (bytes: Bytes): Promise<void> => {
  let size = 0;
  for (;;) {
    const piece = await bytes.piece(BLOCK);
    if (piece === undefined) return;
    size += piece.length;
    if (size > END_LIMIT || piece.some((byte) => byte !== 0)) throw new ArchiveRefused('data follows after its end');
  }
};

const readAll = async (
  bytes: Bytes,
  sink: ArchiveSink,
  { schema, onProgress }: ReadOptions,
): Promise<ArchiveManifest> => {
  const { content, manifest } = await readFirst(bytes, schema);
  await sink.begin(manifest);
  const held = tally(manifest);
  let done = 0;
  for (;;) {
    const entry = await nextFile(bytes);
    if (entry === undefined) throw new ArchiveRefused('its end is missing');
    const { name, size } = entry;
    if (name === DIGESTS) {
      // The limit depends on the bytes read so far, because the manifest may claim any number of files.
      const text = await contentOf(bytes, size, (held.digests.size + 1) * DIGEST_LINE, DIGESTS);
      const whole = `${createHash('sha256').update(content).digest('hex')}  ${MANIFEST}\n`;
      held.check(text.toString('utf8'), whole);
      await checkEnd(bytes);
      return manifest;
    }
    held.add(name, size);
    const hash = createHash('sha256');
    const counted = async function* () {
      for await (const piece of bytes.pieces(size)) {
        hash.update(piece);
        done += piece.length;
        onProgress?.(manifest.bytes === 0 ? 1 : done / manifest.bytes);
        yield piece;
      }
    };
    await sink.file(name, size, counted());
    await collect(bytes.pieces(paddingOf(size)));
    held.digests.set(name, hash.digest('hex'));
  }
};

const withBytes = async <T>(
  file: string,
  signal: AbortSignal | undefined,
  use: (bytes: Bytes) => Promise<T>,
): Promise<T> => {
  const stream = await unpack(file, signal);
  try {
    return await use(reading(stream[Symbol.asyncIterator]()));
  } catch (error) {
    throw refusalOf(error);
  } finally {
    stream.destroy();
  }
};

/**
 * Reads an archive. Keeps one piece in memory, and unpacks no more bytes than the manifest states.
 * @see docs/conformance/security.md R168
 */
export const readArchive = (file: string, sink: ArchiveSink, options: ReadOptions = {}): Promise<ArchiveManifest> =>
  withBytes(file, options.signal, (bytes) => readAll(bytes, sink, options));

/** Reads only the manifest. The rest of the archive may be damaged. @throws ArchiveRefused */
export const readArchiveManifest = async (file: string): Promise<ArchiveManifest> =>
  (await withBytes(file, undefined, (bytes) => readFirst(bytes, undefined))).manifest;

export const checkArchive = (file: string, options: ReadOptions = {}): Promise<ArchiveManifest> =>
  readArchive(
    file,
    {
      begin: async () => undefined,
      file: async (_name, _size, pieces) => {
        for await (const _ of pieces);
      },
    },
    options,
  );

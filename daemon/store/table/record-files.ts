// Reads the texts of durable records back from the files of the store.
import { close as closeDescriptor, closeSync, constants, openSync, readSync } from 'node:fs';
import { recordChecksum } from '../journal/sealed-line.ts';
import { StoreDamaged } from '../store-errors.ts';
import { createPages } from './file-pages.ts';

export interface Place {
  readonly file: number;
  readonly offset: number;
  /** Length of the text in bytes. */
  readonly length: number;
  /** Checksum of the text, as `recordChecksum` computes it. */
  readonly checksum: number;
}

export const placeIn = (file: number, { offset, length, checksum }: Omit<Place, 'file'>, from = 0): Place => ({
  file,
  offset: from + offset,
  length,
  checksum,
});

export interface RecordFiles {
  /** Later files have higher numbers. The content stays readable after the file is replaced or deleted. */
  open(path: string): number;
  /** The bytes are valid until the next call. @throws StoreDamaged when the text is not the one that was written */
  read(place: Place): Buffer;
  /** Returns a function like `read`, whose bytes are valid until its own next call. */
  reader(): (place: Place) => Buffer;
  reads(): number;
  /** Closes a file. While files are held, it resolves at once and the file is closed later. */
  close(file: number): Promise<void>;
  closeAll(): void;
  /** Keeps every file readable until the returned function is called. */
  hold(): () => void;
}

/** Maximum length of a text that is read into the shared buffer. */
const SHARED = 64 * 1024;
/** Cached pages for `read`. */
const NEAR = { size: 32 * 1024, most: 16 };
/** Cached pages for each function that `reader` returns, which reads records one after another. */
const IN_TURN = { size: 64 * 1024, most: 4 };
const NEWLINE = 10;

/** Reads until `buffer` is full or the file ends. Returns the number of bytes. */
const readFully = (descriptor: number, buffer: Buffer, offset: number): number => {
  let done = 0;
  while (done < buffer.length) {
    const bytes = readSync(descriptor, buffer, done, buffer.length - done, offset + done);
    if (bytes === 0) break;
    done += bytes;
  }
  return done;
};

const lineAt = (descriptor: number, offset: number): number => {
  const chunk = Buffer.alloc(1024 * 1024);
  let line = 1;
  for (let start = 0; start < offset; start += chunk.length) {
    const bytes = readFully(descriptor, chunk.subarray(0, Math.min(chunk.length, offset - start)), start);
    for (let at = chunk.indexOf(NEWLINE); at >= 0 && at < bytes; at = chunk.indexOf(NEWLINE, at + 1)) line += 1;
  }
  return line;
};

export const openRecordFiles = (): RecordFiles => {
  const files = new Map<number, { readonly path: string; readonly descriptor: number }>();
  let last = 0;
  let reads = 0;
  let holds = 0;
  /** Files that were closed while they were held. */
  const due = new Set<number>();

  const forget = (file: number): number | undefined => {
    const found = files.get(file);
    files.delete(file);
    return found?.descriptor;
  };

  const descriptorOf = (file: number): number => {
    const found = files.get(file);
    if (found === undefined) throw new Error('The store is closed.');
    return found.descriptor;
  };

  const isText = (bytes: Buffer, { length, checksum }: Place): boolean =>
    bytes.length === length && recordChecksum(bytes) === checksum;

  const createReader = ({ size, most }: typeof NEAR): RecordFiles['read'] => {
    const shared = Buffer.allocUnsafe(SHARED);
    const pages = createPages((file, bytes, offset) => readFully(descriptorOf(file), bytes, offset), size, most);

    const readAlone = (place: Place): Buffer => {
      const { offset, length } = place;
      const descriptor = descriptorOf(place.file);
      const buffer = length <= SHARED ? shared.subarray(0, length) : Buffer.allocUnsafe(length);
      const text = buffer.subarray(0, readFully(descriptor, buffer, offset));
      if (isText(text, place)) return text;
      const line = lineAt(descriptor, offset);
      throw new StoreDamaged(files.get(place.file)?.path ?? '', line, 'the checksum does not match');
    };

    return (place) => {
      const { file, offset, length } = place;
      const near = files.has(file) ? pages.bytes(file, offset, length) : undefined;
      const isRight = near !== undefined && isText(near, place);
      if (near !== undefined && !isRight) pages.forget(file, offset);
      const text = isRight ? near : readAlone(place);
      reads += 1;
      return text;
    };
  };

  /** Closes in a thread: the last close of a deleted file frees its blocks, which takes 90 ms for 450 MB. */
  const closeNow = (file: number): Promise<void> =>
    new Promise((resolve) => {
      const descriptor = forget(file);
      // A file that was only read has nothing to lose in a failed close.
      if (descriptor === undefined) resolve();
      else closeDescriptor(descriptor, () => resolve());
    });

  /** Files are closed one after another, because the same few threads also serve all writes. */
  const closeAllDue = async (): Promise<void> => {
    const closing = [...due];
    due.clear();
    for (const file of closing) await closeNow(file);
  };

  return {
    open(path) {
      const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
      last += 1;
      files.set(last, { path, descriptor });
      return last;
    },
    read: createReader(NEAR),
    reader: () => createReader(IN_TURN),
    reads: () => reads,
    async close(file) {
      if (holds > 0) due.add(file);
      else await closeNow(file);
    },
    closeAll() {
      for (const file of [...files.keys()]) {
        const descriptor = forget(file);
        if (descriptor !== undefined) closeSync(descriptor);
      }
    },
    hold() {
      holds += 1;
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        holds -= 1;
        if (holds > 0) return;
        void closeAllDue();
      };
    },
  };
};

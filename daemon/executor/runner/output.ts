// The output of one run on disk: both streams in the order in which they came, up to a cap.
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { errorCode } from '../read-field.ts';

export type Stream = 'stdout' | 'stderr';

export interface Output {
  /** Keeps what fits below the cap and returns it; undefined when nothing does. */
  keep(stream: Stream, data: Buffer): Buffer | undefined;
  /** Hands over all that was kept, from the first byte. */
  replay(each: (stream: Stream, data: Buffer) => void): void;
  /** The open file, to be synced; undefined when there was no output. */
  descriptor(): number | undefined;
  close(): void;
}

// A frame is one byte for the stream, four for the length (big endian), and the bytes.
const HEAD = 5;
const kinds: readonly Stream[] = ['stdout', 'stderr'];

/**
 * The output file at `path`, made (0600) with the first byte. Writing is synchronous: a few microseconds into the page cache, and what
 * `replay` reads is at every moment exactly what `keep` has returned. A full disk ends the keeping, never the run.
 * `earlier`: the file of a run that ended under another runner; only `replay` is of use then.
 */
export const createOutput = (path: string, capBytes: number, earlier: boolean): Output => {
  let fd: number | undefined;
  let written = earlier;
  let left = capBytes;
  return {
    keep: (stream, data) => {
      if (left <= 0) return undefined;
      const kept = data.length > left ? data.subarray(0, left) : data;
      const frame = Buffer.allocUnsafe(HEAD + kept.length);
      frame.writeUInt8(kinds.indexOf(stream), 0);
      frame.writeUInt32BE(kept.length, 1);
      kept.copy(frame, HEAD);
      written = true;
      try {
        fd ??= openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600);
        for (let at = 0; at < frame.length; ) at += writeSync(fd, frame, at);
      } catch (error) {
        left = 0;
        console.error(`the output at ${path} cannot be kept any more: ${String(error)}`);
        return undefined;
      }
      left -= kept.length;
      return kept;
    },
    replay: (each) => {
      if (!written) return;
      let all: Buffer;
      try {
        all = readFileSync(path);
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return;
        throw error;
      }
      for (let at = 0; at + HEAD <= all.length; ) {
        const stream = kinds[all.readUInt8(at)];
        const end = at + HEAD + all.readUInt32BE(at + 1);
        // A frame cut short by a full disk is the last one.
        if (stream === undefined || end > all.length) return;
        each(stream, all.subarray(at + HEAD, end));
        at = end;
      }
    },
    descriptor: () => fd,
    close: () => {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      left = 0;
    },
  };
};

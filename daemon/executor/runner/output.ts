// The output of one run on disk: both streams in order of arrival, up to a size limit.
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { errorCode } from '../read-field.ts';

export type Stream = 'stdout' | 'stderr';

export type Output = ReturnType<typeof createOutput>;

// A frame is one byte for the stream, four bytes for the length (big endian), and the content.
const HEAD = 5;
const kinds: readonly Stream[] = ['stdout', 'stderr'];

/**
 * The output file at `path`, created with mode 0600 at the first byte. Writing is synchronous and takes a few
 * microseconds, so `replay` always reads exactly what `keep` has returned. If the disk is full, output is no longer
 * stored, but the run continues. With `earlier`, the file belongs to a run of an earlier runner, and only `replay` may
 * be called.
 */
export const createOutput = (path: string, capBytes: number, earlier: boolean) => {
  let fd: number | undefined;
  let written = earlier;
  let left = capBytes;
  return {
    /** Writes the part that fits below the size limit and returns it. Undefined if nothing fits. */
    keep: (stream: Stream, data: Buffer): Buffer | undefined => {
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
        console.error(`cannot continue to write the output at ${path}: ${String(error)}`);
        return undefined;
      }
      left -= kept.length;
      return kept;
    },
    /** Passes on all stored output, from the first byte. */
    replay: (each: (stream: Stream, data: Buffer) => void): void => {
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
        // A frame that a full disk cut short is the last one.
        if (stream === undefined || end > all.length) return;
        each(stream, all.subarray(at + HEAD, end));
        at = end;
      }
    },
    /** The descriptor of the open file, for a sync. Undefined if there was no output. */
    descriptor: (): number | undefined => fd,
    close: (): void => {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      left = 0;
    },
  };
};

// The output of one run: both streams in order of arrival on disk up to a size limit, and the last part of the rest.
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { createOutputTail, type OutputPiece } from '../../domain/executions/output-tail.ts';
import type { LogSink } from '../../ports/executor.ts';
import { errorCode } from '../read-field.ts';

export type Stream = OutputPiece['stream'];

export type Output = ReturnType<typeof createOutput>;

// A frame is one byte for the stream, four bytes for the length (big endian), and the content. A frame of kind `GAP` has
// the number of bytes (eight bytes, big endian) that are left out before the next frame.
const HEAD = 5;
const kinds: readonly Stream[] = ['stdout', 'stderr'];
const GAP = kinds.length;

const frameOf = (kind: number, content: Uint8Array): Buffer => {
  const frame = Buffer.allocUnsafe(HEAD + content.length);
  frame.writeUInt8(kind, 0);
  frame.writeUInt32BE(content.length, 1);
  frame.set(content, HEAD);
  return frame;
};

const gapFrame = (bytes: number): Buffer => {
  const content = Buffer.alloc(8);
  content.writeBigUInt64BE(BigInt(bytes));
  return frameOf(GAP, content);
};

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
  let isBroken = false;
  const tail = createOutputTail();

  /** False if the disk refuses the frame. A part of it may be in the file, so no other frame may follow. */
  const write = (frame: Buffer): boolean => {
    if (isBroken) return false;
    written = true;
    try {
      fd ??= openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600);
      for (let at = 0; at < frame.length; ) at += writeSync(fd, frame, at);
    } catch (error) {
      isBroken = true;
      console.error(`cannot continue to write the output at ${path}: ${String(error)}`);
    }
    return !isBroken;
  };

  return {
    /**
     * Writes the part that fits below the size limit and returns it. Undefined if nothing fits. The rest is retained in
     * memory up to a limit.
     */
    keep: (stream: Stream, data: Buffer): Buffer | undefined => {
      const kept = data.subarray(0, left);
      const isStored = kept.length > 0 && write(frameOf(kinds.indexOf(stream), kept));
      if (isBroken) left = 0;
      left -= isStored ? kept.length : 0;
      const rest = isStored ? data.subarray(kept.length) : data;
      if (rest.length > 0) tail.add({ stream, time: 0, data: rest });
      return isStored ? kept : undefined;
    },
    /** Stores the last part of the output, and passes it on. Called once, at the end of the run. */
    end: (each: LogSink): void => {
      const { pieces, leftOut } = tail.end();
      if (leftOut > 0 && pieces.length > 0) write(gapFrame(leftOut));
      for (const [index, { stream, data }] of pieces.entries()) {
        write(frameOf(kinds.indexOf(stream), data));
        each(stream, data, index === 0 ? leftOut : 0);
      }
    },
    /** Passes on all stored output, from the first byte. */
    replay: (each: LogSink): void => {
      if (!written) return;
      let all: Buffer;
      try {
        all = readFileSync(path);
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return;
        throw error;
      }
      let leftOut = 0;
      for (let at = 0; at + HEAD <= all.length; ) {
        const kind = all.readUInt8(at);
        const end = at + HEAD + all.readUInt32BE(at + 1);
        // A frame that a full disk cut short is the last one.
        if (kind > GAP || end > all.length) return;
        const content = all.subarray(at + HEAD, end);
        const stream = kinds[kind];
        if (stream === undefined) leftOut = Number(content.readBigUInt64BE());
        else {
          each(stream, content, leftOut);
          leftOut = 0;
        }
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

// The last part of an output whose beginning is stored: bounded in bytes and in pieces, whatever the output is.

/** Bytes of output that are retained beyond the log size limit. */
export const TAIL_BYTES = 256 * 1024;
/** Limits the memory of an output that arrives byte by byte. */
const TAIL_PIECES = 8 * 1024;

export interface OutputPiece {
  readonly stream: 'stdout' | 'stderr';
  /** When the piece arrived, in milliseconds since the epoch. */
  readonly time: number;
  /** UTF-8 text, not necessarily of whole characters. */
  readonly data: Uint8Array;
}

/** Without the rest of a character that begins before the data. */
export const fromCharacter = (data: Uint8Array): Uint8Array => {
  let start = 0;
  while (start < 3 && ((data[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return data.subarray(start);
};

/**
 * Retains the last bytes that are added, and counts the others. Copies them into one buffer, because chunks that live
 * longer than a moment grow the memory of the process.
 */
export const createOutputTail = () => {
  const ring = new Uint8Array(TAIL_BYTES);
  let pieces: { readonly stream: OutputPiece['stream']; readonly time: number; length: number }[] = [];
  let first = 0;
  let bytes = 0;
  /** Where the next byte goes. */
  let end = 0;
  let leftOut = 0;

  const dropFirst = (count: number): void => {
    leftOut += count;
    bytes -= count;
    for (let rest = count; rest > 0; ) {
      const piece = pieces[first];
      if (piece === undefined) return;
      const dropped = Math.min(rest, piece.length);
      piece.length -= dropped;
      rest -= dropped;
      if (piece.length === 0) first += 1;
    }
    if (first <= TAIL_PIECES) return;
    pieces = pieces.slice(first);
    first = 0;
  };
  const copyOf = (from: number, length: number): Uint8Array => {
    const data = new Uint8Array(length);
    const straight = ring.subarray(from, from + length);
    data.set(straight);
    data.set(ring.subarray(0, length - straight.length), straight.length);
    return data;
  };

  return {
    add({ stream, time, data }: OutputPiece): void {
      const retained = data.subarray(-TAIL_BYTES);
      dropFirst(Math.max(0, bytes + retained.length - TAIL_BYTES));
      leftOut += data.length - retained.length;
      const straight = retained.subarray(0, TAIL_BYTES - end);
      ring.set(straight, end);
      ring.set(retained.subarray(straight.length));
      end = (end + retained.length) % TAIL_BYTES;
      bytes += retained.length;
      const last = pieces.length > first ? pieces.at(-1) : undefined;
      if (last?.stream === stream && last.time === time) last.length += retained.length;
      else pieces.push({ stream, time, length: retained.length });
      if (pieces.length - first > TAIL_PIECES) dropFirst(pieces[first]?.length ?? 0);
    },
    /** Drops everything, because `count` bytes that follow it are missing. */
    skip(count: number): void {
      dropFirst(bytes);
      leftOut += count;
    },
    /** The retained pieces, which begin with a whole character on each stream, and the bytes that are left out. */
    end(): { readonly pieces: readonly OutputPiece[]; readonly leftOut: number } {
      const begun = new Set<OutputPiece['stream']>();
      let missing = leftOut;
      let at = (end - bytes + TAIL_BYTES) % TAIL_BYTES;
      const retained = pieces.slice(first).flatMap(({ stream, time, length }): OutputPiece[] => {
        const all = copyOf(at, length);
        at = (at + length) % TAIL_BYTES;
        const data = leftOut > 0 && !begun.has(stream) ? fromCharacter(all) : all;
        missing += length - data.length;
        if (data.length === 0) return [];
        begun.add(stream);
        return [{ stream, time, data }];
      });
      return { pieces: retained, leftOut: missing };
    },
  };
};

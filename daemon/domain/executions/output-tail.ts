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

/** Retains the last pieces that are added, and counts the bytes of the others. */
export const createOutputTail = () => {
  let pieces: OutputPiece[] = [];
  let first = 0;
  let bytes = 0;
  let leftOut = 0;

  const dropFirst = (): void => {
    const length = pieces[first]?.data.length ?? 0;
    first += 1;
    bytes -= length;
    leftOut += length;
    if (first <= TAIL_PIECES) return;
    pieces = pieces.slice(first);
    first = 0;
  };
  const isSpare = (): boolean => {
    const { data } = pieces[first] ?? {};
    return data !== undefined && (bytes - data.length >= TAIL_BYTES || pieces.length - first > TAIL_PIECES);
  };

  return {
    add(piece: OutputPiece): void {
      pieces.push(piece);
      bytes += piece.data.length;
      while (isSpare()) dropFirst();
    },
    /** Drops everything, because `count` bytes that follow it are missing. */
    skip(count: number): void {
      leftOut += bytes + count;
      [pieces, first, bytes] = [[], 0, 0];
    },
    /** The retained pieces, which begin with a whole character on each stream, and the bytes that are left out. */
    end(): { readonly pieces: readonly OutputPiece[]; readonly leftOut: number } {
      const begun = new Set<OutputPiece['stream']>();
      let spare = Math.max(0, bytes - TAIL_BYTES);
      let missing = leftOut;
      const isCut = spare > 0 || leftOut > 0;
      const retained = pieces.slice(first).flatMap((piece): OutputPiece[] => {
        const rest = piece.data.subarray(spare);
        const data = isCut && !begun.has(piece.stream) ? fromCharacter(rest) : rest;
        spare = Math.max(0, spare - piece.data.length);
        missing += piece.data.length - data.length;
        if (data.length === 0) return [];
        begun.add(piece.stream);
        return [{ ...piece, data }];
      });
      return { pieces: retained, leftOut: missing };
    },
  };
};

// Cuts the receiver's stdout into frames.

/** One message of the receiver. @see `programs.ts` for the kinds */
export interface Frame {
  readonly kind: string;
  readonly id: string;
  readonly bytes: Buffer;
}

const HEAD = 6;

/** Returns a function that takes the pieces of a stream and returns the frames that are complete. */
export const createFrameReader = (): ((piece: Buffer) => readonly Frame[]) => {
  let pieces: Buffer[] = [];
  let size = 0;
  /** Bytes that the next frame needs; pieces are only joined when this many have arrived. */
  let needed = HEAD;

  return (piece) => {
    pieces.push(piece);
    size += piece.length;
    if (size < needed) return [];
    const whole = Buffer.concat(pieces, size);
    const frames: Frame[] = [];
    let at = 0;
    needed = HEAD;
    while (whole.length - at >= HEAD) {
      const idLength = whole.readUInt8(at + 1);
      const length = HEAD + idLength + whole.readUInt32BE(at + 2);
      if (whole.length - at < length) {
        needed = length;
        break;
      }
      frames.push({
        kind: whole.toString('latin1', at, at + 1),
        id: whole.toString('latin1', at + HEAD, at + HEAD + idLength),
        bytes: whole.subarray(at + HEAD + idLength, at + length),
      });
      at += length;
    }
    pieces = [whole.subarray(at)];
    size = whole.length - at;
    return frames;
  };
};

// Where the records of a collection are on disk, by order number: 32 bytes in memory for each record.
import type { Place } from './record-files.ts';

export type Places = ReturnType<typeof createPlaces>;

export interface CapturedPlaces {
  /** The places of the records at the moment of the capture, one array for each chunk. */
  chunks(): Iterable<readonly Place[]>;
  /** Number of chunks that were copied because one of their places changed. */
  copies(): number;
  /** Ends the capture; later changes copy nothing. */
  release(): void;
}

/** Number of order numbers in a chunk. A chunk is freed with its last place, so that deleted records cost nothing. */
const CHUNK = 1_024;
/** Numbers for each place: file (0 when there is no place), offset, length, checksum. */
const FIELDS = 4;

interface Chunk {
  readonly fields: Float64Array;
  used: number;
}

const placeAt = (fields: Float64Array, start: number): Place => {
  const [file = 0, offset = 0] = [fields[start], fields[start + 1]];
  const [length = 0, checksum = 0] = [fields[start + 2], fields[start + 3]];
  return { file, offset, length, checksum };
};

const placesIn = (fields: Float64Array): Place[] => {
  const places: Place[] = [];
  for (let start = 0; start < fields.length; start += FIELDS) {
    if (fields[start] !== 0) places.push(placeAt(fields, start));
  }
  return places;
};

export const createPlaces = () => {
  const chunks = new Map<number, Chunk>();
  /** Called with the number of a chunk before a place in it changes. */
  const captures = new Set<(chunk: number) => void>();
  const beforeChange = (order: number): void => {
    for (const keep of captures) keep(Math.floor(order / CHUNK));
  };
  const chunkOf = (order: number): Chunk | undefined => chunks.get(Math.floor(order / CHUNK));
  const startOf = (order: number): number => (order % CHUNK) * FIELDS;

  const addChunk = (order: number): Chunk => {
    const chunk: Chunk = { fields: new Float64Array(CHUNK * FIELDS), used: 0 };
    chunks.set(Math.floor(order / CHUNK), chunk);
    return chunk;
  };

  return {
    get(order: number): Place | undefined {
      const fields = chunkOf(order)?.fields;
      const start = startOf(order);
      if (fields === undefined || fields[start] === 0) return undefined;
      return placeAt(fields, start);
    },
    set(order: number, { file, offset, length, checksum }: Place): void {
      beforeChange(order);
      const chunk = chunkOf(order) ?? addChunk(order);
      const start = startOf(order);
      if (chunk.fields[start] === 0) chunk.used += 1;
      chunk.fields[start] = file;
      chunk.fields[start + 1] = offset;
      chunk.fields[start + 2] = length;
      chunk.fields[start + 3] = checksum;
    },
    remove(order: number): void {
      const chunk = chunkOf(order);
      const start = startOf(order);
      if (chunk === undefined || chunk.fields[start] === 0) return;
      beforeChange(order);
      chunk.fields[start] = 0;
      chunk.used -= 1;
      if (chunk.used === 0) chunks.delete(Math.floor(order / CHUNK));
    },
    /** The order numbers that have a place, chunk by chunk, in the order in which the chunks were created. */
    *orders(): Iterable<number> {
      for (const [number, { fields }] of chunks) {
        for (let at = 0; at < CHUNK; at += 1) if (fields[at * FIELDS] !== 0) yield number * CHUNK + at;
      }
    },
    /** Preserves the places of this moment while they change. Costs as much as listing the chunks. */
    capture(): CapturedPlaces {
      const numbers = [...chunks.keys()].sort((a, b) => a - b);
      const captured = new Set(numbers);
      const copies = new Map<number, Float64Array>();
      const keep = (number: number): void => {
        const chunk = captured.has(number) && !copies.has(number) ? chunks.get(number) : undefined;
        if (chunk !== undefined) copies.set(number, chunk.fields.slice());
      };
      captures.add(keep);
      return {
        *chunks() {
          for (const number of numbers) {
            const fields = copies.get(number) ?? chunks.get(number)?.fields;
            if (fields !== undefined) yield placesIn(fields);
          }
        },
        copies: () => copies.size,
        release() {
          captures.delete(keep);
          copies.clear();
        },
      };
    },
  };
};

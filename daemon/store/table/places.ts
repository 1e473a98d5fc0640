// The places of the records of a collection, by order, in 32 bytes for each record.
import type { Place } from './record-files.ts';

export interface Places {
  get(order: number): Place | undefined;
  set(order: number, place: Place): void;
  remove(order: number): void;
  /** The orders that have a place, in the order in which their chunks were begun. */
  orders(): Iterable<number>;
}

/** Orders in a chunk. A chunk is freed with its last place, so that deleted records cost nothing. */
const CHUNK = 1_024;
/** Numbers for each place: file (0 when there is no place), offset, length, checksum. */
const FIELDS = 4;

interface Chunk {
  readonly fields: Float64Array;
  used: number;
}

export const createPlaces = (): Places => {
  const chunks = new Map<number, Chunk>();
  const chunkOf = (order: number): Chunk | undefined => chunks.get(Math.floor(order / CHUNK));
  const startOf = (order: number): number => (order % CHUNK) * FIELDS;

  const addChunk = (order: number): Chunk => {
    const chunk: Chunk = { fields: new Float64Array(CHUNK * FIELDS), used: 0 };
    chunks.set(Math.floor(order / CHUNK), chunk);
    return chunk;
  };

  return {
    get(order) {
      const fields = chunkOf(order)?.fields;
      const start = startOf(order);
      const file = fields?.[start] ?? 0;
      if (fields === undefined || file === 0) return undefined;
      const [offset = 0, length = 0, checksum = 0] = [fields[start + 1], fields[start + 2], fields[start + 3]];
      return { file, offset, length, checksum };
    },
    set(order, { file, offset, length, checksum }) {
      const chunk = chunkOf(order) ?? addChunk(order);
      const start = startOf(order);
      if (chunk.fields[start] === 0) chunk.used += 1;
      chunk.fields[start] = file;
      chunk.fields[start + 1] = offset;
      chunk.fields[start + 2] = length;
      chunk.fields[start + 3] = checksum;
    },
    remove(order) {
      const chunk = chunkOf(order);
      const start = startOf(order);
      if (chunk === undefined || chunk.fields[start] === 0) return;
      chunk.fields[start] = 0;
      chunk.used -= 1;
      if (chunk.used === 0) chunks.delete(Math.floor(order / CHUNK));
    },
    *orders() {
      for (const [number, { fields }] of chunks) {
        for (let at = 0; at < CHUNK; at += 1) if (fields[at * FIELDS] !== 0) yield number * CHUNK + at;
      }
    },
  };
};

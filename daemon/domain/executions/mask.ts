// Replaces secrets in a stream of bytes by `***`, in linear time however the secrets and the stream are cut.
import { scanJson } from '../../../src/contract/json-scanner.ts';

/** A shorter text would hide ordinary words. */
const LEAST_CHARACTERS = 8;
const REPLACEMENT = Uint8Array.of(0x2a, 0x2a, 0x2a);
const BYTES = 256;

/** The strings inside of a JSON text except the names of members, each decoded and as it is written. */
const stringsIn = (json: string): readonly string[] => {
  const found: string[] = [];
  let last: string | undefined;
  const keepLast = (): void => {
    if (last !== undefined) found.push(JSON.parse(last) as string, last.slice(1, -1));
    last = undefined;
  };
  scanJson(json, (first, start, end) => {
    // A string before a colon is a name.
    if (first === ':') last = undefined;
    else keepLast();
    if (first === '"') last = json.slice(start, end);
    return true;
  });
  keepLast();
  return found;
};

/** The texts to replace: each string, each of its lines, and both with the line ends of other systems. */
const textsToMask = (values: readonly string[]): ReadonlySet<string> => {
  const texts = new Set<string>();
  for (const text of values.flatMap(stringsIn)) {
    const lines = text.split(/\r?\n/);
    for (const each of [text, lines.join('\n'), lines.join('\r\n'), ...lines]) texts.add(each);
  }
  return new Set([...texts].filter(({ length }) => length >= LEAST_CHARACTERS));
};

/** An automaton of Aho and Corasick. A state is a prefix of a text; 0 is the empty one. */
interface Automaton {
  /** Length of the prefix. */
  readonly depth: Int32Array;
  /** Length of the longest text that ends here; 0 if none does. */
  readonly ends: Int32Array;
  next(state: number, byte: number): number;
  /** The longest end of the prefix that can grow into a text. */
  growing(state: number): number;
}

const automatonOf = (texts: readonly Uint8Array[]): Automaton => {
  const size = texts.reduce((sum, { length }) => sum + length, 1);
  const [depth, ends, fail] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
  const [child, sibling, byteOf] = [new Int32Array(size), new Int32Array(size), new Uint8Array(size)];
  const root = new Int32Array(BYTES);
  const at = (list: Int32Array | Uint8Array, index: number): number => list[index] ?? 0;
  const childOf = (state: number, byte: number): number => {
    if (state === 0) return at(root, byte);
    let each = at(child, state);
    while (each !== 0 && at(byteOf, each) !== byte) each = at(sibling, each);
    return each;
  };
  let states = 1;
  for (const text of texts) {
    let state = 0;
    for (const byte of text) {
      let following = childOf(state, byte);
      if (following === 0) {
        following = states;
        states += 1;
        depth[following] = at(depth, state) + 1;
        byteOf[following] = byte;
        sibling[following] = at(child, state);
        child[state] = following;
        if (state === 0) root[byte] = following;
      }
      state = following;
    }
    ends[state] = text.length;
  }
  const next = (from: number, byte: number): number => {
    for (let state = from; ; state = at(fail, state)) {
      const following = childOf(state, byte);
      if (following !== 0 || state === 0) return following;
    }
  };
  // By breadth, so that the shorter prefixes, which the fail states are, are complete.
  const queue = [0];
  for (const state of queue) {
    for (let each = at(child, state); each !== 0; each = at(sibling, each)) {
      fail[each] = state === 0 ? 0 : next(at(fail, state), at(byteOf, each));
      ends[each] = Math.max(at(ends, each), at(ends, at(fail, each)));
      queue.push(each);
    }
  }
  const growing = (from: number): number => {
    let state = from;
    while (state !== 0 && at(child, state) === 0) state = at(fail, state);
    return state;
  };
  return { depth, ends, next, growing };
};

export interface MaskedStream {
  /** Returns the bytes that can be shown now. The start of a secret is held back until it is complete, or is none. */
  write(data: Uint8Array): Uint8Array;
  /** Returns what is held back. The start of a secret that is cut off here counts as a secret. */
  end(): Uint8Array;
}

const concat = (pieces: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
};

type Interval = { start: number; end: number };

const streamOf = ({ depth, ends, next, growing }: Automaton): MaskedStream => {
  let held: Uint8Array = new Uint8Array();
  /** Places in `held` that belong to secrets, apart from each other, in order. */
  let covered: Interval[] = [];
  let state = 0;
  /** True if the last shown bytes are a replacement that the next secret continues. */
  let isOpen = false;

  const cover = (from: number, end: number): void => {
    let start = from;
    while ((covered.at(-1)?.end ?? -1) >= start) start = Math.min(start, covered.pop()?.start ?? start);
    covered.push({ start, end });
  };

  /** Returns the first `count` bytes of `held`, with their secrets replaced. */
  const release = (count: number): Uint8Array => {
    const pieces: Uint8Array[] = [];
    const later: Interval[] = [];
    let shown = 0;
    for (const { start, end } of covered) {
      if (start < count) {
        if (start > shown) pieces.push(held.subarray(shown, start));
        if (start > shown || !isOpen) pieces.push(REPLACEMENT);
        shown = Math.min(end, count);
        isOpen = true;
      }
      if (end > count) later.push({ start: Math.max(0, start - count), end: end - count });
    }
    if (shown < count) {
      pieces.push(held.subarray(shown, count));
      isOpen = false;
    }
    covered = later;
    held = held.slice(count);
    return concat(pieces);
  };

  return {
    write(data) {
      const before = held.length;
      held = before === 0 ? data.slice() : concat([held, data]);
      for (let at = before; at < held.length; at += 1) {
        state = next(state, held[at] ?? 0);
        const length = ends[state] ?? 0;
        if (length > 0) cover(at + 1 - length, at + 1);
        state = growing(state);
      }
      return release(held.length - (depth[state] ?? 0));
    },
    end() {
      const length = depth[state] ?? 0;
      if (length >= LEAST_CHARACTERS) cover(held.length - length, held.length);
      state = 0;
      const rest = release(held.length);
      isOpen = false;
      return rest;
    },
  };
};

/** Makes streams that replace the strings of these JSON texts. Undefined if there is nothing to replace. */
export const maskOf = (values: readonly string[]): (() => MaskedStream) | undefined => {
  const texts = textsToMask(values);
  if (texts.size === 0) return undefined;
  const encoder = new TextEncoder();
  const automaton = automatonOf([...texts].map((text) => encoder.encode(text)));
  return () => streamOf(automaton);
};

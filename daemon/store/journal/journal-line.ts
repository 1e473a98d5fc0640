// The lines of a journal: one transaction each, with the file position of every record that it puts.
import { recordChecksum, type Span, seal, unseal } from './sealed-line.ts';

/** A complete line with its line end. */
export interface Line {
  readonly line: string;
  /** Length of the line in UTF-8 bytes. */
  readonly bytes: number;
}

export type LineDraft = ReturnType<typeof draftLine>;

const headOf = (decision: number, time: number): string => `[${decision},${time},[`;
const putStart = (collection: string): string => `["p","${collection}",`;
/** Length of the end of a line: `],"0123abcd"]` and the line end. */
const TAIL = 14;

export const draftLine = (decision: number, time: number) => {
  const head = headOf(decision, time);
  let operations = '';
  /** Bytes of the line so far; everything except keys and records is ASCII. */
  let bytes = head.length;

  const add = (text: string, length: number): void => {
    const comma = operations === '' ? '' : ',';
    operations += `${comma}${text}`;
    bytes += comma.length + length;
  };

  return {
    put(collection: string, text: string): Span {
      const start = putStart(collection);
      const length = Buffer.byteLength(text);
      add(`${start}${text}]`, start.length + length + 1);
      return { offset: bytes - 1 - length, length, checksum: recordChecksum(text) };
    },
    delete(collection: string, key: string): void {
      const text = `["d","${collection}",${JSON.stringify(key)}]`;
      add(text, Buffer.byteLength(text));
    },
    sequence(value: number): void {
      const text = `["s",${value}]`;
      add(text, text.length);
    },
    isEmpty: (): boolean => operations === '',
    finish: (): Line => ({ line: `${seal(`${head}${operations}]`)}\n`, bytes: bytes + TAIL }),
  };
};

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

const stringEnd = (bytes: Buffer, start: number): number => {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
};

/** The index after the array that begins at `start`. The bytes must be valid JSON. */
const arrayEnd = (bytes: Buffer, start: number): number => {
  let depth = 0;
  let at = start;
  do {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = stringEnd(bytes, at);
    else {
      if (OPENING.has(byte)) depth += 1;
      if (CLOSING.has(byte)) depth -= 1;
      at += 1;
    }
  } while (depth > 0 && at < bytes.length);
  return at;
};

/** An operation of a transaction: put a record (`p`), delete a key (`d`), set the sequence (`s`). */
export type Operation =
  | readonly ['p', collection: string, record: object, place: Span]
  | readonly ['d', collection: string, key: string]
  | readonly ['s', value: number];

export interface JournalLine {
  readonly decision: unknown;
  readonly time: number;
  /**
   * Yields the operations; undefined for the first one that this program does not know. `offset`: bytes before the
   * line.
   */
  operations(offset: number): Iterable<Operation | undefined>;
}

interface Bounds {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
}

const operationIn = (value: unknown, line: Buffer, { start, end, offset }: Bounds): Operation | undefined => {
  if (!Array.isArray(value)) return undefined;
  const [kind, first, second]: unknown[] = value;
  if (kind === 's') return typeof first === 'number' && Number.isSafeInteger(first) ? [kind, first] : undefined;
  if (typeof first !== 'string') return undefined;
  if (kind === 'd') return typeof second === 'string' ? [kind, first, second] : undefined;
  if (kind !== 'p' || typeof second !== 'object' || second === null) return undefined;
  const begin = start + putStart(first).length;
  const text = line.subarray(begin, end - 1);
  return [kind, first, second, { offset: offset + begin, length: text.length, checksum: recordChecksum(text) }];
};

/** Parses a line without its line end; undefined when any byte differs from what was written. */
export const parseLine = (line: Buffer): JournalLine | undefined => {
  const [decision, time, values] = unseal(line) ?? [];
  if (typeof time !== 'number' || !Array.isArray(values)) return undefined;
  return {
    decision,
    time,
    *operations(offset) {
      let start = headOf(Number(decision), time).length;
      for (const value of values) {
        const end = arrayEnd(line, start);
        const operation = operationIn(value, line, { start, end, offset });
        yield operation;
        if (operation === undefined) return;
        start = end + 1;
      }
    },
  };
};

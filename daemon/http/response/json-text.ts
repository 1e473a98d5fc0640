// Embeds JSON text in a response unchanged, so that large numbers, duplicate members and their order are preserved.
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

/** JSON text, either whole or as a stream of pieces. */
export type JsonPiece = string | AsyncIterable<string>;

/**
 * Makes the JSON pieces of a value. `margin` is the indentation of the line that contains the value in pretty-printed
 * JSON. Without it, the JSON has no spaces.
 */
type Writer = (margin: string | undefined) => readonly JsonPiece[];

/** Writers collected during the current `jsonPieces`. JSON.stringify is synchronous, so calls never overlap. */
let collected: Writer[] = [];

/** Random prefix of placeholders, so that no user text can look like a placeholder. */
const PLACEHOLDER = `json-text:${randomBytes(16).toString('hex')}:`;

const placeholderOf = (writer: Writer): string => {
  collected.push(writer);
  return `${PLACEHOLDER}${collected.length - 1}`;
};

/** A value whose JSON text is already known and must not change. The text must be valid JSON. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return placeholderOf(() => [this.text]);
  }
}

const decoded = async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const piece of pieces) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
};

const quoted = async function* (text: AsyncIterable<string>): AsyncGenerator<string> {
  yield '"';
  for await (const piece of text) yield JSON.stringify(piece).slice(1, -1);
  yield '"';
};

/** A value that is read from a file while the response is sent, so that it is never in memory as a whole. */
export class JsonFile {
  readonly #pieces: AsyncIterable<string>;

  /** @param kind `text`: the file becomes a JSON string. `json`: it contains valid JSON, which must not change. */
  constructor(file: AsyncIterable<Uint8Array>, kind: 'text' | 'json') {
    const text = decoded(file);
    this.#pieces = kind === 'text' ? quoted(text) : text;
  }

  toJSON(): string {
    return placeholderOf(() => [this.#pieces]);
  }
}

/** Characters of a list that are produced in one turn of the event loop. */
const SLICE = 16_384;

const INDENT = '  ';

/** Produces the JSON of a list in slices and returns the last slice. */
const slicesOf = function* (elements: Iterable<unknown>, margin: string | undefined): Generator<string, string> {
  const line = margin === undefined ? '' : `\n${margin}`;
  const inner = margin === undefined ? '' : line + INDENT;
  let slice = '';
  let before = '[';
  for (const element of elements) {
    if (slice.length >= SLICE) {
      yield slice;
      slice = '';
    }
    const text = jsonPieces(element, margin !== undefined).join('');
    // A line break in JSON is never inside a string.
    slice += before + inner + (margin === undefined ? text : text.replaceAll('\n', inner));
    before = ',';
  }
  return slice + (before === '[' ? '[]' : `${line}]`);
};

const inTurns = async function* (slices: Generator<string, string>, signal: AbortSignal): AsyncGenerator<string> {
  try {
    for (;;) {
      await setImmediate();
      signal.throwIfAborted();
      const { value, done } = slices.next();
      yield value;
      if (done) return;
    }
  } finally {
    slices.return('');
  }
};

/**
 * A list that is read while the response is sent, so that it is never in memory as a whole. It must not contain a
 * JsonFile or a JsonList.
 */
export class JsonList<T> {
  readonly #write: Writer;

  /**
   * Streams a list.
   * @param signal stops the reading; the answer then ends in the middle
   */
  constructor(elements: Iterable<T>, signal: AbortSignal) {
    this.#write = (margin) => {
      const slices = slicesOf(elements, margin);
      const { value, done } = slices.next();
      return done ? [value] : [value, inTurns(slices, signal)];
    };
  }

  toJSON(): string {
    return placeholderOf(this.#write);
  }
}

const marginOf = (text: string): string => /^ */.exec(text.slice(text.lastIndexOf('\n') + 1))?.[0] ?? '';

const joined = (pieces: readonly JsonPiece[]): readonly JsonPiece[] =>
  pieces.every((piece) => typeof piece === 'string') ? [pieces.join('')] : pieces;

/**
 * Serializes a value in which JsonText, JsonFile and JsonList may occur. Returns a single string if there is no file
 * and no long list.
 */
export const jsonPieces = (value: unknown, pretty: boolean): readonly JsonPiece[] => {
  collected = [];
  // JSON.stringify returns undefined for undefined.
  const json = (pretty ? JSON.stringify(value, null, INDENT) : JSON.stringify(value)) ?? 'null';
  const found = collected;
  collected = [];
  if (found.length === 0) return [json];
  const pieces: JsonPiece[] = [];
  let end = 0;
  // JSON.stringify calls the replacer for placeholders in the order in which it writes them.
  for (const [index, write] of found.entries()) {
    const placeholder = `"${PLACEHOLDER}${index}"`;
    const at = json.indexOf(placeholder, end);
    if (at === -1) throw new Error('JSON.stringify left out a placeholder.');
    const before = json.slice(end, at);
    pieces.push(before, ...write(pretty ? marginOf(before) : undefined));
    end = at + placeholder.length;
  }
  return joined([...pieces, json.slice(end)]);
};

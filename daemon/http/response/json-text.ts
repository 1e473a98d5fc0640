// Embeds JSON text in an answer unchanged, so that large numbers, duplicate members and their order survive.
import { randomBytes } from 'node:crypto';

/** JSON text, whole or as a stream of its pieces. */
export type JsonPiece = string | AsyncIterable<string>;

/** Pieces collected during the current `jsonPieces`. JSON.stringify is synchronous, so calls never overlap. */
let collected: JsonPiece[] = [];

/** Random, so that no text of a user can look like a placeholder. */
const PLACEHOLDER = `json-text:${randomBytes(16).toString('hex')}:`;

const placeholders = new RegExp(`"${PLACEHOLDER}(\\d+)"`);

const placeholderOf = (piece: JsonPiece): string => {
  collected.push(piece);
  return `${PLACEHOLDER}${collected.length - 1}`;
};

/** A value whose JSON text is already known and must not change. The text must be valid JSON. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return placeholderOf(this.text);
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

/** A value that is read from a file while the answer is sent, so that it is never whole in memory. */
export class JsonFile {
  readonly #pieces: AsyncIterable<string>;

  /** @param kind `text`: the file becomes a JSON string. `json`: it contains valid JSON, which must not change. */
  constructor(file: AsyncIterable<Uint8Array>, kind: 'text' | 'json') {
    const text = decoded(file);
    this.#pieces = kind === 'text' ? quoted(text) : text;
  }

  toJSON(): string {
    return placeholderOf(this.#pieces);
  }
}

/** Calls `stringify` and returns its result with each JsonText and JsonFile in its place. One string if there is no file. */
export const jsonPieces = (stringify: () => string | undefined): readonly JsonPiece[] => {
  collected = [];
  // JSON.stringify returns undefined for undefined.
  const json = stringify() ?? 'null';
  const found = collected;
  collected = [];
  if (found.length === 0) return [json];
  // Splitting at a pattern with a group gives text and index by turns.
  const pieces = json.split(placeholders).map((part, at) => (at % 2 === 0 ? part : (found[Number(part)] ?? 'null')));
  return pieces.every((piece) => typeof piece === 'string') ? [pieces.join('')] : pieces;
};

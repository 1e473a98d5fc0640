// How the lines of a log fill rows of the same height: one row each, or as many as a wrapped line needs.
import type { Span } from './ansi.ts';
import type { LogLine } from './log-lines.ts';

export interface LogRow {
  /** Index of the line. */
  readonly at: number;
  /** Index of the row within its line. */
  readonly part: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it begins with the first character of ASCII
const ASCII = /^[\u0000-\u007f]*$/;
const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\uff01-\uff60]/u;
const TAB = 8;

const cellsOf = (character: string, column: number): number =>
  character === '\t' ? TAB - (column % TAB) : WIDE.test(character) ? 2 : 1;

/** Splits the spans of a line after each `columns` cells. A line without text is one empty piece. */
export const fold = (spans: readonly Span[], columns: number): readonly (readonly Span[])[] => {
  const pieces: Span[][] = [[]];
  let column = 0;
  for (const { text, style } of spans) {
    let piece = '';
    const close = (): void => {
      if (piece !== '') pieces.at(-1)?.push({ text: piece, style });
      piece = '';
    };
    for (const character of text) {
      const cells = cellsOf(character, column);
      if (column > 0 && column + cells > columns) {
        close();
        pieces.push([]);
        column = 0;
      }
      piece += character;
      column += cells;
    }
    close();
  }
  return pieces;
};

/** Of the lines that were shown or measured last. */
const folded = new WeakMap<LogLine, { readonly columns: number; readonly pieces: ReturnType<typeof fold> }>();

/** The pieces of a line, which fill one row each. */
export const piecesOf = (line: LogLine, columns: number): ReturnType<typeof fold> => {
  const known = folded.get(line);
  if (known?.columns === columns) return known.pieces;
  const pieces = fold(line.spans, columns);
  folded.set(line, { columns, pieces });
  return pieces;
};

const rowsOf = (line: LogLine, columns: number): number =>
  ASCII.test(line.text) && !line.text.includes('\t')
    ? Math.max(1, Math.ceil(line.text.length / columns))
    : piecesOf(line, columns).length;

/** The rows of all lines. @param columns cells of a row; undefined: each line is one row, however long */
export const layOut = (lines: readonly LogLine[], columns: number | undefined) => {
  if (columns === undefined) {
    const total = lines.length;
    return { total, rowOf: (line: number): number => line, at: (row: number): LogRow => ({ at: row, part: 0 }) };
  }
  const starts = new Uint32Array(lines.length + 1);
  lines.forEach((line, at) => {
    starts[at + 1] = (starts[at] ?? 0) + rowsOf(line, columns);
  });
  return {
    total: starts[lines.length] ?? 0,
    rowOf: (line: number): number => starts[line] ?? 0,
    at: (row: number): LogRow => {
      let low = 0;
      let high = lines.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] ?? 0) <= row) low = middle;
        else high = middle - 1;
      }
      return { at: low, part: row - (starts[low] ?? 0) };
    },
  };
};

/** Lines that are read to find the columns of a table. */
const SAMPLE = 200;
const MOST_COLUMNS = 8;

/** The fields of a line that is a JSON object, as text. */
export const fieldsOf = (text: string): ReadonlyMap<string, string> | undefined => {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    return new Map(
      Object.entries(value).map(([name, field]) => [name, typeof field === 'string' ? field : JSON.stringify(field)]),
    );
  } catch {
    return undefined;
  }
};

/** The columns of a table of the lines that are JSON objects: their most frequent fields. Empty if there are none. */
export const columnsOf = (lines: readonly LogLine[]): readonly string[] => {
  const uses = new Map<string, number>();
  for (const { text } of lines.slice(0, SAMPLE))
    for (const name of fieldsOf(text)?.keys() ?? []) uses.set(name, (uses.get(name) ?? 0) + 1);
  const frequent = [...uses].toSorted(([, a], [, b]) => b - a).slice(0, MOST_COLUMNS);
  // In the order in which the lines have them.
  return [...uses.keys()].filter((name) => frequent.some(([each]) => each === name));
};

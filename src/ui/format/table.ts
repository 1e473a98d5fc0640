// Renders tables: aligned and cut to the width of a terminal, or tab-separated and complete in a pipe.
import type { Paint } from '../color.ts';
import { formatAgo, formatDuration } from './time.ts';
import type { CellKind, CellValue, Column, Surface } from './view.ts';
import { cutText, oneLine, padText, widthOf } from './width.ts';

const GAP = '  ';
/**
 * The steps for cutting a row until it fits: each step cuts the columns of one role down to a width. On a terminal an
 * id prefix is a valid reference, so ids are cut before names.
 */
const steps = [
  { role: 'text', least: 16 },
  { role: 'id', least: 9 },
  { role: 'text', least: 6 },
  { role: 'name', least: 6 },
] as const;
/** Smallest width to which a header is cut. */
const LEAST_HEADER = 4;

const tones: Readonly<Record<string, keyof Paint>> = {
  READY: 'green',
  COMPLETE: 'green',
  ERROR: 'red',
  SUBMITTED: 'yellow',
  RUNNING: 'cyan',
  BUSY: 'cyan',
  CANCELLED: 'dim',
  SHUTTING_DOWN: 'dim',
  SHUTDOWN_REQUESTED: 'dim',
  waiting: 'yellow',
  running: 'cyan',
  complete: 'green',
  delivered: 'green',
  sending: 'cyan',
  unknown: 'yellow',
  dropped: 'dim',
  cancelled: 'dim',
  halted: 'dim',
};

const FAILURE = /^(error|failed|timed out|out of) ?/;

const toneOf = (word: string): keyof Paint | undefined => {
  if (Object.hasOwn(tones, word)) return tones[word];
  return FAILURE.test(word) ? 'red' : undefined;
};

const colored = (text: string, word: string, kind: CellKind, paint: Paint): string => {
  const tone = kind === 'status' ? toneOf(word) : undefined;
  return tone === undefined ? text : paint[tone](text);
};

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Formats a number of bytes in steps of 1000: `512 B`, `1.2 MB`. */
export const formatBytes = (bytes: number): string => {
  let [amount, unit] = [bytes, 0];
  while (amount >= 1_000 && unit < byteUnits.length - 1) [amount, unit] = [amount / 1_000, unit + 1];
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${byteUnits[unit]}`;
};

/** The text of one cell on one line, without control characters: exact in a pipe, readable on a terminal. */
export const cellText = (value: CellValue, kind: CellKind, { tty, now }: Pick<Surface, 'tty' | 'now'>): string => {
  if (value === undefined || value === null || value === '') return tty ? '-' : '';
  if (!tty) return oneLine(String(value));
  if (kind === 'time') {
    const time = Date.parse(String(value));
    if (!Number.isNaN(time)) return formatAgo(time, now);
  }
  if (kind === 'duration' && typeof value === 'number') return formatDuration(value);
  if (kind === 'bytes' && typeof value === 'number') return formatBytes(value);
  return oneLine(String(value));
};

const cellOf = <T>(row: T, { value, kind = 'text', words, soFar }: Column<T>, surface: Surface): string => {
  if (words !== undefined) return oneLine(words(row));
  const cell = value(row);
  const text = cellText(cell, kind, surface);
  return surface.tty && typeof cell === 'number' && soFar?.(row) ? `${text} so far` : text;
};

/** The widths of a column: the width of its widest value, and the larger of that and the header. */
interface Widths {
  readonly values: number;
  readonly natural: number;
}

/**
 * Cuts headers that are wider than their values, then the widest columns, step by step, until the row fits. Columns
 * marked `whole` keep their width.
 */
const shrink = <T>(widths: readonly Widths[], columns: readonly Column<T>[], width: number): readonly number[] => {
  const fitted = widths.map(({ natural }) => natural);
  let excess = fitted.reduce((sum, each) => sum + each, GAP.length * (fitted.length - 1)) - width;
  /** @param leastOf smallest width of a column; Infinity keeps its width */
  const cut = (leastOf: (column: Column<T>, index: number) => number): void => {
    while (excess > 0) {
      let widest = -1;
      for (const [index, column] of columns.entries()) {
        const size = fitted[index] ?? 0;
        if (column.whole !== true && size > leastOf(column, index) && size > (fitted[widest] ?? 0)) widest = index;
      }
      if (widest === -1) return;
      fitted[widest] = (fitted[widest] ?? 0) - 1;
      excess -= 1;
    }
  };
  cut((_, index) => Math.max(LEAST_HEADER, widths[index]?.values ?? 0));
  for (const { role, least } of steps) {
    cut((column) => ((column.role ?? 'text') === role ? least : Number.POSITIVE_INFINITY));
  }
  return fitted;
};

/** The unit of the numbers of a column in a pipe, where they are exact. A terminal shows the unit with each value. */
const units: Partial<Readonly<Record<CellKind, string>>> = { duration: 'ms', bytes: 'bytes' };

const toTheRight = (kind: CellKind): boolean => kind === 'number' || kind === 'duration' || kind === 'bytes';

/** Renders a table without a trailing line end. Without rows it has the headers only. */
export const writeTable = <T>(rows: readonly T[], columns: readonly Column<T>[], surface: Surface): string => {
  const headers = columns.map(({ header }) => header);
  const cells = rows.map((row) => columns.map((column) => cellOf(row, column, surface)));
  if (!surface.tty) {
    const exact = columns.map(({ header, kind = 'text' }) =>
      [header, units[kind]?.toUpperCase() ?? ''].join(' ').trim(),
    );
    return [...(surface.headers ? [exact] : []), ...cells].map((row) => row.join('\t')).join('\n');
  }

  const natural = headers.map((header, index): Widths => {
    const values = cells.reduce((most, row) => Math.max(most, widthOf(row[index] ?? '')), 0);
    return { values, natural: surface.headers ? Math.max(values, widthOf(header)) : values };
  });
  const widths = shrink(natural, columns, surface.width);
  const line = (row: readonly string[], paintCell: (text: string, word: string, kind: CellKind) => string): string =>
    row
      .map((cell, index) => {
        const kind = columns[index]?.kind ?? 'text';
        const width = widths[index] ?? 0;
        const last = index === row.length - 1 && !toTheRight(kind);
        const cut = cutText(cell, width);
        return paintCell(last ? cut : padText(cut, width, toTheRight(kind) ? 'right' : 'left'), cell, kind);
      })
      .join(GAP)
      .trimEnd();
  return [
    ...(surface.headers ? [line(headers, (text) => surface.paint.bold(text))] : []),
    ...cells.map((row) => line(row, (text, word, kind) => colored(text, word, kind, surface.paint))),
  ].join('\n');
};

/** Renders one item as lines of name and value without a trailing line end. Fields without a value are left out. */
export const writeDetails = <T>(thing: T, columns: readonly Column<T>[], surface: Surface): string => {
  const rows = columns.flatMap((column) => {
    const { header, kind = 'text', value, exact = false, section } = column;
    const cell = value(thing);
    const name = exact ? oneLine(header) : header.toLowerCase();
    const unit = surface.tty ? undefined : units[kind];
    const title = unit === undefined ? name : `${name} ${unit}`;
    return cell === undefined || cell === null || cell === ''
      ? []
      : [{ title, kind, text: cellOf(thing, column, surface), section }];
  });
  const width = Math.max(0, ...rows.map(({ title }) => widthOf(title)));
  return rows
    .map(({ title, kind, text, section }, index) => {
      if (!surface.tty) return `${title}\t${text}`;
      const line = `${surface.paint.dim(padText(title, width))}${GAP}${colored(text, text, kind, surface.paint)}`;
      if (section === undefined || section === rows[index - 1]?.section) return line;
      return `${index === 0 ? '' : '\n'}${surface.paint.bold(section)}\n${line}`;
    })
    .join('\n');
};

// How things are looked at: formats, columns, views, and everything else that decides how a value becomes text.
import type { Paint } from '../color.ts';

/** What `-o` takes. */
export const outputFormats = ['table', 'wide', 'name', 'id', 'json', 'ndjson', 'yaml', 'env'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** What a cell may hold. `null`, `undefined` and empty text are shown as a dash. */
export type CellValue = string | number | boolean | null | undefined;

/**
 * How a cell is shown; the default is `text`. `time` takes ISO 8601 and `duration` milliseconds; on a terminal both are shown
 * for people ("3m ago", "1.2s"). `status` is coloured by its word. `bytes` takes a number of bytes.
 */
export type CellKind = 'text' | 'number' | 'time' | 'duration' | 'bytes' | 'status';

/** One column of a table, and one line of the view of a single thing. */
export interface Column<T> {
  /** Capital letters, as it stands above the column. */
  readonly header: string;
  readonly value: (row: T) => CellValue;
  readonly kind?: CellKind;
  /** Only in `-o wide` and in the view of a single thing. */
  readonly wide?: boolean;
  /** Never cut to the width of the terminal, because half of it is of no use: ids. */
  readonly whole?: boolean;
  /** In the view of a single thing the header is a name that somebody gave, and keeps its capital letters. */
  readonly exact?: boolean;
  /** In the view of a single thing on a terminal: the heading under which it stands. */
  readonly section?: string;
}

/** How a thing is shown to people, and which of its fields are its id and name. */
export interface View<T> {
  /** For `-o id` and `--quiet`. */
  readonly id: (row: T) => string;
  /** For `-o name`; the id when left out or empty. */
  readonly name?: (row: T) => string;
  readonly columns: readonly Column<T>[];
  /** Names of the top-level fields, for `--fields help` and for refusing others; whatever the rows have when left out. */
  readonly fields?: readonly string[];
}

/** Which rows of a list, in which order. */
export interface Selection {
  /** `key=value`, `key!=v`, `key~=regex`, `key>=v` …: same key = OR, different keys = AND. */
  readonly filters: readonly string[];
  /** `field,-field` */
  readonly sort?: string;
  readonly limit: number;
  readonly offset: number;
  /** Overrides limit and offset. */
  readonly all: boolean;
}

/** Where a table goes, and what it may look like there. */
export interface Surface {
  readonly headers: boolean;
  /** Whether stdout is a terminal: decides on alignment, cutting and relative times. */
  readonly tty: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  readonly paint: Paint;
  /** Milliseconds since the epoch, for relative times. */
  readonly now: number;
}

/** Everything that decides how a value becomes text. */
export interface RenderOptions extends Surface {
  readonly format: OutputFormat;
  /** Dotted paths to keep, or the one word `help`. */
  readonly fields?: readonly string[];
  readonly jq?: string;
  /** `--raw`: strings that `--jq` answers are printed without quotes. */
  readonly raw: boolean;
  readonly template?: string;
  /** Only for lists. */
  readonly selection?: Selection;
}

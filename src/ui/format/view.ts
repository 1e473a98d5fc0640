// Types of output: formats, columns, views, and all options of rendering.
import type { Paint } from '../color.ts';
import type { JqFilter } from './jq.ts';

export const outputFormats = ['table', 'wide', 'name', 'id', 'json', 'ndjson', 'yaml', 'env'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Value of a cell. `null`, `undefined` and empty text are shown as a dash. */
export type CellValue = string | number | boolean | null | undefined;

/**
 * How a cell is formatted; default `text`. `time` expects ISO 8601 and `duration` milliseconds; a terminal shows both
 * in readable form ("3m ago", "1.2s"). `status` is coloured by its value. `bytes` expects a number of bytes.
 */
export type CellKind = 'text' | 'number' | 'time' | 'duration' | 'bytes' | 'status';

/** One column of a table, and one line of the view of a single item. */
export interface Column<T> {
  /** Header in upper case. */
  readonly header: string;
  readonly value: (row: T) => CellValue;
  readonly kind?: CellKind;
  /** What people read instead of the value. JSON has the fields themselves. */
  readonly words?: (row: T) => string;
  /** True while the number still grows. A terminal adds "so far". */
  readonly soFar?: (row: T) => boolean;
  /** Shown only in `-o wide` and in the view of a single item. */
  readonly wide?: boolean;
  /** Left out of a list on a terminal, where the words of another column say it. */
  readonly inWords?: boolean;
  /** Never cut to the width of the terminal. For values that are useless in part. */
  readonly whole?: boolean;
  /** A narrow terminal cuts long text first, then ids (a prefix still resolves), then names. Absent: text. */
  readonly role?: 'id' | 'name';
  /** The header is a user-defined name. The view of a single item does not change its case. */
  readonly exact?: boolean;
  /** Heading above this line in the view of a single item on a terminal. */
  readonly section?: string;
}

export interface View<T> {
  /** Value for `-o id` and `--quiet`. */
  readonly id: (row: T) => string;
  /** Value for `-o name`. Absent or empty: the id. */
  readonly name?: (row: T) => string;
  readonly columns: readonly Column<T>[];
  /**
   * Names of the top-level fields, for `--fields help` and for refusing other names. Absent: the fields of the rows.
   */
  readonly fields?: readonly string[];
}

export interface Selection {
  /** `key=value`, `key!=v`, `key~=regex`, `key>=v` … */
  readonly filters: readonly string[];
  /** `field,-field` */
  readonly sort?: string;
  readonly limit: number;
  /** True if the user gave no limit. Then the output reports omitted rows. */
  readonly byDefault?: boolean;
  readonly offset: number;
  /** Overrides limit and offset. */
  readonly all: boolean;
}

/** The properties of the output stream for a table. */
export interface Surface {
  readonly headers: boolean;
  /** True if stdout is a terminal: then text is aligned and cut, and times are relative. */
  readonly tty: boolean;
  /** Width of the terminal in columns. */
  readonly width: number;
  readonly paint: Paint;
  /** Milliseconds since the epoch, for relative times. */
  readonly now: number;
}

export interface RenderOptions extends Surface {
  readonly format: OutputFormat;
  /** Dotted paths to keep, or only the word `help`. */
  readonly fields?: readonly string[];
  readonly jq?: JqFilter;
  /** `--raw`: strings from `--jq` are printed without quotes. */
  readonly raw: boolean;
  readonly template?: string;
  /** Only for lists. */
  readonly selection?: Selection;
  /** Called if the limit that applies by default leaves rows out. */
  readonly onCut?: () => void;
}

// A list that is printed again after every change.
import { knownFields, renderRows, renderValue } from './format/render.ts';
import { selectRows } from './format/select.ts';
import type { RenderOptions, View } from './format/view.ts';
import type { Sink } from './sink.ts';

/** Clears the terminal. */
const CLEAR = '\u001b[2J';

/** Draws the text from the upper left corner of the terminal, cut to its height, and clears the rest of each line. */
const redrawn = (text: string, height = 24): string => {
  const lines = text.split('\n').slice(0, height - 1);
  return `\u001b[H${lines.map((each) => `${each}\u001b[K\n`).join('')}\u001b[J`;
};

export interface WatchedListInput {
  readonly stdout: Sink;
  /** True to draw the whole list in place of the previous list. False to print only the changed rows. */
  readonly drawn: boolean;
  readonly machine: boolean;
  readonly options: () => RenderOptions;
  readonly line: (text: string) => void;
}

export const watchedList = <T>(view: View<T>, { stdout, drawn, machine, options, line }: WatchedListInput) => {
  let begun = false;
  return (rows: readonly T[], changed: readonly T[]): void => {
    const first = !begun;
    if (drawn) {
      begun = true;
      stdout.write(`${first ? CLEAR : ''}${redrawn(renderRows(rows, view, options()), stdout.rows)}`);
      return;
    }
    const { selection, headers, ...rest } = options();
    const shown = selection
      ? selectRows(changed, { ...selection, offset: 0, all: true }, knownFields(view, changed), rest.now)
      : changed;
    if (machine) {
      for (const row of shown) line(renderValue(row, { ...rest, headers, format: 'ndjson' }, view.fields));
      return;
    }
    if (shown.length === 0) return;
    begun = true;
    line(renderRows(shown, view, { ...rest, headers: first && headers }));
  };
};

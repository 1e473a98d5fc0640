// Which rows of a list are shown, and in which order: `--filter`, `--sort`, `--offset`, `--limit`, `--all`.
import { filterItems, parseFilter } from './filter.ts';
import { toJson } from './json.ts';
import { parseSort, sortItems } from './sort.ts';
import type { Selection } from './view.ts';

/**
 * Filters, then sorts, then cuts.
 * @param fields known field names; empty takes any
 * @param now milliseconds since the epoch
 * @throws USAGE on a filter or field that is not known
 */
export const selectRows = <T>(
  rows: readonly T[],
  selection: Selection,
  fields: readonly string[],
  now: number,
): readonly T[] => {
  const rules = selection.filters.map((text) => parseFilter(text, fields, now));
  const keys = selection.sort === undefined ? [] : parseSort(selection.sort, fields);
  // Rules look at the JSON of a row, callers get the row itself back.
  const origin = new Map(rows.map((row) => [toJson(row), row]));
  const ordered = sortItems(filterItems([...origin.keys()], rules), keys);
  const shown = selection.all ? ordered : ordered.slice(selection.offset, selection.offset + selection.limit);
  return shown.flatMap((item) => {
    const row = origin.get(item);
    return row === undefined ? [] : [row];
  });
};

// Selects and orders the rows of a list: `--filter`, `--sort`, `--offset`, `--limit`, `--all`.
import { filterItems, parseFilter } from './filter.ts';
import { toJson } from './json.ts';
import { snakeKeys } from './names.ts';
import { parseSort, sortItems } from './sort.ts';
import type { Selection } from './view.ts';

/**
 * Filters, then sorts, then applies offset and limit.
 * @param fields known field names; empty allows any
 * @param now milliseconds since the epoch
 * @param onCut called if the limit that applies by default leaves rows out
 * @throws USAGE for an invalid filter or an unknown field
 */
export const selectRows = <T>(
  rows: readonly T[],
  selection: Selection,
  fields: readonly string[],
  now: number,
  onCut: () => void = () => undefined,
): readonly T[] => {
  const rules = selection.filters.map((text) => parseFilter(text, fields, now));
  const keys = selection.sort === undefined ? [] : parseSort(selection.sort, fields);
  // Filters are applied to the JSON of a row, as it is printed. The result contains the original rows.
  const origin = new Map(rows.map((row) => [toJson(snakeKeys(row)), row]));
  const ordered = sortItems(filterItems([...origin.keys()], rules), keys);
  const end = selection.offset + selection.limit;
  const shown = selection.all ? ordered : ordered.slice(selection.offset, end);
  if (!selection.all && selection.byDefault && ordered.length > end) onCut();
  return shown.flatMap((item) => {
    const row = origin.get(item);
    return row === undefined ? [] : [row];
  });
};

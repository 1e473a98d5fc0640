// Selects and orders the rows of a list: `--filter`, `--sort`, `--offset`, `--limit`, `--all`.

import { checkField } from './fields.ts';
import { filterItems, parseFilter } from './filter.ts';
import { compareJson, type Json, readPath, toJson } from './json.ts';
import { snakeKeys } from './names.ts';
import type { Selection } from './view.ts';

interface SortKey {
  readonly path: readonly string[];
  readonly descending: boolean;
}

const parseSort = (text: string, known: readonly string[]): readonly SortKey[] =>
  text
    .split(/[\s,]+/)
    .filter((word) => word !== '')
    .map((word) => {
      const descending = word.startsWith('-');
      return { path: checkField(descending ? word.slice(1) : word, known, '--sort'), descending };
    });

/** A sorted copy. Equal items keep their order. Items without the field are last in both directions. */
const sortItems = (items: readonly Json[], keys: readonly SortKey[]): readonly Json[] =>
  [...items].sort((a, b) => {
    for (const { path, descending } of keys) {
      const left = readPath(a, path) ?? null;
      const right = readPath(b, path) ?? null;
      if (left === null && right === null) continue;
      if (left === null) return 1;
      if (right === null) return -1;
      const order = compareJson(left, right);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });

/**
 * Filters, then sorts, then applies offset and limit.
 * @param fields known field names; empty allows any
 * @param now milliseconds since the epoch
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

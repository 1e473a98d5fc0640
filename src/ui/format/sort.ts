// Sorts a list by `--sort field,-field`.
import { checkField } from './fields.ts';
import { compareJson, type Json, readPath } from './json.ts';

/** One field to sort by. */
export interface SortKey {
  readonly path: readonly string[];
  readonly descending: boolean;
}

/**
 * Parses `--sort`.
 * @throws USAGE for an unknown field
 */
export const parseSort = (text: string, known: readonly string[]): readonly SortKey[] =>
  text
    .split(/[\s,]+/)
    .filter((word) => word !== '')
    .map((word) => {
      const descending = word.startsWith('-');
      return { path: checkField(descending ? word.slice(1) : word, known, '--sort'), descending };
    });

/** A sorted copy. Equal items keep their order. Items without the field are last in both directions. */
export const sortItems = (items: readonly Json[], keys: readonly SortKey[]): readonly Json[] =>
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

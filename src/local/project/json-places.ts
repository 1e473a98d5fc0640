// Finds the places of values in a JSON file, for messages about them.
import { scanJson } from '../../contract/json-scanner.ts';
import { lineAndColumn, withoutMark } from '../written-json.ts';
import type { ProjectPlaces } from './project-check.ts';
import type { Path } from './project-text.ts';

interface Container {
  /** The index in a list. Undefined in an object. */
  index?: number;
  name: string;
  nameAt: number;
  expectsName: boolean;
}

interface Found {
  readonly depth: number;
  readonly start: number;
  readonly end: number;
  readonly nameAt: number;
}

/** The value at a path, or the innermost one around it that exists. @param text valid JSON */
const findAt = (text: string, path: Path): Found => {
  const around: Container[] = [];
  let found: Found = { depth: 0, start: 0, end: 0, nameAt: 0 };
  const meet = (start: number, end: number): void => {
    const isOnPath =
      around.length <= path.length &&
      around.every(({ index, name }, depth) => String(index ?? name) === String(path[depth]));
    if (isOnPath && around.length >= found.depth)
      found = { depth: around.length, start, end, nameAt: around.at(-1)?.nameAt ?? start };
  };
  scanJson(text, (first, start, end) => {
    const inner = around.at(-1);
    if (first === ':') return true;
    if (first === '}' || first === ']') around.pop();
    else if (first === ',' && inner !== undefined) {
      if (inner.index === undefined) inner.expectsName = true;
      else {
        inner.index += 1;
        inner.nameAt = end;
      }
    } else if (inner?.expectsName) {
      inner.name = String(JSON.parse(text.slice(start, end)));
      inner.nameAt = start;
      inner.expectsName = false;
    } else {
      if (inner?.index !== undefined) inner.nameAt = start;
      meet(start, end);
      if (first === '{') around.push({ name: '', nameAt: start, expectsName: true });
      if (first === '[') around.push({ index: 0, name: '', nameAt: start, expectsName: false });
    }
    return true;
  });
  return found;
};

/** @param written valid JSON; it may begin with a byte order mark */
export const jsonPlaces = (file: string, written: string): ProjectPlaces => {
  const text = withoutMark(written);
  const place = (offset: number): string => `${file}:${lineAndColumn(text, offset)}`;
  return {
    isJson: true,
    at: (path) => place(findAt(text, path).start),
    atKey: (path) => {
      const { depth, start, nameAt } = findAt(text, path);
      return place(depth === path.length ? nameAt : start);
    },
    written: (path) => {
      const { depth, start, end } = findAt(text, path);
      return depth === path.length && !/[[{]/.test(text.charAt(start)) ? text.slice(start, end) : undefined;
    },
  };
};

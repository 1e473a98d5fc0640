// Places in a JSON file: those that the reader of project files finds with a library.
import { expect, it } from 'vitest';
import { jsonPlaces } from '../../../src/local/project/json-places.ts';
import { parseProjectText } from '../../../src/local/project/project-text.ts';

const text = `{
  "name": "one", "memory": 1.10,\r
  "permissions": {"ana": "READ",
    "a\\u0062c": {"deep": [1, {"x": null, "y": [true, []]}, "s"]}},
  "empty": {}, "list": [], "last": -1e3
}
`;

const paths = [
  ...[[], ['name'], ['memory'], ['permissions'], ['permissions', 'ana'], ['permissions', 'abc', 'deep']],
  ...[1, 2].map((index) => ['permissions', 'abc', 'deep', index]),
  ...['x', 'y'].map((name) => ['permissions', 'abc', 'deep', 1, name]),
  ...[['permissions', 'abc', 'deep', 1, 'y', 1], ['empty'], ['list'], ['last'], ['empty', 'none'], ['none']],
];

it.each(['', '\ufeff'])('are those of the library, after the mark "%s"', (mark) => {
  const [own, library] = [jsonPlaces('a.json', `${mark}${text}`), parseProjectText('a.json', text)];
  for (const path of paths) {
    expect([path, own.at(path)]).toEqual([path, library.at(path)]);
    expect([path, own.atKey(path)]).toEqual([path, library.atKey(path)]);
  }
  expect(own.written(['memory'])).toBe('1.10');
  expect(own.written(['last'])).toBe('-1e3');
  for (const path of [['empty'], ['none'], ['list']]) expect(own.written(path)).toBeUndefined();
});

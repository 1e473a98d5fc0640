// Reads values whose shape is not certain: responses of an engine, errors of the system, files of other programs.
import { readFile } from 'node:fs/promises';

/** The value at the path `keys` inside `value`. Undefined if a key is missing. Array indexes are keys too. */
export const readField = (value: unknown, ...keys: readonly string[]): unknown => {
  let at = value;
  for (const key of keys) at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined;
  return at;
};

/** The value of JSON text; undefined if the text is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A list of texts. The input may also be a single text or absent. */
export const textList = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String) : typeof value === 'string' && value !== '' ? [value] : [];

export const errorCode = (error: unknown): unknown => readField(error, 'code');

export const readTextFile = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
};

// Writes one object as shell assignments: `NAME='value'`.
import { usage } from '../../failure.ts';
import { stripControl } from '../text.ts';
import { isObject, type Json } from './json.ts';

const nameOf = (key: string): string =>
  key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();

/** Quotes a value as one shell word in which nothing is expanded. */
const quote = (text: string): string =>
  /^[A-Za-z0-9_.:/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Writes an object as assignments: upper-case names, names of inner objects joined by `_`, lists as JSON, null left
 * out.
 * @throws USAGE if the value is not an object
 */
export const writeEnv = (value: Json): string => {
  if (!isObject(value)) throw usage('"-o env" can only write one object', 'use -o json, or show a single object');
  const lines: string[] = [];
  const walk = (object: { readonly [key: string]: Json }, prefix: string): void => {
    for (const [key, item] of Object.entries(object)) {
      const name = nameOf(key);
      if (name === '' || item === null) continue;
      const whole = /^\d/.test(prefix + name) ? `_${prefix}${name}` : `${prefix}${name}`;
      if (isObject(item)) walk(item, `${whole}_`);
      else lines.push(`${whole}=${quote(stripControl(typeof item === 'string' ? item : JSON.stringify(item)))}`);
    }
  };
  walk(value, '');
  return lines.join('\n');
};

// JSON values as YAML 1.2 that YAML 1.1 readers understand alike.
import { isList, isObject, type Json, writeJson } from './json.ts';

/** Texts that need no quotes: they begin with a letter and hold nothing that YAML acts on. */
const bare = /^[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*$/;

/** Words that some version of YAML reads as something else than text. */
const reserved = /^(?:true|false|yes|no|on|off|y|n|null|nan|inf)$/i;

/** JSON's quoted form is also YAML's double-quoted form. */
const writeText = (text: string): string => (bare.test(text) && !reserved.test(text) ? text : writeJson(text, 0));

const isEmpty = (value: Json): boolean =>
  isList(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

const isBranch = (value: Json): boolean => (isList(value) || isObject(value)) && !isEmpty(value);

const lines = (value: Json, indent: string): string[] => {
  if (isList(value) && value.length > 0) {
    return value.flatMap((item) => {
      if (!isBranch(item)) return [`${indent}- ${lines(item, '')[0] ?? ''}`];
      const [first = '', ...rest] = lines(item, `${indent}  `);
      return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
    });
  }
  if (isObject(value) && !isEmpty(value)) {
    return Object.entries(value).flatMap(([key, item]) => {
      const name = `${indent}${writeText(key)}:`;
      return isBranch(item) ? [name, ...lines(item, `${indent}  `)] : [`${name} ${lines(item, '')[0] ?? ''}`];
    });
  }
  if (isList(value)) return ['[]'];
  if (isObject(value)) return ['{}'];
  if (typeof value === 'string') return [writeText(value)];
  // YAML 1.1 takes 7e-3 for a text, 7.0e-3 for a number.
  return [JSON.stringify(value).replace(/^(-?\d+)e/, '$1.0e')];
};

/** Writes a value as a YAML document without a trailing line end. */
export const writeYaml = (value: Json): string => lines(value, '').join('\n');

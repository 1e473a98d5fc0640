// Writes JSON values as YAML that YAML 1.1 and 1.2 readers understand alike.
import { isList, isObject, type Json, jsonText, writeJson } from './json.ts';

/** Texts that need no quotes: they start with a letter and have no character with a meaning in YAML. */
const bare = /^[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*$/;

/** Words that some version of YAML does not read as text. */
const reserved = /^(?:true|false|yes|no|on|off|y|n|null|nan|inf)$/i;

/** The JSON form of a string is also a YAML double-quoted string. */
const writeText = (text: string): string => (bare.test(text) && !reserved.test(text) ? text : writeJson(text, false));

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
  // YAML 1.1 reads 7e-3 and 7.0e3 as text but 7.0e-3 and 7.0e+3 as numbers.
  return [
    jsonText(value)
      .replace(/^(-?\d+)(?=e)/i, '$1.0')
      .replace(/e(?=\d)/i, 'e+'),
  ];
};

/** Writes a value as a YAML document without a trailing line end. */
export const writeYaml = (value: Json): string => lines(value, '').join('\n');

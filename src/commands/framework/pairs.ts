// Parses NAME=VALUE pairs from the command line.
import { VARIABLE_NAME } from '../../contract/variable-name.ts';
import { usage } from '../../failure.ts';
import { NAME_RULE } from '../../local/project/env-file.ts';

/** Splits NAME=VALUE at the first `=`. @throws USAGE with the name of the flag */
export const readPair = (text: string, flag: string): readonly [string, string] => {
  const at = text.indexOf('=');
  if (at <= 0) throw usage(`${flag}: "${text}" is not NAME=VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
};

/** Parses several pairs. If a name repeats, the last value is used. @throws USAGE with the name of the flag */
export const readPairs = (texts: readonly string[], flag: string): Readonly<Record<string, string>> =>
  Object.fromEntries(texts.map((text) => readPair(text, flag)));

/** Splits the pairs of a flag that sets environment variables. @throws USAGE with the name of the flag */
export const readVariablePairs = (texts: readonly string[], flag: string): readonly (readonly [string, string])[] => {
  const pairs = texts.map((text) => readPair(text, flag));
  const wrong = pairs.find(([name]) => !VARIABLE_NAME.test(name))?.[0];
  if (wrong !== undefined) throw usage(`${flag}: "${wrong}" is not the name of a variable`, NAME_RULE);
  return pairs;
};

/** Parses the pairs. If a name repeats, the last value is used. @throws USAGE with the name of the flag */
export const readVariables = (texts: readonly string[], flag: string): Readonly<Record<string, string>> =>
  Object.fromEntries(readVariablePairs(texts, flag));

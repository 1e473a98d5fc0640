// Parses NAME=VALUE pairs from the command line and from env files.
import { usage } from '../../failure.ts';

/** Splits NAME=VALUE at the first `=`. @throws USAGE with the name of the flag */
export const readPair = (text: string, flag: string): readonly [string, string] => {
  const at = text.indexOf('=');
  if (at <= 0) throw usage(`${flag}: "${text}" is not NAME=VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
};

/** Parses several pairs. If a name repeats, the last value is used. @throws USAGE with the name of the flag */
export const readPairs = (texts: readonly string[], flag: string): Readonly<Record<string, string>> =>
  Object.fromEntries(texts.map((text) => readPair(text, flag)));

/**
 * Parses a file of variables as docker does: one NAME=VALUE per line, quotes are part of the value, lines that begin
 * with `#` are comments.
 * @throws USAGE with the line number
 */
export const readEnvFile = (content: string, flag: string): Readonly<Record<string, string>> => {
  const lines = content.replace(/^\ufeff/, '').split(/\r?\n/);
  return Object.fromEntries(
    lines.flatMap((line, index) =>
      /^\s*(?:#|$)/.test(line) ? [] : [readPair(line.trimStart(), `${flag}, line ${index + 1}`)],
    ),
  );
};

// `K=V` as people give it on the command line and in files.
import { usage } from '../../failure.ts';

/** Splits `K=V` at the first `=`. @throws USAGE naming the flag */
export const readPair = (text: string, flag: string): readonly [string, string] => {
  const at = text.indexOf('=');
  if (at <= 0) throw usage(`${flag}: '${text}' is not NAME=VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
};

/** Reads several pairs; of the same name the last one counts. @throws USAGE naming the flag */
export const readPairs = (texts: readonly string[], flag: string): Readonly<Record<string, string>> =>
  Object.fromEntries(texts.map((text) => readPair(text, flag)));

/**
 * Reads a file of variables as docker does: one `NAME=VALUE` a line, nothing unquoted, `#` begins a comment line.
 * @throws USAGE naming the line
 */
export const readEnvFile = (content: string, flag: string): Readonly<Record<string, string>> => {
  const lines = content.replace(/^\ufeff/, '').split(/\r?\n/);
  return Object.fromEntries(
    lines.flatMap((line, index) =>
      /^\s*(?:#|$)/.test(line) ? [] : [readPair(line.trimStart(), `${flag}, line ${index + 1}`)],
    ),
  );
};

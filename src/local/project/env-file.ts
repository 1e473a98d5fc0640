// Parses files of environment variables.
import { VARIABLE_NAME } from '../../contract/variable-name.ts';
import { usage } from '../../failure.ts';

export const NAME_RULE = 'a name has letters, digits and underscores, and does not begin with a digit';

/** A line of an env file. Messages do not quote it, because it may be a part of a secret with several lines. */
const readLine = (line: string, place: string): readonly [string, string] => {
  const at = line.indexOf('=');
  const name = line.slice(0, Math.max(0, at));
  if (VARIABLE_NAME.test(name)) return [name, line.slice(at + 1)];
  const exported = /^export\s+(.*)$/.exec(at < 0 ? line : name)?.[1] ?? '';
  if (VARIABLE_NAME.test(exported))
    throw usage(
      `${place}: "export" is not allowed, because the file is not a shell script and quotes are part of the value`,
      `write ${exported}=VALUE`,
    );
  throw at < 0
    ? usage(`${place}: the line is not NAME=VALUE`, 'a value has one line, and a comment begins with #')
    : usage(`${place}: the text before "=" is not the name of a variable`, NAME_RULE);
};

/**
 * Parses a file of variables as docker does: one NAME=VALUE per line, quotes are part of the value, lines that begin
 * with `#` are comments.
 * @param source name of the file for messages
 * @throws USAGE with the file and the line
 */
export const readEnvFile = (content: string, source: string): Readonly<Record<string, string>> => {
  const lines = content.replace(/^\ufeff/, '').split(/\r?\n/);
  return Object.fromEntries(
    lines.flatMap((line, index) =>
      /^\s*(?:#|$)/.test(line) ? [] : [readLine(line.trimStart(), `${source}:${index + 1}`)],
    ),
  );
};

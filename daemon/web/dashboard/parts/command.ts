// Command lines of actorctl, quoted for a POSIX shell.
import { safe, withoutUnsafe } from './text.ts';

/** Words that a shell takes literally. A leading `=` has a special meaning in zsh. */
const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+:,./=-]*$/;

const escapeOf = (character: string): string =>
  [...new TextEncoder().encode(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');

/**
 * Quotes a word with single quotes if needed. Characters that would hide or reorder the line are escaped as in
 * `$'\x0a'`.
 */
export const quoted = (word: string): string => {
  if (PLAIN.test(word)) return word;
  if (safe(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  return `$'${withoutUnsafe(word.replaceAll('\\', '\\\\').replaceAll("'", "\\'"), escapeOf)}'`;
};

/** A name, preceded by `--` if it begins like a flag. Only other names may follow it on the command line. */
export const nameWords = (name: string): readonly string[] => (name.startsWith('-') ? ['--', name] : [name]);

export const commandLine = (...words: readonly (string | undefined)[]): string =>
  ['actorctl', ...words.flatMap((word) => (word === undefined ? [] : [quoted(word)]))].join(' ');

// Command lines of actorctl, quoted for a POSIX shell.

/** Words that a shell takes literally. A leading `=` has a meaning in zsh. */
const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+:,./=-]*$/;

/** A word in single quotes, if it needs them. Control characters are shown as `$'\n'` does. */
export const quoted = (word: string): string => {
  if (PLAIN.test(word)) return word;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape
  if (!/[\u0000-\u001f\u007f]/.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const escaped = word
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape
    .replace(/[\u0000-\u001f\u007f]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `$'${escaped}'`;
};

/** A name that may begin like a flag, after `--` if it does. Only names may follow it. */
export const nameWords = (name: string): readonly string[] => (name.startsWith('-') ? ['--', name] : [name]);

/** @returns `actorctl` with the words */
export const commandLine = (...words: readonly (string | undefined)[]): string =>
  ['actorctl', ...words.flatMap((word) => (word === undefined ? [] : [quoted(word)]))].join(' ');

/** A text as one word of a POSIX shell, always in quotes. */
export const singleQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A text as one word of a POSIX shell, in quotes only if it needs them. */
export const shellWord = (text: string): string => (/^[\w./:@-]+$/.test(text) ? text : singleQuoted(text));

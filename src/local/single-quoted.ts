/** A text as one word of a POSIX shell. */
export const singleQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

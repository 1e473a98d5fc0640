// Makes untrusted text safe for a terminal.

/**
 * Escape sequences: CSI, then OSC and the other strings up to their end, then two-character sequences. Linear time,
 * because no repeat is nested.
 */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this pattern is for
  /(?:\u001b\[|\u009b)[0-?]{0,64}[ -/]{0,16}[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]{0,4096}(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]{0,4}[0-~]/g;

/** C0 except tab and line feed, DEL, C1, line separators, and characters that change the text direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this pattern is for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Matches most text of most commands. This pattern compiles faster than the patterns above. */
const PLAIN = /^[\t\n -~]*$/;

/**
 * Removes characters that could control a terminal or fake a line. Tabs and line breaks stay.
 * @see docs/conformance/security.md R163
 */
export const stripControl = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(SEQUENCES, '').replace(CONTROLS, '');

/** Escapes characters in JSON text that could control a terminal. The parsed value stays the same. */
export const escapeControl = (json: string): string =>
  json.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A number with its noun: `1 token`, `2 tokens`. */
export const plural = (count: number, noun: string, many = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : many}`;

// Parses JSON from requests: UTF-8 only, limited depth, any JSON value.
import { Failure } from '../../domain/failure.ts';
import { JSON_DEPTH } from './limits.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/** JSON.parse accepts deeper texts, but JSON.stringify would overflow the stack on them. */
const isTooDeep = (text: string): boolean => {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (quoted) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    else if (OPENING.has(code)) {
      depth += 1;
      if (depth > JSON_DEPTH) return true;
    } else if (CLOSING.has(code)) depth -= 1;
  }
  return false;
};

const decoder = new TextDecoder('utf-8', { fatal: true });
const exactDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8. A byte order mark at the start is removed unless `exact` is true.
 * @throws Failure MALFORMED_BODY if the bytes are not UTF-8
 */
export const decodeUtf8 = (bytes: Uint8Array, { exact = false } = {}): string => {
  try {
    return (exact ? exactDecoder : decoder).decode(bytes);
  } catch {
    throw new Failure('MALFORMED_BODY', 'The body is not UTF-8 text. Send it as UTF-8.');
  }
};

/**
 * The parser's message without the quoted part of the text, which may contain a password.
 * @see auth.md R116
 */
const reason = (error: unknown): string => {
  const said = error instanceof Error ? error.message : String(error);
  return said.endsWith('is not valid JSON')
    ? (/^Unexpected token '.{1,2}'/u.exec(said)?.[0] ?? 'it is not JSON')
    : said;
};

/**
 * Parses any JSON value, scalars included. A member named `__proto__` is an ordinary property, so copy objects with
 * spread or defineProperty, never with Object.assign.
 * @throws Failure MALFORMED_BODY
 * @see auth.md R112
 */
export const parseJson = (bytes: Uint8Array): unknown => {
  const text = decodeUtf8(bytes);
  if (isTooDeep(text)) {
    throw new Failure('MALFORMED_BODY', `The JSON body is nested deeper than ${JSON_DEPTH} levels. Flatten it.`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure(
      'MALFORMED_BODY',
      `The body is malformed JSON: ${reason(error)}. Check it with a JSON tool and send it again.`,
    );
  }
};

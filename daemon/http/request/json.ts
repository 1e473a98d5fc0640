// Parses JSON from requests: UTF-8 only, limited depth, any JSON value.
import { isNestedDeeper, JSON_DEPTH } from '../../../src/contract/json-scanner.ts';
import { Failure } from '../../domain/failure.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });
const exactDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const notUtf8 = () => new Failure('MALFORMED_BODY', 'The body is not UTF-8 text. Send it as UTF-8.');

/** Decodes UTF-8. A byte order mark at the start is removed unless `exact` is true. @throws Failure MALFORMED_BODY */
export const decodeUtf8 = (bytes: Uint8Array, { exact = false } = {}): string => {
  try {
    return (exact ? exactDecoder : decoder).decode(bytes);
  } catch {
    throw notUtf8();
  }
};

/** Checks a text that arrives in pieces. Both functions throw Failure MALFORMED_BODY if it is not UTF-8. */
export const utf8Check = (): { next(piece: Uint8Array): void; end(): void } => {
  const pieces = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decode = (piece: Uint8Array | undefined): void => {
    try {
      pieces.decode(piece, { stream: piece !== undefined });
    } catch {
      throw notUtf8();
    }
  };
  return { next: decode, end: () => decode(undefined) };
};

/** The parser's error message without the quoted input, which may contain a password. @see docs/conformance/security.md R116 */
const reason = (error: unknown): string => {
  const said = error instanceof Error ? error.message : String(error);
  return said.endsWith('is not valid JSON')
    ? (/^Unexpected token '.{1,2}'/u.exec(said)?.[0] ?? 'it is not JSON')
    : said;
};

/**
 * Parses any JSON value, scalars included. A member named `__proto__` is an ordinary property, so copy objects with
 * spread or defineProperty, never with Object.assign.
 * @see docs/conformance/security.md R112
 */
export const parseJson = (bytes: Uint8Array): unknown => {
  const text = decodeUtf8(bytes);
  // Deeper nesting would pass JSON.parse and then overflow the stack of JSON.stringify.
  if (isNestedDeeper(text, JSON_DEPTH)) {
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

// Parses forms (urlencoded and multipart) and query strings. A repeated name becomes a list.
import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../../domain/failure.ts';
import { decodeUtf8 } from './json.ts';

/** The fields of a form. The object has no prototype, so that names such as `__proto__` are safe. */
export type FormFields = Record<string, string | string[]>;

const malformed = (why: string) => new Failure('MALFORMED_BODY', `The form body is malformed: ${why}.`);

const tooMany = (limit: number) =>
  new Failure('PAYLOAD_TOO_LARGE', `The form has more than ${limit} fields. Send fewer.`);

/** Decodes one name or value of a urlencoded form. Undefined if a percent-escape is broken or not UTF-8. */
export const decodeFormPart = (part: string): string | undefined => {
  const spaced = part.includes('+') ? part.replaceAll('+', ' ') : part;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
};

const add = (fields: FormFields, name: string, value: string): void => {
  const present = fields[name];
  if (present === undefined) fields[name] = value;
  else if (Array.isArray(present)) present.push(value);
  else fields[name] = [present, value];
};

const BROKEN_ESCAPE = 'a percent-escape in it is broken or not UTF-8';

/** Parses `a=b&c=d`. Returns `broken` for an escape that cannot be decoded, `many` for more than `limit` fields. */
const parsePairs = (text: string, limit: number): FormFields | 'broken' | 'many' => {
  const fields: FormFields = Object.create(null);
  if (text === '') return fields;
  const parts = text.split('&', limit + 1);
  if (parts.length > limit) return 'many';
  for (const part of parts) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decodeFormPart(equals === -1 ? part : part.slice(0, equals));
    const value = equals === -1 ? '' : decodeFormPart(part.slice(equals + 1));
    if (name === undefined || value === undefined) return 'broken';
    add(fields, name, value);
  }
  return fields;
};

/**
 * Parses a form. Brackets in names have no meaning.
 * @throws Failure MALFORMED_BODY, PAYLOAD_TOO_LARGE (more than `limit` fields)
 */
export const parseForm = (bytes: Uint8Array, limit: number): FormFields => {
  const fields = parsePairs(decodeUtf8(bytes), limit);
  if (fields === 'broken') throw malformed(BROKEN_ESCAPE);
  if (fields === 'many') throw tooMany(limit);
  return fields;
};

/**
 * Parses a query. Nothing is dropped silently.
 * @throws Failure VALIDATION for a broken escape or more than `limit` parameters
 */
export const parseQuery = (query: string, limit: number): FormFields => {
  const fields = parsePairs(query, limit);
  if (fields === 'broken') throw new Failure('VALIDATION', `The query is malformed: ${BROKEN_ESCAPE}.`);
  if (fields === 'many') throw new Failure('VALIDATION', `The query has more than ${limit} parameters. Send fewer.`);
  return fields;
};

/**
 * Parses a multipart form. Files are refused.
 * @throws Failure MALFORMED_BODY, PAYLOAD_TOO_LARGE (more than `limit` fields)
 */
export const parseMultipart = async (
  bytes: Uint8Array,
  headers: IncomingHttpHeaders,
  limit: number,
): Promise<FormFields> => {
  // Loaded on demand: hardly any client sends multipart.
  const { default: busboy } = await import('busboy');
  return new Promise((resolve, reject) => {
    const fields: FormFields = Object.create(null);
    try {
      const parser = busboy({
        headers,
        limits: { fields: limit, fieldNameSize: 1_024, fieldSize: bytes.length, files: 1, headerPairs: 100 },
      });
      parser.on('field', (name, value) => add(fields, name, value));
      parser.on('file', (name, stream) => {
        stream.resume();
        reject(malformed(`the part "${name}" is a file; send it as a field`));
      });
      parser.on('fieldsLimit', () => reject(tooMany(limit)));
      parser.on('error', (error) => reject(malformed(error instanceof Error ? error.message : 'it is incomplete')));
      parser.on('close', () => resolve(fields));
      parser.end(bytes);
    } catch (error) {
      reject(malformed(error instanceof Error ? error.message : String(error)));
    }
  });
};

// Reads forms, urlencoded and multipart, and queries, into texts by name; a repeated name becomes a list.
import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../../domain/failure.ts';
import { decodeUtf8 } from './json.ts';

/** The fields of a form; the object has no prototype, so no name is special. */
export type FormFields = Record<string, string | string[]>;

const malformed = (why: string) => new Failure('MALFORMED_BODY', `The form body is malformed: ${why}.`);

const tooMany = (limit: number) => new Failure('PAYLOAD_TOO_LARGE', `The form has more than ${limit} fields.`);

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

/** The fields of `a=b&c=d`, or why there are none: an escape that cannot be decoded, more than `limit` of them. */
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
 * Reads `application/x-www-form-urlencoded`. Brackets in names mean nothing.
 * @throws Failure MALFORMED_BODY for a broken escape, PAYLOAD_TOO_LARGE for more than `limit` fields
 */
export const parseForm = (bytes: Uint8Array, limit: number): FormFields => {
  const fields = parsePairs(decodeUtf8(bytes), limit);
  if (fields === 'broken') throw malformed(BROKEN_ESCAPE);
  if (fields === 'many') throw tooMany(limit);
  return fields;
};

/**
 * Reads a query, without its question mark.
 * @throws Failure VALIDATION for a broken escape and for more than `limit` parameters: nothing is changed or cut silently
 */
export const parseQuery = (query: string, limit: number): FormFields => {
  const fields = parsePairs(query, limit);
  if (fields === 'broken') throw new Failure('VALIDATION', `The query is malformed: ${BROKEN_ESCAPE}.`);
  if (fields === 'many') throw new Failure('VALIDATION', `The query has more than ${limit} parameters. Send fewer.`);
  return fields;
};

/**
 * Reads `multipart/form-data` whose parts are all fields.
 * @throws Failure MALFORMED_BODY for a broken body or a part that is a file, PAYLOAD_TOO_LARGE for more than `limit` fields
 */
export const parseMultipart = async (
  bytes: Uint8Array,
  headers: IncomingHttpHeaders,
  limit: number,
): Promise<FormFields> => {
  // Loaded at the first need: hardly any client sends multipart.
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
      parser.on('error', (error) => reject(malformed(error instanceof Error ? error.message : 'it breaks off')));
      parser.on('close', () => resolve(fields));
      parser.end(bytes);
    } catch (error) {
      reject(malformed(error instanceof Error ? error.message : String(error)));
    }
  });
};

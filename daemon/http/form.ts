// Reads forms, urlencoded and multipart, into texts by name; a repeated name becomes a list.
import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../domain/failure.ts';
import { decodeUtf8 } from './json.ts';

/** The fields of a form; the object has no prototype, so no name is special. */
export type FormFields = Record<string, string | string[]>;

const malformed = (why: string) => new Failure('MALFORMED_BODY', `The form body is malformed: ${why}.`);

const tooMany = (limit: number) => new Failure('PAYLOAD_TOO_LARGE', `The form has more than ${limit} fields.`);

const unescapePart = (part: string): string => {
  const spaced = part.includes('+') ? part.replaceAll('+', ' ') : part;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw malformed('a percent-escape in it is broken or not UTF-8');
  }
};

const add = (fields: FormFields, name: string, value: string): void => {
  const present = fields[name];
  if (present === undefined) fields[name] = value;
  else if (Array.isArray(present)) present.push(value);
  else fields[name] = [present, value];
};

/**
 * Reads `application/x-www-form-urlencoded`. Brackets in names mean nothing.
 * @throws Failure MALFORMED_BODY for a broken escape, PAYLOAD_TOO_LARGE for more than `limit` fields
 */
export const parseForm = (bytes: Uint8Array, limit: number): FormFields => {
  const fields: FormFields = Object.create(null);
  const text = decodeUtf8(bytes);
  if (text === '') return fields;
  const parts = text.split('&', limit + 1);
  if (parts.length > limit) throw tooMany(limit);
  for (const part of parts) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    if (equals === -1) add(fields, unescapePart(part), '');
    else add(fields, unescapePart(part.slice(0, equals)), unescapePart(part.slice(equals + 1)));
  }
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

// Reads a message and the variables of its execution from the body and the query of a request.
import { steeringParameters } from '../../../src/contract/actors/messages.ts';
import type { Dialect } from '../../../src/contract/dialect.ts';
import { jsonMember } from '../../../src/contract/json-scanner.ts';
import { NONCE_PARAMETER } from '../../../src/contract/operation.ts';
import type { StoredBody } from '../../ports/bodies.ts';
import { isClosedToSenders, isReservedVariable, isVariableName } from '../actors/variable-name.ts';
import { Failure } from '../failure.ts';
import { pythonRepr } from '../legacy/python-text.ts';
import type { MessageRecord } from '../records/actor-records.ts';

/** Name of the message type in the API, by content type. */
export const messageTypes = { str: 'text', 'application/json': 'json', 'application/octet-stream': 'binary' } as const;

export type BodyReading = 'form' | 'multipart' | 'json' | 'text' | 'binary';

/** A parsed request body. `none` if it is empty. Large text and bytes are in a `file`. */
export type MessageBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'file'; readonly reading: 'text' | 'binary'; readonly body: StoredBody }
  | { readonly kind: 'form'; readonly message: string | undefined }
  | { readonly kind: 'json'; readonly text: string; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary'; readonly bytes: Uint8Array };

export interface Message {
  readonly contentType: MessageRecord['contentType'];
  /** Text for `str`, the original JSON text for JSON, bytes for binary. Large content is in a file. */
  readonly content: string | Uint8Array | StoredBody;
  /** Whether the response repeats the content as text, as JSON, or not at all. @see docs/http-api.md#messages */
  readonly echo: 'text' | 'json' | 'none';
}

/** Query parameters. Only the first value of a repeated parameter counts, as in Abaco. @see docs/http-api.md#messages */
export type MessageQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

const invalid = (field: string, message: string): Failure => new Failure('VALIDATION', message, { field });

/**
 * Selects how a body is parsed. A body without a Content-Type is JSON, as in Abaco.
 * @throws Failure UNSUPPORTED_MEDIA_TYPE
 * @see docs/http-api.md#messages
 */
export const readingOf = (contentType: string | undefined): BodyReading => {
  const [essence = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const type = essence.trim();
  if (type === 'application/octet-stream') return 'binary';
  if (type === 'multipart/form-data') return 'multipart';
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(parameter)?.[1])
    .find(Boolean);
  if (charset !== undefined && !['utf-8', 'utf8', 'us-ascii'].includes(charset)) {
    throw new Failure(
      'UNSUPPORTED_MEDIA_TYPE',
      `Text must be in UTF-8, not in ${charset}. Convert it, or send it as application/octet-stream.`,
    );
  }
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type === '' || type === 'application/json' || type.endsWith('+json')) return 'json';
  if (type.startsWith('text/')) return 'text';
  throw new Failure(
    'UNSUPPORTED_MEDIA_TYPE',
    `A message cannot have the content type "${type}". Send a form, application/json, text/plain, or any bytes as application/octet-stream.`,
  );
};

/** Truth of a value as in Python, in which Abaco is written: empty containers, empty text and zero are false. */
const isSomething = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

const textMessage = (content: string | StoredBody): Message => ({ contentType: 'str', content, echo: 'text' });

const binaryMessage = (content: Uint8Array | StoredBody): Message => ({
  contentType: 'application/octet-stream',
  content,
  echo: 'none',
});

const jsonMessage = (text: string, value: unknown, dialect: Dialect): Message => {
  const inner =
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, 'message')
      ? (value as { readonly message: unknown }).message
      : undefined;
  if (!isSomething(inner)) return { contentType: 'application/json', content: text, echo: 'json' };
  if (typeof inner === 'string') return textMessage(inner);
  // Uses the original text, because numbers in the parsed value are rounded.
  const written = jsonMember(text, 'message') ?? '';
  if (dialect === 'legacy') return textMessage(pythonRepr(written));
  return { contentType: 'str', content: written, echo: 'json' };
};

/** The message in a body. Undefined if the body contains none. */
const bodyMessage = (body: MessageBody, dialect: Dialect): Message | undefined => {
  switch (body.kind) {
    case 'none':
      return undefined;
    case 'file':
      return body.reading === 'text' ? textMessage(body.body) : binaryMessage(body.body);
    case 'binary':
      return body.bytes.length === 0 ? undefined : binaryMessage(body.bytes);
    case 'json':
      return jsonMessage(body.text, body.value, dialect);
    case 'text':
      return body.text === '' ? undefined : textMessage(body.text);
    case 'form':
      return body.message ? textMessage(body.message) : undefined;
  }
};

/**
 * Reads the message. The field `message` of a JSON object replaces the whole object, as in Abaco. If this field is not
 * text, the message is its JSON text as sent, or for a legacy actor the text of the value in Python.
 * @throws Failure VALIDATION when there is no message, or one in the body and in the query
 * @see docs/http-api.md#messages
 */
export const messageOf = (body: MessageBody, inQuery: string | undefined, dialect: Dialect = 'modern'): Message => {
  const inBody = bodyMessage(body, dialect);
  if (inBody === undefined) {
    if (inQuery) return textMessage(inQuery);
    // An empty text body is a message, because it was sent on purpose.
    if (body.kind === 'text') return textMessage('');
    throw invalid(
      'message',
      'message is missing or empty. Send it as the form field "message", as JSON, text or bytes; an empty one as text/plain.',
    );
  }
  if (inQuery === undefined) return inBody;
  throw invalid('message', 'message is both in the body and in the query. Send only one of them.');
};

const firstOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0];

const variable = (name: string, value: string): readonly [string, string] => {
  const refuse = (why: string) =>
    invalid(name, `Query parameter ${JSON.stringify(name)} cannot become a variable: ${why}.`);
  if (!isVariableName(name))
    throw refuse('a name consists of letters, digits and underscores and does not begin with a digit');
  if (isReservedVariable(name)) throw refuse('only the platform sets it');
  if (isClosedToSenders(name)) throw refuse('only the owner sets it, in default_environment');
  if (value.includes('\0')) throw refuse('its value contains NUL');
  return [name, value];
};

/**
 * Query parameters meant as variables. The sender may not be permitted to set all of them.
 * @see docs/http-api.md#messages
 */
export const variablesOf = (query: MessageQuery): Readonly<Record<string, string>> => {
  // The nonce is a credential, so the actor must not receive it. @see docs/http-api.md#nonces
  const steering: readonly string[] = [...steeringParameters, NONCE_PARAMETER];
  return Object.fromEntries(
    Object.entries(query)
      .filter(([name]) => !steering.includes(name))
      .map(([name, value]) => variable(name, firstOf(value) ?? '')),
  );
};

export const queryMessageOf = (query: MessageQuery): string | undefined => firstOf(query['message']);

/** Parses a boolean: `true`, `false`, `1` and `0` in any letter case. @see docs/http-api.md#messages */
export const isSynchronous = (query: MessageQuery): boolean => {
  for (const name of ['_svc_synchronous', '_abaco_synchronous']) {
    const value = firstOf(query[name])?.toLowerCase();
    if (value === undefined) continue;
    if (['true', '1'].includes(value)) return true;
    if (!['false', '0', ''].includes(value)) throw invalid(name, `${name} must be true or false.`);
  }
  return false;
};

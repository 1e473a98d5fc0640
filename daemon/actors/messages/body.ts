// Reads the body of a message and interprets it by its Content-Type.
import type { IncomingMessage } from 'node:http';
import type { MessageBody } from '../../domain/executions/message.ts';
import { readingOf } from '../../domain/executions/message.ts';
import { readBody } from '../../http/request/body.ts';
import { type FormFields, parseForm, parseMultipart } from '../../http/request/form.ts';
import { decodeUtf8, parseJson } from '../../http/request/json.ts';
import { defaultLimits } from '../../http/request/limits.ts';

const messageField = (fields: FormFields): string | undefined => {
  const value = fields['message'];
  return typeof value === 'string' ? value : value?.[0];
};

/**
 * Reads at most `limit` bytes.
 * @throws Failure PAYLOAD_TOO_LARGE, MALFORMED_BODY, UNSUPPORTED_MEDIA_TYPE
 * @see docs/protocol.md 17.1, docs/security.md R112
 */
export const readMessageBody = async (request: IncomingMessage, limit: number): Promise<MessageBody> => {
  const bytes = await readBody(request, limit);
  if (bytes.length === 0) return { kind: 'none' };
  const reading = readingOf(request.headers['content-type']);
  const { parameters } = defaultLimits;
  switch (reading) {
    case 'binary':
      return { kind: 'binary', bytes };
    case 'text':
      return { kind: 'text', text: decodeUtf8(bytes, { exact: true }) };
    case 'json':
      return { kind: 'json', value: parseJson(bytes), text: decodeUtf8(bytes) };
    case 'form':
      return { kind: 'form', message: messageField(parseForm(bytes, parameters)) };
    case 'multipart':
      return { kind: 'form', message: messageField(await parseMultipart(bytes, request.headers, parameters)) };
  }
};

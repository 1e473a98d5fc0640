// Reads the JSON body of a new state and preserves its exact text.
import type { IncomingMessage } from 'node:http';
import { readingOf } from '../../domain/executions/message.ts';
import { Failure } from '../../domain/failure.ts';
import { hasBody, readBody } from '../../http/request/body.ts';
import { decodeUtf8, parseJson } from '../../http/request/json.ts';

const demandJson = (contentType: string | undefined): void => {
  const reading = readingOf(contentType);
  if (reading === 'json') return;
  throw new Failure(
    'UNSUPPORTED_MEDIA_TYPE',
    `A state cannot be sent as ${contentType}. Send JSON with Content-Type: application/json.`,
  );
};

export interface SentState {
  readonly text: string;
  readonly bytes: number;
}

/** Returns the JSON text of a body of at most `limit` bytes. @see docs/conformance/security.md R112, R132 */
export const readState = async (request: IncomingMessage, limit: number): Promise<SentState> => {
  if (!hasBody(request)) {
    throw new Failure(
      'VALIDATION',
      'The state is missing. Send any JSON value as the body. Send {} to empty the state.',
    );
  }
  demandJson(request.headers['content-type']);
  const sent = await readBody(request, limit);
  parseJson(sent);
  const text = decodeUtf8(sent);
  return { text, bytes: Buffer.byteLength(text) };
};

// Reads request bodies up to a size limit. A body is requested from the client only when it is needed.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyKind } from '../../../src/contract/operation.ts';
import { Failure } from '../../domain/failure.ts';
import { parseForm, parseMultipart } from './form.ts';
import { decodeUtf8, parseJson } from './json.ts';
import type { Limits } from './limits.ts';

const awaitsContinue = new WeakMap<IncomingMessage, ServerResponse>();

/** Records that the client waits for permission to send its body (`Expect: 100-continue`). */
export const noteContinue = (request: IncomingMessage, response: ServerResponse): void => {
  awaitsContinue.set(request, response);
};

const tooLarge = (limit: number) =>
  new Failure('PAYLOAD_TOO_LARGE', `The body is larger than the limit of ${limit} bytes. Send less.`, {
    limit,
  });

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** The media type in lower case without parameters. Empty if the request has none. */
const mediaType = ({ headers }: IncomingMessage): string => {
  const value = headers['content-type'] ?? '';
  const end = value.indexOf(';');
  return (end === -1 ? value : value.slice(0, end)).trim().toLowerCase();
};

/**
 * Passes a body to `onChunk`, piece by piece. While the promise of a piece is pending, the client has to wait, so that
 * at most one piece is in memory. A declared length above `limit` is refused before reading, an undeclared one once it
 * exceeds the limit. In both cases the response closes the connection.
 * @throws Failure PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE (compressed), MALFORMED_BODY (incomplete), and what `onChunk`
 * throws
 * @see docs/conformance/security.md R112, R113
 */
export const consumeBody = (
  request: IncomingMessage,
  limit: number,
  onChunk: (chunk: Buffer) => Promise<void> | undefined,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      reject(
        new Failure('UNSUPPORTED_MEDIA_TYPE', 'Compressed bodies are not accepted. Send it without Content-Encoding.'),
      );
      return;
    }
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      reject(tooLarge(limit));
      return;
    }
    let size = 0;
    let pending: Promise<void> | undefined;
    const settle = (conclude: () => void) => {
      request.off('data', onData).off('end', onEnd).off('close', onBroken).off('error', onBroken);
      if (pending === undefined) conclude();
      else void pending.then(conclude, conclude);
    };
    const fail = (error: unknown) => settle(() => reject(error));
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return fail(tooLarge(limit));
      try {
        pending = onChunk(chunk);
      } catch (error) {
        return fail(error);
      }
      if (pending === undefined) return;
      request.pause();
      pending.then(
        () => {
          pending = undefined;
          request.resume();
        },
        (error: unknown) => {
          pending = undefined;
          fail(error);
        },
      );
    };
    const onEnd = () => settle(resolve);
    const onBroken = () => fail(new Failure('MALFORMED_BODY', 'The body ended before it was complete. Send it again.'));
    if (request.destroyed && !request.readableEnded) {
      onBroken();
      return;
    }
    awaitsContinue.get(request)?.writeContinue();
    awaitsContinue.delete(request);
    request.on('data', onData).on('end', onEnd).on('close', onBroken).on('error', onBroken);
  });

export const readBody = async (request: IncomingMessage, limit: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  await consumeBody(request, limit, (chunk) => {
    chunks.push(chunk);
    return undefined;
  });
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
};

const isJson = (type: string): boolean => type === 'application/json' || /^application\/[\w.-]{1,64}\+json$/.test(type);

const FORM = 'application/x-www-form-urlencoded';

const demandUtf8 = (request: IncomingMessage): void => {
  const charset = /;\s*charset\s*=\s*"?([^\s";]{1,40})/i
    .exec(request.headers['content-type'] ?? '')?.[1]
    ?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', `The character set "${charset}" is not supported. Send UTF-8.`);
  }
};

/** A body before validation by a schema. `undefined` if the request has none. */
export type RawBody =
  | { readonly kind: 'form'; readonly value: unknown }
  | { readonly kind: 'json'; readonly value: unknown; readonly text: () => string }
  | undefined;

const refuseType = (type: string, say: string): Failure =>
  new Failure('UNSUPPORTED_MEDIA_TYPE', `A body of type "${type || 'unnamed'}" is not supported here; ${say}.`);

/**
 * Reads a body of the kind that the operation accepts.
 * @throws Failure as `readBody`, and UNSUPPORTED_MEDIA_TYPE, MALFORMED_BODY; VALIDATION for anything but a form where
 * only forms are accepted (RFC 6749 5.2 has no 415)
 */
export const readFields = async (
  request: IncomingMessage,
  kind: Exclude<BodyKind, 'none' | 'message'>,
  limits: Limits,
): Promise<RawBody> => {
  if (!hasBody(request)) return undefined;
  const type = mediaType(request);
  if (kind === 'form') {
    if (type !== FORM) throw new Failure('VALIDATION', `The body must be ${FORM}.`);
    demandUtf8(request);
    return { kind: 'form', value: parseForm(await readBody(request, limits.formBytes), limits.parameters) };
  }
  const mayBeForm = kind === 'form-or-json';
  if (isJson(type)) {
    demandUtf8(request);
    const bytes = await readBody(request, limits.bodyBytes);
    return { kind: 'json', value: parseJson(bytes), text: () => decodeUtf8(bytes) };
  }
  if (mayBeForm && type === FORM) {
    demandUtf8(request);
    return { kind: 'form', value: parseForm(await readBody(request, limits.bodyBytes), limits.parameters) };
  }
  if (mayBeForm && type === 'multipart/form-data') {
    const bytes = await readBody(request, limits.bodyBytes);
    return { kind: 'form', value: await parseMultipart(bytes, request.headers, limits.parameters) };
  }
  throw refuseType(type, mayBeForm ? 'send JSON (Content-Type: application/json) or a form' : 'send JSON');
};

// Receives the message of a request: small bodies in memory, larger ones in a file as they arrive.
import type { IncomingMessage } from 'node:http';
import type { Dialect } from '../../../src/contract/dialect.ts';
import { type Message, type MessageBody, messageOf, readingOf } from '../../domain/executions/message.ts';
import { consumeBody, hasBody } from '../../http/request/body.ts';
import { type FormFields, parseForm, parseMultipart } from '../../http/request/form.ts';
import { decodeUtf8, parseJson, utf8Check } from '../../http/request/json.ts';
import { defaultLimits } from '../../http/request/limits.ts';
import { type Bodies, type BodyWriter, INLINE_BODY_LIMIT } from '../../ports/bodies.ts';

/** Receives the message of a request. `inQuery` is the query parameter `message`, `dialect` that of the actor. */
export type ReceiveMessage = (
  request: IncomingMessage,
  inQuery: string | undefined,
  dialect: Dialect | undefined,
) => Promise<Message>;

const messageField = (fields: FormFields): string | undefined => {
  const value = fields['message'];
  return typeof value === 'string' ? value : value?.[0];
};

type Reading = ReturnType<typeof readingOf>;

const parseBody = async (bytes: Buffer, reading: Reading, { headers }: IncomingMessage): Promise<MessageBody> => {
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
      return { kind: 'form', message: messageField(await parseMultipart(bytes, headers, parameters)) };
  }
};

/** Chunks below this size (bytes) are collected first, so that each does not cost a separate write. */
const LEAST_WRITE = 16 * 1024;

/** Joins the chunks. A single chunk is returned without copying. */
const joined = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);

/**
 * Receives a body in memory up to `INLINE_BODY_LIMIT`, and in a file above it. `onPiece` is called with every piece
 * before it is written.
 */
const createSpool = (bodies: Bodies, onPiece: (piece: Buffer) => void) => {
  const waiting: Buffer[] = [];
  let bytesWaiting = 0;
  let file: BodyWriter | undefined;
  const flush = async (): Promise<void> => {
    file ??= await bodies.begin();
    const piece = joined(waiting.splice(0));
    bytesWaiting = 0;
    onPiece(piece);
    await file.write(piece);
  };
  return {
    add(chunk: Buffer): Promise<void> | undefined {
      waiting.push(chunk);
      bytesWaiting += chunk.length;
      return bytesWaiting <= (file === undefined ? INLINE_BODY_LIMIT : LEAST_WRITE) ? undefined : flush();
    },
    /** The bytes of a small body, or the file of a larger one. */
    async end(): Promise<Buffer | BodyWriter> {
      if (file === undefined) return joined(waiting);
      await flush();
      return file;
    },
    discard: async (): Promise<void> => file?.discard(),
  };
};

/**
 * Makes the receiver of messages of at most `limit` bytes. A body above `INLINE_BODY_LIMIT` goes to its file piece by
 * piece. JSON and forms must be parsed as a whole, so they are read back from the file, one body at a time. All senders
 * together thus need memory for only one message. The caller deletes the file of a message that is not accepted. The
 * returned function throws Failure PAYLOAD_TOO_LARGE, MALFORMED_BODY, UNSUPPORTED_MEDIA_TYPE, VALIDATION,
 * STORE_UNAVAILABLE and then leaves no file behind.
 * @see docs/http-api.md#messages, docs/conformance/security.md R112
 */
export const messageReceiver = (bodies: Bodies, limit: number): ReceiveMessage => {
  /** Resolves when no other large body is being parsed. */
  let parsing: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = parsing.then(work);
    parsing = done.catch(() => undefined);
    return done;
  };

  /** Moves content that is too large for a record to a file. */
  const withStoredContent = async (message: Message): Promise<Message> => {
    const { content } = message;
    if (typeof content !== 'string' || Buffer.byteLength(content) <= INLINE_BODY_LIMIT) return message;
    const file = await bodies.begin();
    await file.write(Buffer.from(content));
    return { ...message, content: await file.finish() };
  };

  return async (request, inQuery, dialect) => {
    const reading = readingOf(request.headers['content-type']);
    const empty: MessageBody = reading === 'text' ? { kind: 'text', text: '' } : { kind: 'none' };
    if (!hasBody(request)) return messageOf(empty, inQuery);
    const check = reading === 'text' ? utf8Check() : undefined;
    const spool = createSpool(bodies, (piece) => check?.next(piece));
    try {
      await consumeBody(request, limit, spool.add);
      const received = await spool.end();
      if (Buffer.isBuffer(received)) {
        const body: MessageBody = received.length === 0 ? empty : await parseBody(received, reading, request);
        return await withStoredContent(messageOf(body, inQuery, dialect));
      }
      if (reading === 'text' || reading === 'binary') {
        check?.end();
        return messageOf({ kind: 'file', reading, body: await received.finish() }, inQuery);
      }
      const message = await inTurn(async () =>
        withStoredContent(
          messageOf(await parseBody(await bodies.read(received.name), reading, request), inQuery, dialect),
        ),
      );
      await spool.discard();
      return message;
    } catch (error) {
      await spool.discard();
      throw error;
    }
  };
};

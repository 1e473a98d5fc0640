// Handlers of the owner's long operations. The request is one line of JSON followed by bytes; the response is lines of
// JSON.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { InputOf, Operation, ResultOf } from '../../src/contract/operation.ts';
import { type Operations, type OwnerOperationId, operations } from '../../src/contract/operations.ts';
import { Failure } from '../domain/failure.ts';
import { fieldReader } from '../http/request/fields.ts';
import { internalFailure } from '../http/response/answer.ts';
import { ANSWERED, type Handler } from '../http/route-handler.ts';
import { ExecutorError, type ExecutorErrorKind } from '../ports/executor.ts';
import type { Logger } from '../ports/logger.ts';

export interface LongRequest<Id extends OwnerOperationId> {
  readonly input: InputOf<Operations[Id]>;
  /** The rest of the request after the first line. */
  readonly body: Readable;
  readonly say: (text: string) => void;
  /** Resolves when the client has accepted enough of what was said, or is gone. */
  readonly drained: () => Promise<void>;
  /** Fires when the client disconnects. */
  readonly signal: AbortSignal;
}

const FIRST_LINE_LIMIT = 4 * 1024 * 1024;
const NEWLINE = 10;

const codes: Readonly<Record<ExecutorErrorKind, string>> = {
  unavailable: 'RUNTIME_UNAVAILABLE',
  image: 'BUILD_FAILED',
  pull: 'IMAGE_PULL_FAILED',
  start: 'ACTOR_ERROR',
  never: 'ACTOR_ERROR',
  size: 'ACTOR_ERROR',
  full: 'RUNTIME_UNAVAILABLE',
  lost: 'ACTOR_ERROR',
};

/** Parses the first line as JSON and returns a stream of the rest. @throws Failure MALFORMED_BODY, PAYLOAD_TOO_LARGE */
const splitFirstLine = async (request: IncomingMessage) => {
  const chunks: AsyncIterator<Buffer> = request[Symbol.asyncIterator]();
  let line = Buffer.alloc(0);
  let end = -1;
  while (end === -1) {
    const { done, value } = await chunks.next();
    if (done) end = line.length;
    else {
      line = Buffer.concat([line, value]);
      end = line.indexOf(NEWLINE);
      if (line.length > FIRST_LINE_LIMIT && end === -1)
        throw new Failure('PAYLOAD_TOO_LARGE', `the first line must have at most ${FIRST_LINE_LIMIT} bytes`);
    }
  }
  const rest = line.subarray(end + 1);
  const body = Readable.from(
    (async function* () {
      if (rest.length > 0) yield rest;
      yield* { [Symbol.asyncIterator]: () => chunks };
    })(),
    { objectMode: false },
  );
  try {
    return { input: JSON.parse(line.subarray(0, end).toString('utf8')) as unknown, body };
  } catch (error) {
    throw new Failure('MALFORMED_BODY', `the first line must be JSON: ${String(error)}`);
  }
};

/** Runs `work`. Its failures are sent as the last line; other errors are logged. @see `longOperation` for the format */
export const longHandler = <Id extends OwnerOperationId>(
  id: Id,
  logger: Logger,
  work: (asked: LongRequest<Id>) => Promise<ResultOf<Operations[Id]>>,
): Handler<Operations[Id]> => {
  const readInput = fieldReader(operations[id].input);
  const handler: Handler<Operation> = async ({
    request,
    response,
    signal: signalOf,
    requestId,
  }): Promise<typeof ANSWERED> => {
    const signal = signalOf();
    const line = (value: unknown): void => {
      if (response.writable) response.write(`${JSON.stringify(value)}\n`);
    };
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    let unread: Readable = request;
    try {
      const { input, body } = await splitFirstLine(request);
      unread = body;
      const parsed = readInput(input).value as InputOf<Operations[Id]>;
      const drained = async (): Promise<void> => {
        if (response.writableNeedDrain && !signal.aborted)
          await once(response, 'drain', { signal }).catch(() => undefined);
      };
      line({ done: await work({ input: parsed, body, say: (text) => line({ text }), drained, signal }) });
    } catch (error) {
      if (error instanceof Failure) line({ error: { code: error.code, message: error.message } });
      else if (error instanceof ExecutorError) line({ error: { code: codes[error.kind], message: error.message } });
      else if (!signal.aborted) {
        logger.error({ requestId, error }, 'internal error');
        line({ error: { code: 'INTERNAL', message: internalFailure(requestId).message } });
      }
    }
    // Reads and discards the rest of the request: a client whose request is cut off would never read the response.
    unread.resume();
    await Promise.race([finished(unread, { writable: false }), once(response, 'close')]).catch(() => undefined);
    response.end();
    return ANSWERED;
  };
  return handler as Handler<Operations[Id]>;
};

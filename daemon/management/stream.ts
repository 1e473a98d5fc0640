// Long requests of the management socket: one JSON line and bytes in, JSON lines out while the action runs.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Failure } from '../domain/failure.ts';
import { ExecutorError, type ExecutorErrorKind } from '../ports/executor.ts';
import type { Logger } from '../ports/logger.ts';

/** The request of a streaming action. */
export interface StreamExchange {
  /** The JSON value of the first line. */
  readonly input: unknown;
  /** Everything after the first line. */
  readonly body: Readable;
  /** Sends progress text to the client. */
  readonly say: (text: string) => void;
  /** Fires when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Streaming actions by `METHOD /path`; the client receives their result as `done`. */
export type StreamActions = Readonly<
  Record<`POST /manage/${string}`, (exchange: StreamExchange) => Promise<unknown> | unknown>
>;

const FIRST_LINE_LIMIT = 4 * 1024 * 1024;
const NEWLINE = 10;

const codes: Readonly<Record<ExecutorErrorKind, string>> = {
  unavailable: 'RUNTIME_UNAVAILABLE',
  image: 'BUILD_FAILED',
  start: 'ACTOR_ERROR',
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

/**
 * Answers one request: `{"text":…}` lines, then one `{"done":…}` or `{"error":{code,message}}`.
 * Never rejects.
 */
export const answerStream = async (
  action: StreamActions[keyof StreamActions],
  request: IncomingMessage,
  response: ServerResponse,
  logger: Logger,
): Promise<void> => {
  const gone = new AbortController();
  response.once('close', () => gone.abort(new Error('the client disconnected')));
  const line = (value: unknown): void => {
    if (response.writable) response.write(`${JSON.stringify(value)}\n`);
  };
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  let unread: Readable = request;
  try {
    const { input, body } = await splitFirstLine(request);
    unread = body;
    line({ done: await action({ input, body, say: (text) => line({ text }), signal: gone.signal }) });
  } catch (error) {
    if (error instanceof Failure) line({ error: { code: error.code, message: error.message } });
    else if (error instanceof ExecutorError) line({ error: { code: codes[error.kind], message: error.message } });
    else if (!gone.signal.aborted) {
      logger.error({ error }, 'a management request failed');
      line({ error: { code: 'INTERNAL', message: 'internal error; see the daemon log' } });
    }
  }
  // Reads the rest of the request without using it: a client whose request is cut off would never read the answer.
  unread.resume();
  await Promise.race([finished(unread, { writable: false }), once(response, 'close')]).catch(() => undefined);
  response.end();
};

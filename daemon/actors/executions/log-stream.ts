// Streams the log of an execution until the execution ends. A client can resume the stream.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { EVENT_STREAM } from '../../../src/contract/actors/executions.ts';
import { Failure } from '../../domain/failure.ts';
import { type EventStream, openEventStream } from '../../http/response/event-stream.ts';
import type { Executions } from './service.ts';

export const asksForStream = ({ headers }: IncomingMessage): boolean =>
  (headers.accept ?? '').split(',').some((range) => range.split(';', 1)[0]?.trim().toLowerCase() === EVENT_STREAM);

/**
 * Reads the cursor in `Last-Event-ID`.
 * @param rule what the header must be and what happens without it, for the error message
 * @param pattern the syntax of the cursor
 */
export const resumePoint = ({ headers }: IncomingMessage, rule: string, pattern = /^\d{1,15}$/): string | undefined => {
  const cursor = headers['last-event-id'];
  if (cursor === undefined || cursor === '') return undefined;
  if (typeof cursor === 'string' && pattern.test(cursor)) return cursor;
  throw new Failure('VALIDATION', `Last-Event-ID must be ${rule}`, { field: 'Last-Event-ID' });
};

interface LogReading {
  readonly service: Executions;
  readonly executionId: string;
  /**
   * Checks that the reader may still read the log.
   * @throws Failure if the reader may no longer read the log
   */
  readonly reauthorize: () => unknown;
  readonly stream: EventStream;
  readonly signal: AbortSignal;
}

/** Returns the last cursor, or null if the reader has disconnected. */
const sendLines = async (
  { service, executionId, reauthorize: prove, stream, signal }: LogReading,
  after: string | undefined,
): Promise<string | undefined | null> => {
  let last = after;
  for await (const line of service.follow(executionId, after, signal)) {
    await prove();
    if (!(await stream.send({ event: 'log', id: line.cursor, data: line }))) return null;
    last = line.cursor;
  }
  return last;
};

/** Throws if the reader may no longer read the log. */
const sendLog = async (reading: LogReading, after: string | undefined): Promise<void> => {
  const { service, executionId, reauthorize: prove, stream, signal } = reading;
  const seen = await sendLines(reading, after);
  if (seen === null) return;
  const execution = await service.waitForEnd(executionId, signal);
  // A failed start closes the log and is retried. The lines of a later attempt are still missing.
  if ((await sendLines(reading, seen)) === null) return;
  await prove();
  const { status = 'CANCELLED', exitCode, reason } = execution ?? {};
  await stream.send({
    event: 'end',
    data: { status, exitCode, reason },
  });
};

/**
 * Streams `event: log` per line and one `event: end` when the execution is final. Also resolves if the reader
 * disconnects or loses access, or if the daemon stops. A stream that closes without `end` means that the client must
 * reconnect.
 */
export const streamLog = async (
  reading: Omit<LogReading, 'stream'>,
  after: string | undefined,
  response: ServerResponse,
): Promise<void> => {
  const { signal } = reading;
  const stream = openEventStream(response, signal);
  try {
    await sendLog({ ...reading, stream }, after);
  } catch (error) {
    if (!signal.aborted && !(error instanceof Failure)) throw error;
  } finally {
    stream.end();
  }
};

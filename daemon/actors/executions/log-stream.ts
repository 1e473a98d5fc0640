// The log of an execution as a live stream that ends with the execution and can be resumed.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { EVENT_STREAM } from '../../../src/contract/actors/executions.ts';
import { Failure } from '../../domain/failure.ts';
import { type EventStream, openEventStream } from '../../http/response/event-stream.ts';
import type { Executions } from './service.ts';

/** Whether the client asks for a stream. */
export const asksForStream = ({ headers }: IncomingMessage): boolean =>
  (headers.accept ?? '').split(',').some((range) => range.split(';', 1)[0]?.trim().toLowerCase() === EVENT_STREAM);

/**
 * Where a client that was cut off wants to go on: the cursor of the last line it has.
 * @throws Failure VALIDATION when it is none of ours
 */
export const resumePoint = ({ headers }: IncomingMessage): string | undefined => {
  const cursor = headers['last-event-id'];
  if (cursor === undefined || cursor === '') return undefined;
  if (typeof cursor === 'string' && /^\d{1,15}$/.test(cursor)) return cursor;
  throw new Failure(
    'VALIDATION',
    'Last-Event-ID must be the id of a line of this log. Leave it out to begin at the first.',
    {
      field: 'Last-Event-ID',
    },
  );
};

/** Who reads the log of what, and how. */
interface LogReading {
  readonly service: Executions;
  readonly executionId: string;
  /** @throws Failure when the reader may not read it any more */
  readonly reauthorize: () => Promise<unknown>;
  readonly stream: EventStream;
  readonly signal: AbortSignal;
}

/** Sends the lines behind `after`; answers the last cursor, or null when the reader has gone. */
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

/**
 * Sends the whole log and how the execution ended.
 * @throws Failure when the reader may not read it any more
 */
const sendLog = async (reading: LogReading, after: string | undefined): Promise<void> => {
  const { service, executionId, reauthorize: prove, stream, signal } = reading;
  const seen = await sendLines(reading, after);
  if (seen === null) return;
  const execution = await service.waitForEnd(executionId, signal);
  // A start that failed closes the log and is tried again: what a later try wrote is still to be sent.
  if ((await sendLines(reading, seen)) === null) return;
  await prove();
  const { status = 'CANCELLED', exitCode, reason } = execution ?? {};
  await stream.send({
    event: 'end',
    data: { status, ...(exitCode !== undefined && { exitCode }), ...(reason !== undefined && { reason }) },
  });
};

/**
 * Streams `event: log` per line and one `event: end` when the execution is final. Resolves when the stream is over, also
 * because the reader has gone, may not read it any more, or the daemon stops: the missing `end` then tells a client to come back.
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

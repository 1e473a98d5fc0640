// The log of an execution as a live stream that ends with the execution and can be resumed.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { EVENT_STREAM } from '../../../src/contract/executions.ts';
import { Failure } from '../../domain/failure.ts';
import { type EventStream, openEventStream } from '../../http/stream.ts';
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

/** Sends the lines behind `after`; answers the last cursor, or null when the reader has gone. */
const sendLines = async (
  service: Executions,
  executionId: string,
  after: string | undefined,
  stream: EventStream,
  signal: AbortSignal,
): Promise<string | undefined | null> => {
  let last = after;
  for await (const line of service.follow(executionId, after, signal)) {
    if (!(await stream.send({ event: 'log', id: line.cursor, data: line }))) return null;
    last = line.cursor;
  }
  return last;
};

/**
 * Streams `event: log` per line and one `event: end` when the execution is final. Resolves when the stream is over, also
 * because the reader has gone or the daemon stops: the missing `end` then tells a client to come back.
 */
export const streamLog = async (
  service: Executions,
  executionId: string,
  after: string | undefined,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> => {
  const stream = openEventStream(response, signal);
  try {
    const seen = await sendLines(service, executionId, after, stream, signal);
    if (seen === null) return;
    const execution = await service.ended(executionId, signal);
    // A start that failed closes the log and is tried again: what a later try wrote is still to be sent.
    if ((await sendLines(service, executionId, seen, stream, signal)) === null) return;
    const { status = 'CANCELLED', exitCode, reason } = execution ?? {};
    await stream.send({
      event: 'end',
      data: { status, ...(exitCode !== undefined && { exitCode }), ...(reason !== undefined && { reason }) },
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stream.end();
  }
};

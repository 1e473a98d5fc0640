// Calls the owner operations through the management socket of a daemon.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { isFailureCode } from '../contract/failure-codes.ts';
import { routes } from '../contract/for-client.ts';
import type { OwnerOperationId } from '../contract/operations.ts';
import { CliFailure } from '../failure.ts';
import type { LongInput, Manage } from '../local/daemon/manage.ts';
import { unhealthy } from './address.ts';
import { failureOf } from './answer.ts';
import { resultOf } from './call.ts';
import { readBody, type Transport } from './transport.ts';

/** Time limits, in ms, of operations that may take longer than usual. Long operations have no limit. */
const LIMITS: Partial<Readonly<Record<OwnerOperationId, number>>> = {
  'daemon.status': 15_000,
  'daemon.origin': 15_000,
  'daemon.bootstrap': 30_000,
  'daemon.client': 30_000,
  'secrets.rotate': 10 * 60_000,
};
const USUAL_LIMIT = 10_000;

const SIZE_LIMIT = 8 * 1024 * 1024;

const unknownLine = (id: OwnerOperationId, cause: unknown): CliFailure =>
  new CliFailure('DAEMON_VERSION', `the daemon's response to ${id} is unknown to this actorctl`, {
    hint: 'actorctl daemon restart',
    cause,
  });

const withFirstLine = (input: unknown, bytes: LongInput['bytes']): Readable =>
  process.getBuiltinModule('node:stream').Readable.from(
    (async function* () {
      yield Buffer.from(`${JSON.stringify(input)}\n`);
      if (bytes) yield* bytes;
    })(),
    { objectMode: false },
  );

async function* linesOf(body: IncomingMessage): AsyncGenerator<string, void, void> {
  body.setEncoding('utf8');
  let rest = '';
  for await (const piece of body as AsyncIterable<string>) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

interface Line {
  readonly text?: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly done?: unknown;
}

const readLong = async (id: OwnerOperationId, body: IncomingMessage, onText: LongInput['onText']): Promise<unknown> => {
  let done: unknown;
  for await (const text of linesOf(body)) {
    let line: Line;
    try {
      line = JSON.parse(text) as Line;
    } catch (error) {
      throw unknownLine(id, error);
    }
    if (line.error) {
      const { code, message } = line.error;
      throw new CliFailure(isFailureCode(code) ? code : 'INTERNAL', message);
    }
    if (line.text !== undefined) await onText?.(line.text);
    else done = line.done;
  }
  if (done === undefined) throw new Error('the response ended early');
  return done;
};

export const createManage = (transport: Transport, socket: string, signal: AbortSignal): Manage => {
  const ask = async (id: OwnerOperationId, input: object, long: LongInput): Promise<unknown> => {
    const { method, path, answer: kind } = routes[id];
    const isLong = kind === 'raw';
    const until = isLong ? (long.signal ?? signal) : undefined;
    const body = isLong ? withFirstLine(input, long.bytes) : method === 'GET' ? undefined : JSON.stringify(input);
    const answer = await transport(
      { socket, asOwner: true },
      {
        method,
        path,
        headers: { 'content-type': isLong ? 'application/octet-stream' : 'application/json' },
        body,
        signal: until,
        timeoutMs: isLong ? 0 : (LIMITS[id] ?? USUAL_LIMIT),
      },
    );
    try {
      if (isLong && answer.status === 200) return await readLong(id, answer.body, long.onText);
      const text = (await readBody(answer, SIZE_LIMIT)).toString('utf8');
      if (answer.status !== 200) throw failureOf(answer.status, answer.headers, text);
      const result: unknown = resultOf(id, text);
      if (result === undefined) throw unknownLine(id, text);
      return result;
    } catch (error) {
      if (until?.aborted) throw new CliFailure('CANCELLED', 'interrupted', { cause: error });
      if (error instanceof CliFailure && error.code !== 'NETWORK') throw error;
      throw unhealthy(socket, error);
    }
  };
  return (id, input = {} as never, long = {}) => ask(id, input as object, long) as never;
};

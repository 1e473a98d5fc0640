// Long requests to the daemon's management socket: bytes in, progress lines and one result out.
import http from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod/mini';
import { isFailureCode } from '../../contract/failure-codes.ts';
import { CliFailure, messageOf, systemCode } from '../../failure.ts';
import { connectOwn } from '../own-place.ts';

const line = z.object({
  text: z.optional(z.string()),
  error: z.optional(z.object({ code: z.string(), message: z.string() })),
  done: z.optional(z.unknown()),
});

const respond = (socket: string, path: string, body: Readable, signal: AbortSignal): Promise<http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = http.request({
      createConnection: () => connectOwn(socket),
      host: '127.0.0.1',
      method: 'POST',
      path,
      signal,
      headers: { 'content-type': 'application/octet-stream' },
    });
    request.once('response', resolve);
    // The daemon may respond before the whole archive is sent. A later error of sending is ignored, because the
    // response says more.
    request.on('error', reject);
    pipeline(body, request).catch((error: unknown) => request.destroy(error instanceof Error ? error : undefined));
  });

/** What follows the first line of a request. */
type Rest = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const withFirstLine = (input: unknown, rest: Rest | undefined): Readable =>
  Readable.from(
    (async function* () {
      yield Buffer.from(`${JSON.stringify(input)}\n`);
      if (rest) yield* rest;
    })(),
    { objectMode: false },
  );

const readLines = async (response: http.IncomingMessage, take: (text: string) => void): Promise<void> => {
  response.setEncoding('utf8');
  let rest = '';
  for await (const piece of response as AsyncIterable<string>) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const each of lines) take(each);
  }
  if (rest !== '') take(rest);
};

const unknownAnswer = (path: string, cause?: unknown): CliFailure =>
  new CliFailure('DAEMON_VERSION', `the daemon's response to POST ${path} is unknown to this actorctl`, {
    hint: 'actorctl daemon restart',
    cause,
  });

const translate = (error: unknown, socket: string, signal: AbortSignal): CliFailure => {
  if (error instanceof CliFailure) return error;
  if (signal.aborted) return new CliFailure('CANCELLED', 'interrupted', { cause: error });
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR'
    ? new CliFailure('DAEMON_NOT_RUNNING', 'the daemon is not running', { hint: 'actorctl up', cause: error })
    : new CliFailure('DAEMON_UNHEALTHY', `the daemon does not respond on ${socket}: ${messageOf(error)}`, {
        hint: 'actorctl daemon logs -n 50',
        cause: error,
      });
};

/**
 * Creates the function that sends long requests to the daemon on this socket. It throws CliFailure DAEMON_NOT_RUNNING,
 * DAEMON_UNHEALTHY, DAEMON_VERSION, CANCELLED, or the code from the daemon.
 */
export const streamAsker =
  (socket: string, signal: AbortSignal) =>
  async <S extends z.ZodMiniType>(
    path: string,
    schema: S,
    input: unknown,
    rest?: Rest,
    onText: (text: string) => void = () => undefined,
  ): Promise<z.output<S>> => {
    let done: { readonly value: unknown } | undefined;
    try {
      const response = await respond(socket, path, withFirstLine(input, rest), signal);
      if (response.statusCode !== 200) throw unknownAnswer(path);
      await readLines(response, (text) => {
        const said = line.parse(JSON.parse(text));
        if (said.error) {
          const { code, message } = said.error;
          throw new CliFailure(isFailureCode(code) ? code : 'INTERNAL', message);
        }
        if (said.text !== undefined) onText(said.text);
        else done = { value: said.done };
      });
    } catch (error) {
      throw translate(error, socket, signal);
    }
    const parsed = schema.safeParse(done?.value);
    if (!parsed.success) throw unknownAnswer(path, parsed.error);
    return parsed.data;
  };

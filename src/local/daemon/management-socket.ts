// Asks the daemon over its management socket, which only the owner of the instance's files can open.
import { type FailureCode, isFailureCode } from '../../contract/failure-codes.ts';
import { CliFailure, messageOf, systemCode } from '../../failure.ts';
import { connectOwn } from '../own-place.ts';
import type { Paths } from '../paths.ts';

/** Method and path of a question. */
export type ManagementCall = readonly [method: 'GET' | 'POST', path: string];

const LIMIT = 8 * 1024 * 1024;

interface Answer {
  readonly status: number;
  readonly text: string;
}

const readAnswer = (bytes: Buffer): Answer => {
  const cut = bytes.indexOf('\r\n\r\n');
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(bytes.toString('latin1', 0, 16)) ?? [];
  if (cut === -1 || status === undefined) throw new Error('the response is not HTTP');
  return { status: Number(status), text: bytes.toString('utf8', cut + 4) };
};

/**
 * Sends one request of HTTP/1.0, whose response ends with the connection. Commands that only need the origin of the
 * service load no node:http for it, which takes longer than this exchange.
 */
const exchange = (socket: string, [method, path]: ManagementCall, body: unknown, limitMs: number): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const content = body === undefined ? '' : JSON.stringify(body);
    const connection = connectOwn(socket);
    const pieces: Buffer[] = [];
    let size = 0;
    connection.setTimeout(limitMs, () => connection.destroy(new Error(`no response within ${limitMs} ms`)));
    connection.once('error', reject);
    connection.on('data', (piece) => {
      pieces.push(piece);
      size += piece.length;
      if (size > LIMIT) connection.destroy(new Error('the response is too long'));
    });
    connection.once('end', () => {
      try {
        resolve(readAnswer(Buffer.concat(pieces)));
      } catch (error) {
        reject(error);
      }
    });
    const head = [
      `${method} ${path} HTTP/1.0`,
      'host: 127.0.0.1',
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(content)}`,
    ];
    connection.write(`${head.join('\r\n')}\r\n\r\n${content}`);
  });

/** The failure for an error response. */
const refusalOf = ({ status, text }: Answer): CliFailure => {
  let said: { code?: unknown; message?: unknown } | undefined;
  try {
    said = (JSON.parse(text) as { error?: typeof said }).error;
  } catch {
    // The body is not an error object, so the daemon is at fault.
  }
  if (typeof said?.code !== 'string' || typeof said.message !== 'string') {
    const message = 'the daemon answered on its management socket with an unknown error';
    return new CliFailure('INTERNAL', message, { httpStatus: status });
  }
  const code: FailureCode = isFailureCode(said.code) ? said.code : 'INTERNAL';
  return new CliFailure(code, said.message, { httpStatus: status });
};

/** True if the error of a connection says that nothing listens on the socket. */
export const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes(systemCode(error) ?? '');

/** The failure if nothing listens on the socket. */
export const notRunning = (cause: unknown): CliFailure =>
  new CliFailure('DAEMON_NOT_RUNNING', 'the daemon is not running', { hint: 'actorctl up', cause });

/** The failure if the daemon cannot be asked although its socket is there. */
export const unhealthy = (socket: string, cause: unknown): CliFailure =>
  new CliFailure('DAEMON_UNHEALTHY', `the daemon does not respond on ${socket}: ${messageOf(cause)}`, {
    hint: 'actorctl daemon logs -n 50',
    cause,
  });

/** The failure for a response that this version does not know. */
export const unknownAnswer = ([method, path]: ManagementCall, cause: unknown): CliFailure =>
  new CliFailure('DAEMON_VERSION', `the daemon's response to ${method} ${path} is unknown to this actorctl`, {
    hint: 'actorctl daemon restart',
    cause,
  });

/**
 * Returns the JSON of a response, unchecked.
 * @throws CliFailure DAEMON_NOT_RUNNING if nothing listens, DAEMON_UNHEALTHY if there is no response, DAEMON_VERSION if
 * the response is unknown, USAGE if another user could have made the socket, or the code from the daemon
 */
export const askManagement = async (
  socket: string,
  call: ManagementCall,
  body?: unknown,
  limitMs = 10_000,
): Promise<unknown> => {
  let answer: Answer;
  try {
    answer = await exchange(socket, call, body, limitMs);
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    if (isAbsent(error)) throw notRunning(error);
    throw unhealthy(socket, error);
  }
  if (answer.status !== 200) throw refusalOf(answer);
  try {
    return JSON.parse(answer.text);
  } catch (error) {
    throw unknownAnswer(call, error);
  }
};

/**
 * Base URL of the instance, asked from the daemon itself. An address in a file may belong to another program by now,
 * and that program must not receive a token. Fast, because the daemon does not call the container engine.
 * @param heard receives the time (ms) of a virtual clock, or undefined if the daemon has the clock of this machine
 * @throws CliFailure DAEMON_NOT_RUNNING, DAEMON_UNHEALTHY
 */
export const originOf = async (
  { socket }: Paths,
  heard: (time: number | undefined) => void = () => undefined,
): Promise<string> => {
  const call: ManagementCall = ['GET', '/manage/origin'];
  const answer = await askManagement(socket, call, undefined, 15_000);
  if (typeof answer === 'object' && answer !== null && 'baseUrl' in answer && typeof answer.baseUrl === 'string') {
    const { clock } = answer as { clock?: { now?: unknown } };
    heard(typeof clock?.now === 'number' ? clock.now : undefined);
    return answer.baseUrl;
  }
  throw unknownAnswer(call, answer);
};

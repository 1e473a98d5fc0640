// The management socket: a unix socket that only the owner of the data can open, for questions to the daemon,
// commands like stop, and the API of the service.
import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import path from 'node:path';
import { failureCodes } from '../../src/contract/failure-codes.ts';
import { API_PREFIX } from '../../src/contract/management.ts';
import { makeFolders } from '../../src/local/folders/make-folders.ts';
import { answersAt, listenOwn, requireOwnFolder } from '../../src/local/own-place.ts';
import { Failure } from '../domain/failure.ts';
import type { Logger } from '../ports/logger.ts';
import { readBytes } from './read-bytes.ts';
import { answerStream, type StreamActions } from './stream.ts';

/** An action receives the JSON body (an object; `{}` for GET) and returns a JSON value. */
type Action = (input: Readonly<Record<string, unknown>>) => Promise<unknown> | unknown;

/** Actions by `METHOD /path`. */
export type Actions = Readonly<Record<`${'GET' | 'POST'} /manage/${string}`, Action>>;

const BODY_LIMIT = 64 * 1024;

const answer = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(value)}\n`);
};

const readBody = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  const bytes = await readBytes(request, BODY_LIMIT);
  if (bytes.length === 0) return {};
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return { ...value };
  } catch {
    // Continues with the error for every body that is not an object.
  }
  throw new Failure('MALFORMED_BODY', 'the body must be a JSON object');
};

/**
 * Frees the path of the socket: a stale socket is removed; a socket that answers, or another file, is an error. @see
 * docs/security.md R143
 */
const clearSocket = async (socket: string): Promise<void> => {
  await makeFolders(path.dirname(socket));
  requireOwnFolder(path.dirname(socket));
  chmodSync(path.dirname(socket), 0o700);
  const found = lstatSync(socket, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${socket} exists and is not a socket; move it away`);
  if (await answersAt(socket)) throw new Error(`another daemon answers at ${socket}`);
  unlinkSync(socket);
};

export interface Management {
  /** Stops listening and removes the socket file. */
  close(): Promise<void>;
}

/**
 * Listens on the management socket.
 * @throws CliFailure USAGE if the socket's folder cannot be trusted; Error if another daemon answers there
 */
export const serveManagement = async (options: {
  readonly socket: string;
  readonly actions: Actions;
  readonly streams?: StreamActions;
  /** Serves the paths behind `/api`, and gets them without it. */
  readonly api: RequestListener;
  readonly logger: Logger;
}): Promise<Management> => {
  const { socket, actions, streams = {}, api, logger } = options;
  await clearSocket(socket);
  const byRoute = new Map<string, Action>(Object.entries(actions));
  const streaming = new Map(Object.entries(streams));
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const stream = streaming.get(`${request.method} ${request.url}`);
    if (stream !== undefined) return answerStream(stream, request, response, logger);
    const action = byRoute.get(`${request.method} ${request.url}`);
    if (action === undefined) throw new Failure('NOT_FOUND', `there is no ${request.method} ${request.url} here`);
    answer(response, 200, await action(await readBody(request)));
  };
  // The upload of a build context may take longer than the default of 5 minutes. Without a value, the limit for headers
  // would be off too.
  const server = createServer({ requestTimeout: 0, headersTimeout: 60_000 }, (request, response) => {
    if (request.url?.startsWith(`${API_PREFIX}/`)) {
      request.url = request.url.slice(API_PREFIX.length);
      return api(request, response);
    }
    handle(request, response).catch((error: unknown) => {
      if (error instanceof Failure) {
        const { code, message } = error;
        answer(response, failureCodes[code].status, { error: { code, message } });
      } else {
        logger.error({ error }, 'a management request failed');
        answer(response, 500, { error: { code: 'INTERNAL', message: 'internal error; see the daemon log' } });
      }
    });
  });
  // The folder is private, so no other user can connect before the mode is set. The umask is not changed, because other
  // code creates files at the same time.
  const close = await listenOwn(server, socket);
  chmodSync(socket, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        close(resolve);
        server.closeAllConnections();
      }),
  };
};

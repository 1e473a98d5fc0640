// A small local server that receives webhook posts. Its caller decides on each response.
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliFailure, messageOf, systemCode } from '../failure.ts';
import { randomName } from '../local/credentials/crypto.ts';
import type { Transport } from './transport.ts';

/** Largest accepted body in bytes. Events are far smaller. */
const BODY_LIMIT = 1024 * 1024;

/** Header in the response to a refused GET. Its value is the id of the receiver. */
const RECEIVER_HEADER = 'x-actorctl-receiver';
const PROBE_MS = 1_000;

export interface Post {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The response. `drop` closes the connection without a response. */
export type Reply =
  | 'drop'
  | { readonly status: number; readonly contentType?: string | undefined; readonly body?: Uint8Array };

export interface ReceiverInput {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** Decides on the response. Must not throw. */
  readonly answer: (post: Post) => Promise<Reply>;
  /** Called when the response is sent or the sender has disconnected. `ms` is the time since the request. */
  readonly answered: (post: Post, reply: Reply, ms: number) => void;
}

export interface WebhookReceiver {
  readonly id: string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** The body, or undefined if it is too large. */
const read = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.byteLength;
    if (size > BODY_LIMIT) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};

const refuse = (response: ServerResponse, status: number, id: string): void => {
  response.writeHead(status, { connection: 'close', [RECEIVER_HEADER]: id });
  response.end();
};

/** Sends the response. Resolves when it is sent or the sender has disconnected. */
const send = (response: ServerResponse, reply: Reply): Promise<void> =>
  new Promise((resolve) => {
    response.once('close', resolve);
    if (reply === 'drop') {
      response.destroy();
      return;
    }
    const { status, contentType, body } = reply;
    response.writeHead(status, contentType === undefined ? {} : { 'content-type': contentType });
    response.end(body);
  });

const serve = async (
  { answer, answered }: ReceiverInput,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const begun = performance.now();
  if (request.method !== 'POST') return refuse(response, 405, id);
  // A web page cannot send JSON to another origin without a preflight request, so only JSON is accepted.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return refuse(response, 415, id);
  const body = await read(request);
  if (body === undefined) return refuse(response, 413, id);
  const post: Post = { path: request.url ?? '/', headers: request.headers, body };
  const reply = await answer(post);
  await send(response, reply);
  answered(post, reply, performance.now() - begun);
};

/** Starts the server. The caller must close it. */
export const receiveWebhooks = async (input: ReceiverInput): Promise<WebhookReceiver> => {
  const { port, host } = input;
  const id = randomName();
  const server = http.createServer((request, response) => {
    // A sender that disconnects during its request has posted nothing.
    serve(input, id, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      if (systemCode(error) === 'EADDRINUSE') {
        const hint = 'leave --port out to use any free port';
        reject(new CliFailure('PORT_IN_USE', `port ${port} is in use`, { hint, details: { port }, cause: error }));
      } else {
        const message = `cannot listen on ${host}, port ${port}: ${messageOf(error)}`;
        reject(new CliFailure('NETWORK', message, { hint: 'name another --port or --bind', cause: error }));
      }
    });
    server.listen({ port, host, exclusive: true }, resolve);
  });
  return {
    id,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** The id of the webhook receiver of this program that runs at the URL now. Sends no POST. */
export const receiverAt = async (transport: Transport, url: URL): Promise<string | undefined> => {
  try {
    const { headers, body } = await transport(url.origin, { method: 'GET', path: url.pathname, timeoutMs: PROBE_MS });
    body.destroy();
    const id = headers[RECEIVER_HEADER];
    return typeof id === 'string' ? id : undefined;
  } catch (error) {
    if (error instanceof CliFailure) return undefined;
    throw error;
  }
};

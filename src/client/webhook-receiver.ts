// Receives webhooks on this machine: a small server that hands out what was posted and answers as it is told.
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliFailure, messageOf, systemCode } from '../failure.ts';

/** Largest body that is taken, in bytes; events are far smaller. */
const BODY_LIMIT = 1024 * 1024;

/** What was posted. */
export interface Post {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** How it is answered; `drop` ends the connection without a word. */
export type Reply =
  | 'drop'
  | { readonly status: number; readonly contentType?: string | undefined; readonly body?: Uint8Array };

export interface ReceiverInput {
  /** 0 for any that is free. */
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** Decides on the answer; must not throw. */
  readonly answer: (post: Post) => Promise<Reply>;
  /** Called when the answer is out, or the sender gone; `ms` is how long that took. */
  readonly answered: (post: Post, reply: Reply, ms: number) => void;
}

export interface WebhookReceiver {
  readonly port: number;
  /** Ends it with its connections. */
  readonly close: () => Promise<void>;
}

/** The body, or undefined when it is too large. */
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

const refuse = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { connection: 'close' });
  response.end();
};

/** Sends the answer; resolves when it is out or the sender gone. */
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
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const begun = performance.now();
  if (request.method !== 'POST') return refuse(response, 405);
  // What a web page can send without being asked is never JSON, so no page can play the service.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return refuse(response, 415);
  const body = await read(request);
  if (body === undefined) return refuse(response, 413);
  const post: Post = { path: request.url ?? '/', headers: request.headers, body };
  const reply = await answer(post);
  await send(response, reply);
  answered(post, reply, performance.now() - begun);
};

/**
 * Begins to receive. The caller must close it.
 * @throws CliFailure PORT_IN_USE, NETWORK when the address cannot be listened on
 */
export const receiveWebhooks = async (input: ReceiverInput): Promise<WebhookReceiver> => {
  const { port, host } = input;
  const server = http.createServer((request, response) => {
    // Whoever breaks off while it posts has posted nothing.
    serve(input, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      if (systemCode(error) === 'EADDRINUSE') {
        const hint = 'leave --port out to take any that is free';
        reject(new CliFailure('PORT_IN_USE', `port ${port} is taken`, { hint, details: { port }, cause: error }));
      } else {
        const message = `${host}, port ${port}, cannot be listened on: ${messageOf(error)}`;
        reject(new CliFailure('NETWORK', message, { hint: 'name another --port or --bind', cause: error }));
      }
    });
    server.listen({ port, host, exclusive: true }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

// A webhook receiver: a real HTTP server that records its requests and responds as the test specifies.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** The requests in the order of arrival. */
  readonly received: readonly Received[];
  /** Number of connections so far. */
  readonly connections: () => number;
  /** Maximum number of simultaneous unanswered requests. */
  readonly mostAtOnce: () => number;
  /** Creates the response. The default is 200 with an empty body. */
  answer: (response: ServerResponse, request: Received, socket: Socket) => unknown;
  close(): Promise<void>;
}

const read = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  request.setEncoding('utf8');
  for await (const piece of request) text += String(piece);
  return text;
};

/** Starts a receiver on a free port of loopback. */
export const startReceiver = async (): Promise<Receiver> => {
  const received: Received[] = [];
  let connections = 0;
  let open = 0;
  let most = 0;
  const receiver = { answer: ((response) => response.end()) as Receiver['answer'] };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    open += 1;
    most = Math.max(most, open);
    response.once('close', () => {
      open -= 1;
    });
    const { method = '', url = '', headers } = request;
    const one: Received = { method, path: url, headers, body: await read(request) };
    received.push(one);
    await receiver.answer(response, one, request.socket);
  };
  const server: Server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    connections: () => connections,
    mostAtOnce: () => most,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
};

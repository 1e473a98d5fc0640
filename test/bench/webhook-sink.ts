// A receiver of webhooks for benchmarks: counts the posts, and can hold its responses.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Sink {
  readonly url: string;
  /** Holds all responses until `flow` is called. */
  hold(): void;
  /** Sends the held responses, and responds at once from then on. */
  flow(): void;
  /** Resolves when `posts` more requests have arrived since the previous call. */
  more(posts: number): Promise<void>;
  /** The body of the last request. */
  last(): string;
  close(): Promise<void>;
}

export const startSink = async (): Promise<Sink> => {
  const held: ServerResponse[] = [];
  let holding = false;
  let seen = 0;
  let goal = 0;
  let had = 0;
  let arrived = (): void => undefined;
  let body = '';
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
    });
    request.on('end', () => {
      body = text;
      seen += 1;
      if (holding) held.push(response);
      else response.writeHead(200, { 'content-length': 0 }).end();
      if (seen === goal) arrived();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    hold: () => {
      holding = true;
    },
    flow: () => {
      holding = false;
      for (const response of held.splice(0)) response.writeHead(200, { 'content-length': 0 }).end();
    },
    more: (posts) =>
      new Promise((resolve) => {
        had += posts;
        goal = had;
        arrived = resolve;
        if (seen >= goal) resolve();
      }),
    last: () => body,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

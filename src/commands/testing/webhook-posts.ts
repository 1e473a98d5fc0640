// The receiver of a project's webhooks during tests.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Receiver {
  readonly url: string;
  /** The bodies since the last `clear`: the parsed JSON, or the text. */
  readonly posts: () => readonly unknown[];
  readonly clear: () => void;
  readonly close: () => void;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

export const startReceiver = async (): Promise<Receiver> => {
  let posts: unknown[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      posts.push(parsed(Buffer.concat(chunks).toString('utf8')));
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    posts: () => posts,
    clear: () => {
      posts = [];
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

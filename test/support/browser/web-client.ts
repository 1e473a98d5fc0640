// An OAuth client with its own web server: it starts logins and records the requests that it gets.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to the client, as its server saw it. */
export interface Seen {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
}

export interface WebClient {
  readonly origin: string;
  /** An address that responds with a page. */
  readonly callback: string;
  /** An address that redirects to `home`, which is another origin. */
  readonly relay: string;
  readonly home: string;
  /** The requests to `callback` and `relay`. */
  readonly answers: readonly Seen[];
  /** Serves this page at `path`. */
  page(path: string, html: string): string;
  close(): Promise<void>;
}

const PAGE = '<!doctype html><title>client</title><h1>Back at the client</h1>';

/** Listens on a free port of `host`. */
export const startWebClient = async (host: '127.0.0.1' | '::1' = '127.0.0.1'): Promise<WebClient> => {
  const answers: Seen[] = [];
  const pages = new Map<string, string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', origin);
    if (url.pathname === '/callback' || url.pathname === '/relay') answers.push({ url, headers: request.headers });
    if (url.pathname === '/relay') response.writeHead(302, { Location: home }).end();
    else response.writeHead(200, { 'Content-Type': 'text/html' }).end(pages.get(url.pathname) ?? PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://${host === '::1' ? '[::1]' : host}:${port}`;
  const home = `http://localhost:${port}/home`;
  return {
    origin,
    callback: `${origin}/callback`,
    relay: `${origin}/relay`,
    home,
    answers,
    page: (path, html) => {
      pages.set(path, html);
      return `${origin}${path}`;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

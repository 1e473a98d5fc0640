// A container engine that only lists images, on a socket. For pages and commands that need no container.
import { createServer } from 'node:http';
import path from 'node:path';

export interface ListingEngine {
  /** Value of DOCKER_HOST. */
  readonly host: string;
  /** The entries of `GET /images/json`. */
  readonly images: { readonly RepoTags: readonly string[] | null; readonly Size: number; readonly Created: number }[];
  close(): Promise<void>;
}

const FIXED: Readonly<Record<string, unknown>> = {
  _ping: 'OK',
  version: { Version: '27.1.0', ApiVersion: '1.46', Os: 'linux', Components: [{ Name: 'Engine' }] },
  info: { Architecture: 'x86_64', NCPU: 2 },
};

/** @param folder where its socket is */
export const listingEngine = async (folder: string): Promise<ListingEngine> => {
  const socket = path.join(folder, 'engine.sock');
  const images: ListingEngine['images'] = [];
  const server = createServer(({ url = '' }, response) => {
    const asked = url.replace(/^\/(?:v[\d.]+\/)?/, '').split('?', 1)[0] ?? '';
    // The stream of events stays open.
    if (asked === 'events') return void response.writeHead(200).flushHeaders();
    const body = asked === 'images/json' ? images : FIXED[asked];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { message: `page not found: ${asked}` }));
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    host: `unix://${socket}`,
    images,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
};

// The management socket: a unix socket that only the owner of the data can open.
import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import path from 'node:path';
import { makeFolders } from '../../src/local/folders/make-folders.ts';
import { answersAt, listenOwn, requireOwnFolder } from '../../src/local/own-place.ts';

/**
 * Prepares the socket path. A stale socket is removed; a socket on which a daemon responds, or another file, is an
 * error.
 * @see docs/conformance/security.md R143
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

/** @throws CliFailure USAGE if the socket's folder cannot be trusted; Error if another daemon answers there */
export const serveManagement = async (socket: string, listener: RequestListener): Promise<Management> => {
  await clearSocket(socket);
  // The upload of a build context may take longer than the default of 5 minutes. Without a value, the time limit for
  // headers would be off too.
  const server = createServer({ requestTimeout: 0, headersTimeout: 60_000 }, listener);
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

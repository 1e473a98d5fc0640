// Binds a server to an address and a port.
import type { Server } from 'node:http';

/** Another program uses the requested port. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse';
  readonly port: number;

  constructor(address: string, port: number) {
    super(`port ${port} of ${address} is in use; choose another with --port N, or --port auto`);
    this.port = port;
  }
}

/**
 * Resolves with the bound port; port 0 means any free port.
 * @throws PortInUse
 */
export const listen = (server: Server, address: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException): void =>
      reject(error.code === 'EADDRINUSE' ? new PortInUse(address, port) : error);
    server.once('error', refused);
    server.listen(port, address, () => {
      server.off('error', refused);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });

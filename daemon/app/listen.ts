// Binds a server to an address and a port, or says that the port is taken.
import type { Server } from 'node:http';
import { PortInUse } from '../process/start-report.ts';

/**
 * Resolves with the port that was bound; 0 asks for any free one.
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

// Binds a server to an address and a port.
import type { Server } from 'node:http';
import { PortInUse } from '../process/start-report.ts';

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

// Binds a server to an address and a port.
import type { Server } from 'node:net';

export class PortInUse extends Error {
  override readonly name = 'PortInUse';
  readonly port: number;
  readonly flag: string;

  constructor(address: string, port: number, flag: string) {
    super(`port ${port} of ${address} is in use; choose another with ${flag} N, or ${flag} auto`);
    this.port = port;
    this.flag = flag;
  }
}

export const urlHost = (address: string): string => (address.includes(':') ? `[${address}]` : address);

const bindTo = (server: Server, address: string, port: number, flag: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException): void =>
      reject(error.code === 'EADDRINUSE' ? new PortInUse(address, port, flag) : error);
    server.once('error', refused);
    server.listen(port, address, () => {
      server.off('error', refused);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });

/** Port 0 means any free port. @param how.prefer with port 0: the port to try first @throws PortInUse */
export const listen = async (
  server: Server,
  address: string,
  port: number,
  { prefer = 0, flag = '--port' } = {},
): Promise<number> => {
  if (port !== 0 || prefer === 0) return bindTo(server, address, port, flag);
  try {
    return await bindTo(server, address, prefer, flag);
  } catch (error) {
    if (!(error instanceof PortInUse)) throw error;
    return bindTo(server, address, 0, flag);
  }
};

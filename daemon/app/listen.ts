// Binds a server to an address and a port.
import type { Server } from 'node:net';
import { ConfigError } from '../config.ts';

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

/** Ways to let this program bind a low port. */
export const waysToBind = (port: number): string =>
  `sudo sysctl net.ipv4.ip_unprivileged_port_start=${port}, or sudo setcap cap_net_bind_service=+ep ${process.execPath}`;

/** The process may not bind the port. */
export class PortDenied extends ConfigError {}

/** The error as one that names the flag to change, if it is about the address or the port. */
const explained = (error: NodeJS.ErrnoException, address: string, port: number, flag: string): Error => {
  const { code } = error;
  if (code === 'EADDRINUSE') return new PortInUse(address, port, flag);
  if (code === 'EACCES' || code === 'EPERM')
    return new PortDenied(
      `${flag} ${port} is not permitted for this process. Choose a port above 1023, or: ${waysToBind(port)}`,
    );
  if (['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENOTFOUND', 'EAI_AGAIN'].includes(code ?? ''))
    return new ConfigError(`${address} is not an address of this machine; choose another with --bind`);
  return error;
};

const bindTo = (server: Server, address: string, port: number, flag: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const refused = (error: Error): void => reject(explained(error, address, port, flag));
    server.once('error', refused);
    server.listen(port, address, () => {
      server.off('error', refused);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });

/** Port 0 means any free port. @param how.prefer with port 0: the port to try first @throws PortInUse, ConfigError */
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

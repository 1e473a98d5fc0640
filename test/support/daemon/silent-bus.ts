// A message bus whose other end has died: it accepts every connection and never sends anything.
import { createServer } from 'node:net';
import path from 'node:path';

export interface SilentBus {
  /** A value for `DBUS_SESSION_BUS_ADDRESS`. */
  readonly address: string;
  /** Number of accepted connections. */
  visits(): number;
  close(): Promise<void>;
}

/** Creates the bus with its socket in `folder`. */
export const silentBus = async (folder: string): Promise<SilentBus> => {
  const socketPath = path.join(folder, 'bus');
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.on('error', () => socket.destroy());
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    address: `unix:path=${socketPath}`,
    visits: () => visits,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

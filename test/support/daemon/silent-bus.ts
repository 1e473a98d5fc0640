// A message bus as it is when its other end has died: it takes every connection and says nothing.
import { createServer } from 'node:net';
import path from 'node:path';

export interface SilentBus {
  /** For `DBUS_SESSION_BUS_ADDRESS`. */
  readonly address: string;
  /** How many connections it took. */
  visits(): number;
  close(): Promise<void>;
}

/** Its socket lies in `folder`. */
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

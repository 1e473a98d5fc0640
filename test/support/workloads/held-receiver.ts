// A webhook receiver whose responses the test sends.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver that holds its responses until the test sends them. */
export const heldReceiver = async () => {
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => held.push(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    held,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

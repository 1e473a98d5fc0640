// Bytes as they are, sent to a service; for what no client of HTTP would send.
import { connect } from 'node:net';

/** Sends the bytes and answers everything that comes back until the other side is done. */
export const rawRequest = (baseUrl: string, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    // The other side need not read to the end what it has refused.
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
    socket.write(bytes, 'latin1');
  });

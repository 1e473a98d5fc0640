// Sends raw bytes to a service, for requests that no HTTP client would send.
import { connect } from 'node:net';

/** Sends the bytes and returns everything received until the server closes the connection. */
export const rawRequest = (baseUrl: string, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    // The server need not read a refused request completely, so write errors are ignored.
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
    socket.write(bytes, 'latin1');
  });

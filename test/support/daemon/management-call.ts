// Requests to the management socket of a daemon, and the text of a stream.
import { request as httpRequest } from 'node:http';
import type { Readable } from 'node:stream';

/** Reads a stream to its end. */
export const textOf = async (stream: Readable | null): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** Sends a request to a management socket, and returns its JSON response. */
export const overSocket = (
  socketPath: string,
  method: string,
  path: string,
  body: unknown,
): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    const request = httpRequest({ socketPath, method, path, agent: false }, (response) => {
      textOf(response).then((text) => resolve(JSON.parse(text) as Record<string, unknown>), reject);
    });
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });

// Operations of the owner over the management socket of a daemon, and the text of a stream.
import { request as httpRequest } from 'node:http';
import type { Readable } from 'node:stream';
import { createManage } from '../../../src/client/manage.ts';
import { createTransport } from '../../../src/client/transport.ts';
import { type OwnerOperationId, operations } from '../../../src/contract/operations.ts';
import type { Manage } from '../../../src/local/daemon/manage.ts';

/** The calls of the command line to the daemon at a socket. */
export const manageAt = (socket: string, signal = new AbortController().signal): Manage =>
  createManage(createTransport({ timeoutMs: 10_000, isLocal: true }), socket, signal);

/** Reads a stream to its end. */
export const textOf = async (stream: Readable | null): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** Calls an operation, and returns its result. @throws Error with the message of a refusal */
export const overSocket = (
  socketPath: string,
  id: OwnerOperationId,
  input: unknown,
): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    const { method, path } = operations[id];
    const headers = { 'content-type': 'application/json' };
    const request = httpRequest({ socketPath, method, path, headers, agent: false }, async (response) => {
      try {
        const { status, message, result } = JSON.parse(await textOf(response)) as Record<string, unknown>;
        if (status === 'success') resolve(result as Record<string, unknown>);
        else reject(new Error(`${id}: ${message}`));
      } catch (error) {
        reject(error);
      }
    });
    request.on('error', reject);
    request.end(input === undefined ? undefined : JSON.stringify(input));
  });

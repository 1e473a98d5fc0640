// Reads the body of a request of the management socket.
import { Failure } from '../domain/failure.ts';

/** Reads all bytes. @throws Failure PAYLOAD_TOO_LARGE */
export const readBytes = async (body: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit) throw new Failure('PAYLOAD_TOO_LARGE', `the request body must have at most ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

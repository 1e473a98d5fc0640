// Attaches to the output of a container that has not started.
import type { Connection } from '../engine/connection.ts';
import type { EngineFacts } from '../engine/engine-facts.ts';

/** The output of a container from its first byte, if it was opened before the container started. */
export interface OpenOutput {
  readonly stream: NodeJS.ReadableStream;
  readonly losses: number;
  /** Text that the engine itself writes at the end of a stream that breaks. */
  readonly fault?: RegExp | undefined;
}

/**
 * Prepares the processes of a container without starting its command. Has no effect on an initialized container. Only
 * Podman has this call.
 * @see https://docs.podman.io/en/latest/_static/api.html#tag/containers/operation/ContainerInitLibpod
 */
const initialize = (connection: Connection, ref: string): Promise<void> =>
  connection.call(
    (docker, abortSignal) =>
      new Promise<void>((resolve, reject) => {
        const statusCodes = { 204: true, 304: true, 404: 'no such container', 500: 'server error' };
        const path = `/v4.0.0/libpod/containers/${ref}/init`;
        docker.modem.dial({ path, method: 'POST', abortSignal, statusCodes }, (error: unknown) =>
          error ? reject(error) : resolve(),
        );
      }),
  );

/**
 * Attaches to the output. The container must not have started.
 * @throws ExecutorError unavailable; the error of the client library
 */
export const attachOutput = async (
  connection: Connection,
  facts: () => Promise<EngineFacts>,
  ref: string,
): Promise<OpenOutput> => {
  const losses = connection.lossCount();
  const { initBeforeAttach, attachFault } = await facts();
  if (initBeforeAttach) await initialize(connection, ref);
  // A response that comes too late must not leave a stream that nobody reads: it would block the container.
  const stream = await connection.call((docker, abortSignal) =>
    docker.getContainer(ref).attach({ stream: true, stdout: true, stderr: true, abortSignal }),
  );
  return { stream, losses, fault: attachFault };
};

// Attaches to the output of a container that has not started.
import type { Connection } from '../engine/connection.ts';

/** The output of a container from its first byte, if it was opened before the container started. */
export interface OpenOutput {
  readonly stream: NodeJS.ReadableStream;
  /** The engine's loss count when the stream was opened. */
  readonly losses: number;
}

/** @throws ExecutorError unavailable; the error of the client library */
export const attachOutput = async (connection: Connection, ref: string): Promise<OpenOutput> => {
  const losses = connection.lossCount();
  const stream = await connection.call((docker) =>
    docker.getContainer(ref).attach({ stream: true, stdout: true, stderr: true }),
  );
  return { stream, losses };
};

// Removes a container, running or not.
import type { Connection } from '../engine/connection.ts';
import { statusOf } from '../engine/engine-error.ts';

const REMOVE_MS = 60_000;
/** HTTP statuses of the engine: it has no such container (404), or the container is being removed already (409). */
const REMOVED = [404, 409];

/**
 * Kills the container and removes it with its anonymous volumes. An unknown container is no error. @throws the error of
 * the client library
 */
export const removeContainer = async (connection: Connection, ref: string): Promise<void> => {
  try {
    await connection.call((docker) => docker.getContainer(ref).remove({ force: true, v: true }), {
      timeoutMs: REMOVE_MS,
    });
  } catch (error) {
    if (!REMOVED.includes(statusOf(error) ?? 0)) throw error;
  }
};

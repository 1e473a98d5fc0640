// Removes a container, running or not.
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../engine/connection.ts';
import { engineMessage, statusOf } from '../engine/engine-error.ts';

const REMOVE_MS = 60_000;
/** HTTP statuses of the engine: it has no such container (404), or the container is being removed already (409). */
const REMOVED = [404, 409];
/** For a moment after a container's end, the kernel still uses one of its mounts. */
const BUSY = /device or resource busy/i;
const BUSY_ATTEMPTS = 20;
const RETRY_MS = 100;

/** Also removes the container's anonymous volumes. An unknown container is no error. */
export const removeContainer = async (connection: Pick<Connection, 'call'>, ref: string): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await connection.call((docker) => docker.getContainer(ref).remove({ force: true, v: true }), {
        timeoutMs: REMOVE_MS,
      });
      return;
    } catch (error) {
      if (REMOVED.includes(statusOf(error) ?? 0)) return;
      if (attempt === BUSY_ATTEMPTS || statusOf(error) === undefined || !BUSY.test(engineMessage(error))) throw error;
      await pause(RETRY_MS);
    }
  }
};

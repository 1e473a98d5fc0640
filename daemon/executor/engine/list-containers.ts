// Lists containers, even after Podman was killed while it removed one.
import type Dockerode from 'dockerode';
import { removeContainer } from '../docker/remove-container.ts';
import type { Connection } from './connection.ts';
import { engineMessage } from './engine-error.ts';

/**
 * Podman's error for every list with a container that lost its files and kept its record, because Podman was killed
 * between the two steps of its removal.
 */
const HALF_REMOVED = /getting container from store "([0-9a-f]{64})": container not known/;
/** More than one kill can leave. */
const MOST_HALF_REMOVED = 1_000;

/** The containers of the filter, running or not. Completes removals that Podman did not. @throws the error of the engine */
export const listContainers = async (
  connection: Pick<Connection, 'call'>,
  filters: Readonly<Record<string, string[]>>,
): Promise<readonly Dockerode.ContainerInfo[]> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connection.call((docker, abortSignal) => docker.listContainers({ abortSignal, all: true, filters }));
    } catch (error) {
      const [, id] = HALF_REMOVED.exec(engineMessage(error)) ?? [];
      if (id === undefined || attempt === MOST_HALF_REMOVED) throw error;
      await removeContainer(connection, id);
    }
  }
};

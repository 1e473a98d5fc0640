// Lists the images of the container engine that have a name.
import type { NamedImage } from '../../ports/builder.ts';
import type { Connection } from '../engine/connection.ts';
import { toExecutorError } from '../engine/engine-error.ts';

/** A list for a person who waits: an engine that is slower is reported as not responding. */
const LIST_MS = 10_000;

/** Images of this program itself: those of network containers and of the reach test. */
const isOwn = (name: string): boolean => /(?:^|\/)actorctl\/(?:pause|reach):/.test(name);

/** Newest first. @throws ExecutorError unavailable */
export const namedImages = async (connection: Connection, signal: AbortSignal): Promise<readonly NamedImage[]> => {
  try {
    const found = await connection.call((docker, abortSignal) => docker.listImages({ abortSignal }), {
      timeoutMs: LIST_MS,
      signal,
    });
    return found
      .flatMap(({ RepoTags, Size, Created }) =>
        (RepoTags ?? []).map((name): NamedImage => ({ name, size: Size, createdAt: Created * 1_000 })),
      )
      .filter(({ name }) => !name.startsWith('<none>') && !name.endsWith('<none>') && !isOwn(name))
      .sort((one, other) => other.createdAt - one.createdAt || one.name.localeCompare(other.name));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw toExecutorError(error, 'unavailable', 'cannot list the images');
  }
};

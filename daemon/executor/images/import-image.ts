// Images that are made here, so that they need no registry.

import { followProgress } from '../docker/images.ts';
import { type TarEntry, tar } from '../docker/tar.ts';
import type { Connection } from '../engine/connection.ts';
import { statusOf } from '../engine/engine-error.ts';

const QUIET_MS = 60_000;

export interface OwnImage {
  /** Reference with a tag. A changed image gets another tag. */
  readonly name: string;
  /** Lines of a Dockerfile. */
  readonly changes: string;
  readonly files: readonly TarEntry[];
}

/** Imports the image if the engine does not have it. @throws ExecutorError unavailable; the error of the client library */
export const ensureImage = async (connection: Connection, { name, changes, files }: OwnImage): Promise<void> => {
  try {
    await connection.call((docker) => docker.getImage(name).inspect());
    return;
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
  const archive = tar(files);
  const stream = await connection.call((docker, abortSignal) =>
    // Podman ignores the tag unless it is part of the name.
    docker.importImage(archive, { abortSignal, repo: name, changes }),
  );
  await followProgress(stream, () => undefined, { quietMs: QUIET_MS });
};

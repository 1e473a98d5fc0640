// Creates a container in the engine.
import type Dockerode from 'dockerode';

/**
 * Returns the id of the new container. Its options are sent in the body alone: by itself, the client library repeats
 * them in the URL, so that the engine parses them twice and can log the variables of a run.
 */
export const createContainer = async (
  docker: Dockerode,
  { name, ...body }: Dockerode.ContainerCreateOptions,
  abortSignal: AbortSignal,
): Promise<string> => {
  // The types of the library do not know these two properties.
  const request = { _query: { name }, _body: body, abortSignal };
  return (await docker.createContainer(request)).id;
};

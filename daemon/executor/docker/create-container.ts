// Creates a container in the engine.
import type Dockerode from 'dockerode';

/**
 * Sends the options only in the body: the client library would repeat them in the URL, where variables could be logged.
 */
export const createContainer = async (
  docker: Dockerode,
  { name, ...body }: Dockerode.ContainerCreateOptions,
  abortSignal: AbortSignal,
): Promise<string> => {
  // The library's types lack these two properties.
  const request = { _query: { name }, _body: body, abortSignal };
  return (await docker.createContainer(request)).id;
};

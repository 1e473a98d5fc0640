// Creates a container in the engine.
import type Dockerode from 'dockerode';

/** Sends the options in the body alone: the client library repeats them in the URL, where variables could be logged. */
export const createContainer = async (
  docker: Dockerode,
  { name, ...body }: Dockerode.ContainerCreateOptions,
  abortSignal: AbortSignal,
): Promise<string> => {
  // The types of the library do not know these two properties.
  const request = { _query: { name }, _body: body, abortSignal };
  return (await docker.createContainer(request)).id;
};
